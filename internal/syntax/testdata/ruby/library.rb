#!/usr/bin/env ruby
# frozen_string_literal: true
# encoding: utf-8

# A lending library: its books, its readers, and who has what.

require 'date'
require 'set'
require_relative 'library/catalogue'
require_relative "library/#{ENV.fetch('BACKEND', 'memory')}"
load 'config/defaults.rb'
autoload :Barcode, 'library/barcode'

# Everything about lending.
module Library
  autoload :Fine, 'library/fine'

  MAX_LOANS = 5 # per reader
  GRACE = 3.freeze
  PATTERN = /(?<prefix>[A-Z]{2})-(?<number>\d+)/x
  KINDS = %i[book film map].freeze
  NAMES = %w[Buch Film Karte]
  Größe = Struct.new(:width, :height, keyword_init: true)
  Place = Data.define(:shelf, :row) do
    include Comparable

    # Places are in the order one walks.
    def <=>(other) = [shelf, row] <=> [other.shelf, other.row]

    def self.parse(text)
      shelf, row = text.split('/', 2)
      new(shelf:, row: row.to_i)
    end
  end

  class Error < StandardError
    attr_reader :loan

    def initialize(message = 'lending failed', loan: nil)
      super(message)
      @loan = loan
    end
  end

  LimitReached = Class.new(Error)
  class NotFound < Error; end

  class << self
    attr_writer :clock

    def clock = @clock ||= -> { Date.today }

    def configure
      yield self if block_given?
      self
    end

    private

    def reset!
      @clock = nil
    end
  end

  # Keeps what changed.
  module Audited
    def self.included(base)
      base.extend(ClassMethods)
      base.class_eval do
        attr_accessor :changes
      end
    end

    # What a class can say.
    module ClassMethods
      def audited(*names, on: :save, &filter)
        names.each do |name|
          define_method("#{name}_was") { changes.fetch(name, nil) }
          alias_method :"old_#{name}", :"#{name}_was"
        end
        (@audited ||= {})[on] = filter
      end
    end

    def audit(event, **details)
      (self.changes ||= []) << { event:, at: Library.clock.call, **details }
    end
  end

  # Something that can be lent.
  class Item
    include Audited
    include Comparable
    extend Forwardable

    attr_accessor :title, :year
    attr_reader :place, :kind # where and what
    def_delegators :@loans, :size, :empty?
    def_delegator :place, :shelf
    def_delegators :place, :<=>, :row
    def_delegator :@place, :to_s, :where
    delegate :name, :email, to: :owner, allow_nil: true
    audited :title, :year, on: :update

    DEFAULT_PLACE = Place.new(shelf: 'A', row: 1)
    private_constant :DEFAULT_PLACE

    @@made = 0
    @registry = {}

    class << self
      attr_reader :registry

      def [](code) = registry.fetch(code) { raise NotFound, "no #{code}" }

      def []=(code, item)
        registry[code] = item
      end
    end

    # Makes an item.
    #
    # @param title [String]
    def initialize(title, year = nil, *tags, kind: :book, place: DEFAULT_PLACE, **rest, &block)
      @title, @year = title, year
      @tags = Set[*tags]
      @kind = kind
      @place = place
      @loans = []
      @@made += 1
      instance_eval(&block) if block
      rest.each { |key, value| public_send(:"#{key}=", value) }
    end

    def self.made
      @@made
    end

    def <=>(other)
      return unless other.is_a?(Item)

      [title, year.to_i] <=> [other.title, other.year.to_i]
    end

    def each_loan
      return enum_for(__method__) unless block_given?

      @loans.each do |loan|
        yield loan, loan.due
      end
    end

    def lent? = @loans.any?(&:open?)

    def title=(value)
      raise ArgumentError, 'empty' if value.to_s.empty?

      audit(:title, from: @title, to: value)
      @title = value
    end

    def +(other)
      Collection.new(self, *other)
    end

    def -@ = dup.tap { |copy| copy.title = "not #{title}" }

    def to_s
      <<~TEXT.strip
        #{title} (#{year || 'n.d.'})
        def fake; end
        class Nothing; end
      TEXT
    end
    alias inspect to_s
    alias_method :name, :title

    def respond_to_missing?(name, include_private = false)
      name.end_with?('_tag') || super
    end

    def method_missing(name, *args, &block)
      case name.to_s
      when /\A(?<tag>\w+)_tag\z/ then @tags.include?(Regexp.last_match(:tag))
      else super
      end
    end

    protected

    attr_reader :loans

    private

    def forget(loan)
      @loans.delete(loan)
    end

    public

    def lend_again = note('again')
    def secret = 1
    private :secret, :lend_again

    private

    def note(text) = warn("#{self.class}: #{text}")
  end

  class Film < Item
    LENGTHS = { short: 0..40, long: (41..) }.freeze

    def initialize(...)
      super
      @kind = :film
    end

    def length_class(minutes)
      LENGTHS.each do |name, range|
        return name if range === minutes
      end
      nil
    end
  end

  # One item with one reader.
  class Loan
    DAYS = 28
    attr_reader :item, :reader, :due

    def initialize(item:, reader:, from: Library.clock.())
      @item, @reader = item, reader
      @due = from + DAYS
      @returned = nil
    end

    def open? = @returned.nil?

    def overdue?(today = Library.clock.call)
      open? && today > due
    end

    def fine(today: Library.clock.call, per_day: 0.1r)
      late = [(today - due).to_i - GRACE, 0].max
      late *= per_day
      late.positive? ? Fine.new(self, late) : Fine::NONE
    end

    def return!
      @returned = Library.clock.call
    ensure
      item.send(:forget, self)
    end
  end

  class Desk < Struct.new(:name, :opened)
    extend Enumerable

    def initialize(catalogue = Catalogue.instance)
      @catalogue = catalogue
      @queues = Hash.new { |hash, code| hash[code] = [] }
      @mutex = Mutex.new
    end

    def lend(code, to:, attempts: 3)
      item = Item[code]
      @mutex.synchronize do
        raise LimitReached.new(loan: nil) if to.loans.count(&:open?) >= MAX_LOANS

        Loan.new(item: item, reader: to).tap do |loan|
          to.loans << loan
          notify(:lent, loan) { |mail| mail.subject = "Geliehen: #{item.title}" }
        end
      end
    rescue Timeout::Error, Errno::ECONNRESET => e
      attempts -= 1
      retry if attempts.positive?
      raise Error, e.message
    else
      item.audit(:lent)
    end

    def classify(event)
      case event
      in { type: :lend | :extend => type, loan: Loan => loan } if loan.open?
        [type, loan.item.title]
      in { type: 'return', items: [Item => first, *others] }
        others.unshift(first)
      in [Integer => code, String | nil => name, *]
        "#{code}:#{name}"
      in { reader: { name:, city: 'Zürich' => city }, **nil }
        "#{name} of #{city}"
      in Place(shelf:, row: ^expected_row)
        shelf
      else
        event => { type: }
        type
      end
    end

    def report(io = $stdout, *, verbose: false)
      i = 0
      while i < @queues.size
        i += 1
        next if i.odd? && !verbose
      end
      for code, queue in @queues do
        io.puts format('%-10s %3d', code, queue.size)
      end
      totals = @queues.each_with_object({}) { |(code, (first, *)), sum| sum[code] = first }
      io.puts totals.map { |code, first| [code, first&.name] }.sort_by(&:last).to_h
      io.puts [1, 2].each_slice(2).map { _1 + _2 }.sum, [3].map { it * 2 }
      %w[a b].each_with_index.to_h { |letter, index| [letter.to_sym, index] }
    end

    def expected_row = 1

    private def notify(kind, loan, &block)
      handler = method(:"on_#{kind}")
      handler.(loan).then(&block)
    end

    KINDS.each do |kind|
      define_method(:"on_#{kind}") do |loan, *rest|
        [kind, loan, rest]
      end
    end
  end

  module_function

  def barcode(item)
    if (match = PATTERN.match(item.code))
      prefix, number = match.captures
      "#{prefix}#{number.rjust(8, '0')}"
    end
  end

  def self.open(*desks, &)
    desks.each(&)
  ensure
    $last_opened = Time.now
  end
end

class Library::Reader
  attr_accessor :name, :loans

  def initialize(name) = (@name, @loans = name, [])

  def 読む(本)
    本.title
  end
end

class Integer
  def days = self * 86_400
end

$library = Library.configure { |config| config.clock = -> { Date.new(2024, 2, 29) } }
today, = *Library.clock.call
shout = lambda { |text, mark = '!'| text.upcase + mark }
square = proc do |n; cache|
  cache = n * n
  cache
end

BEGIN { puts 'start' }
at_exit { puts shout.call(`date`.chomp) }

if __FILE__ == $0
  desk = Library::Desk.new
  reader = Library::Reader.new(ARGV.first || 'Ömer')
  desk.lend('AB-1', to: reader) rescue abort("no: #{$!.message}")
  puts square[3], today, Library.barcode(Library::Item['AB-1'])
  desk.report(verbose: true)
end

__END__
class AfterTheEnd
end
