#!/usr/bin/env ruby
# frozen_string_literal: true

require 'json'
require_relative '../lib/store'
autoload :Parser, 'mail/parser'

# Mail and who sends it.
module Mail
  VERSION = '1.2'
  DEFAULTS = { retries: 3, host: 'localhost' }.freeze
  Point = Struct.new(:x, :y) do
    def norm
      Math.sqrt(x * x + y * y)
    end
  end

  class Error < StandardError; end

  # What can be delivered.
  module Deliverable
    def self.included(base)
      base.extend(ClassMethods)
    end

    module ClassMethods
      def queue_as(name)
        @queue = name
      end
    end

    def deliver!
      raise NotImplementedError, "#{self.class} must implement deliver!"
    end
  end

  # A message.
  # メッセージ。
  class Message < ActiveRecord::Base
    include Deliverable
    include Comparable
    extend Forwardable

    belongs_to :user, class_name: 'User'
    has_many :parts, dependent: :destroy
    validates :subject, presence: true
    scope :recent, -> { where('sent_at > ?', 1.day.ago) }

    attr_reader :from, :to
    # Its subject.
    attr_accessor :subject
    def_delegators :@parts, :size, :each

    LIMIT = 10

    @@count = 0
    $mailer = nil

    class << self
      attr_accessor :transport

      def build(**options, &block)
        message = new(**options)
        block&.call(message)
        message
      end
    end

    # Makes a message.
    def initialize(from:, to: [], subject = nil, *rest)
      super()
      @from = from
      @to, @cc = to, rest
      self.subject = subject
      @@count += 1
    end

    def self.find_all(ids)
      ids.map { |id| find(id) }.compact
    end

    def <=>(other)
      subject <=> other.subject
    end

    def subject=(value)
      @subject = value.to_s.strip
    end

    def empty? = @parts.nil? || @parts.empty?

    def deliver!(via: transport, attempts: LIMIT)
      tries = 0
      begin
        tries += 1
        result = via.send_message(self)
        log "sent #{subject} after #{tries}"
        result
      rescue Net::TimeoutError, Error => e
        retry if tries < attempts
        raise Error, e.message
      ensure
        cleanup
      end
      @to.each_with_index do |address, index|
        name, (host, port) = split(address)
        puts "#{index}: #{name}@#{host}" unless port
      end
      case result
      when Array then result.first
      when ->(r) { r.nil? } then :none
      else result
      end
      case { status: 'ok', body: }
      in { status: 'ok', body: String => text } if text.size > 1
        text
      in [Integer => code, *rest]
        [code, rest]
      end
    end

    alias_method :send!, :deliver!
    alias size length

    def method_missing(name, *args)
      if name.to_s.end_with?('?')
        handlers[name]&.call(*args)
      else
        super
      end
    end

    define_method(:shout) { |text| text.upcase }

    protected

    def secret
      @secret ||= generate(length: 3)
    end

    private

    attr_writer :parts

    def cleanup
      @parts = nil
    end

    def log(text) = Logger.info(text)
    private_constant :LIMIT
    private def hidden(x) = x

    public

    def open_again
      # TODO
    end
  end

  def self.deliver(message)
    Message.new(from: 'a').deliver!
  end
end

SQL = <<~SQL
  select * from messages where id = #{Mail::VERSION}
SQL

def main(argv = ARGV)
  options = argv.to_h { |a| a.split('=') }
  square = lambda do |x|
    x * x
  end
  half = ->(x, by = 2) { x / by }
  options.each_pair { |key, value| puts key, square.call(half.(value)) }
  3.times { puts _1 }
  Mail.deliver(Mail::Message.build(from: 'x', to: ['y']))
end

main if __FILE__ == $PROGRAM_NAME
