# Prints what the names of a Ruby project mean, as a run of its own tests shows:
#
#     ruby meanings.rb FOLDER FILE-WITH-SOURCES minitest|rspec PATTERN... > MEANINGS
#
# A method means what was called from the place; a constant what the interpreter
# finds by that name there. One line a name, in the form of peers.py: path, line,
# column, name, kind, path, line and column of the declaration, the declarations
# that it overrides, and D where the name declares. A call has no column. Path, line
# and name alone are a call of something that is declared elsewhere; path and line, where
# a class is opened again. What did not run is not known. Constructors are left out:
# nothing names them.
require "set"

ROOT = File.realpath(ARGV.shift) + "/"
SOURCES = File.readlines(ARGV.shift, chomp: true)
RUNNER = ARGV.shift
PATTERNS = ARGV.slice!(0..)
OUT = $stdout.dup
$stdout.reopen($stderr)
ABSENT = %w[bundler/setup bundler/gem_tasks simplecov coveralls]

module WithoutTools
  def require(name) = ABSENT.include?(name) ? false : super
end
Object.prepend(WithoutTools)
module SimpleCov # measures what is run, and is often not there
  Formatter = Class.new
  Formatter::HTMLFormatter = Formatter
  def self.method_missing(*) = self
end
Coveralls = Module.new
Coveralls::SimpleCov = SimpleCov

# Where a name is declared or used.
Place = Struct.new(:path, :line, :column) do
  def to_s = "#{path}:#{line}:#{column}"
end

# What a source declares, and the constants that it names with the names of the modules around them.
class Source
  attr_reader :methods, :constants

  ATTRIBUTES = %i[attr_reader attr_writer attr_accessor attr]

  def initialize(path)
    @path = path
    @lines = File.readlines(ROOT + path, encoding: "UTF-8")
    @methods = {}   # [line it is known by, name] => [place, kind]
    @constants = [] # [place, name, modules around, the path written, D]
    walk(RubyVM::AbstractSyntaxTree.parse_file(ROOT + path), [])
  rescue SyntaxError
    warn "#{path} is not read"
  end

  private

  def walk(node, around)
    return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
    case node.type
    when :CLASS, :MODULE
      path = node.children.first
      written = written(path)
      constant(path, written, around, "D") if written
      node.children[1] && node.type == :CLASS && walk(node.children[1], around)
      return walk(node.children.last, written ? around + [written] : around)
    when :DEFN then method(node, node.children[0], around.empty? ? "function" : "method")
    when :DEFS then method(node, node.children[1], "method")
    when :FCALL then attributes(node) if ATTRIBUTES.include?(node.children[0])
    when :CDECL
      name = node.children[0]
      constant(node, [name.to_s], around, "D") if name.is_a?(Symbol)
    when :CONST then constant(node, [node.children[0].to_s], around, "")
    when :COLON2
      if (written = written(node))
        constant(node, written, around, "")
      end
    end
    node.children.each { |c| walk(c, around) }
  end

  # The names of A::B::C, or nil where something else stands before them.
  def written(node)
    case node&.type
    when :CONST then [node.children[0].to_s]
    when :COLON3 then ["", node.children[0].to_s]
    when :COLON2
      scope, name = node.children
      return unless name.to_s.match?(/\A[[:upper:]]/)
      return [name.to_s] unless scope
      before = written(scope)
      before && before + [name.to_s]
    end
  end

  def constant(node, written, around, declares)
    name = written.last
    line, column = node.type == :CDECL ? [node.first_lineno, node.first_column] : [node.last_lineno, node.last_column - name.bytesize]
    return unless @lines[line - 1]&.byteslice(column, name.bytesize) == name
    @constants << [Place.new(@path, line, column + 1), name, around, written, declares]
  end

  def method(node, name, kind)
    line = node.first_lineno
    at = @lines[line - 1].match(/\bdef\s+(?:[\w:]+\s*\.\s*)?(#{Regexp.escape(name)})(?![\w?!])/)
    return if !at || name == :initialize
    @methods[[line, name]] = [Place.new(@path, line, @lines[line - 1][0...at.begin(1)].bytesize + 1), kind]
  end

  def attributes(node)
    list = node.children[1]
    return unless list.is_a?(RubyVM::AbstractSyntaxTree::Node)
    list.children.grep(RubyVM::AbstractSyntaxTree::Node).each do |literal|
      name = literal.type == :LIT && literal.children[0]
      next unless name.is_a?(Symbol)
      place = Place.new(@path, literal.first_lineno, literal.first_column + 2)
      @methods[[node.first_lineno, name]] ||= [place, "field"]
      @methods[[node.first_lineno, :"#{name}="]] ||= [place, "field"]
    end
  end
end

# Calls, as they happen: [path, line] of the place, and of what is called.
class Calls
  attr_reader :seen

  def initialize
    @seen, @owners = Set.new, {}
    @files = SOURCES.to_h { |s| [ROOT + s, s] }
    @trace = TracePoint.new(:call, :c_call) { |t| note(t) }
  end

  def start = @trace.enable

  def stop = @trace.disable

  def declared(method)
    path, line = method.source_location
    path && @files[path] && [@files[path], line]
  end

  private

  def note(t)
    return if t.callee_id != t.method_id
    if t.event == :call
      return unless (path = @files[t.path])
      at = caller_locations(3, 1)&.first
      from = at && @files[at.absolute_path || at.path]
      @seen << [from, at.lineno, path, t.lineno, t.method_id] if from
    elsif (from = @files[t.path])
      @seen << [from, t.lineno, *place_of(t.defined_class, t.method_id), t.method_id]
    end
  end

  def place_of(owner, name)
    @owners.fetch([owner, name]) { |key| @owners[key] = declared(owner.instance_method(name)) || [nil, nil] }
  rescue NameError
    [nil, nil]
  end
end

# The methods that each method overrides, as pairs of a path and a line. A method that sets an
# attribute overrides the one that gets it, so that both are one thing.
def overridden(calls)
  over = Hash.new { |h, k| h[k] = Set.new }
  ObjectSpace.each_object(Module) do |m|
    [m, m.singleton_class].each do |owner|
      (owner.instance_methods(false) + owner.private_instance_methods(false)).each do |name|
        at = calls.declared(owner.instance_method(name)) or next
        owner.ancestors.each do |a|
          next if a == owner || !(a.method_defined?(name, false) || a.private_method_defined?(name, false))
          root = calls.declared(a.instance_method(name))
          over[[*at, name]] << [*root, name] if root
        end
        reader = name.end_with?("=") && name[..-2].to_sym
        next unless reader && (owner.method_defined?(reader, false) || owner.private_method_defined?(reader, false))
        read = calls.declared(owner.instance_method(reader))
        over[[*at, name]] << [*read, reader] if read # an attribute is one thing
      end
    rescue StandardError
      next
    end
  end
  over
end

# The module that has the constant written at a place, and the constant's name, or nil.
def resolved(around, written)
  nesting = around.inject([Object]) { |found, names| found + [named(found, names)] }
  owner(nesting, written)&.then { |m| [m, written.last] }
rescue NameError, LoadError
  nil
end

# What A::B means where these modules are around.
def named(nesting, written) = owner(nesting, written).const_get(written.last, false)

def owner(nesting, written)
  *before, name = written
  return Object if before == [""]
  return below(named(nesting, before), name) unless before.empty?
  nesting.drop(1).reverse.find { |m| m.const_defined?(name, false) } || below(nesting.last, name) || below(Object, name)
end

def below(owner, name) = owner.ancestors.find { |a| a.const_defined?(name, false) }

def tell(place, name, kind, meant, over, declares)
  OUT.puts [place.path, place.line, place.column, name, kind, meant.path, meant.line, meant.column, over.join(","), declares].join("\t")
end

def print_methods(sources, calls)
  known = sources.flat_map { |path, s| s.methods.map { |(line, name), found| [[path, line, name], found] } }.to_h
  over = overridden(calls)
  inside, outside = calls.seen.partition { |_, _, path| path }
  outside.each { |from, line, _, _, name| OUT.puts [from, line, name].join("\t") }
  called = inside.filter_map { |from, line, *key| known[key] && [from, line, key] }
  called.map(&:last).uniq.each do |key|
    place, kind = known[key]
    roots = over[key].filter_map { |k| known[k]&.first }
    tell(place, key.last.to_s.delete_suffix("="), kind, place, roots, "D")
  end
  called.each do |from, line, key|
    place, kind = known[key]
    tell(Place.new(from, line, 0), key.last.to_s.delete_suffix("="), kind, place, [], "")
  end
end

def print_constants(sources)
  places = sources.values.flat_map { |s| s.constants.select { |c| c.last == "D" }.map { |c| [[c[0].path, c[0].line, c[1]], c[0]] } }.to_h
  sources.each_value do |source|
    source.constants.each do |place, name, around, written, declares|
      owner, last = resolved(around, written)
      path, line = owner&.const_source_location(last, false)
      meant = path && places[[path.delete_prefix(ROOT), line, name]] or next
      kind = owner.autoload?(last) || owner.const_get(last, false).is_a?(Module) ? "type" : "field"
      if declares == "D" && place != meant
        OUT.puts [place.path, place.line].join("\t") # a class opened again
      else
        tell(place, name, kind, meant, [], declares)
      end
    rescue StandardError, LoadError
      next
    end
  end
end

CALLS = Calls.new
def report
  CALLS.stop
  sources = SOURCES.to_h { |path| [path, Source.new(path)] }
  print_methods(sources, CALLS)
  print_constants(sources)
  OUT.flush
end

Dir.chdir(ROOT)
%w[lib test spec].each { |d| $LOAD_PATH.unshift(ROOT + d) }
files = PATTERNS.flat_map { |p| Dir[p].sort }
if RUNNER == "rspec"
  require "rspec/core"
  CALLS.start
  RSpec::Core::Runner.run(files)
  report
else
  require "minitest"
  CALLS.start
  files.each do |f|
    require ROOT + f
  rescue LoadError => e
    warn e.message
  end
  srand(1)
  Minitest.run(%w[--seed 1])
  report
end
exit!(0)
