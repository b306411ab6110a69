package deadcode

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// judged are the kinds that are looked at. Fields and members of enums are named by what
// puts them into words, tables and messages.
var judged = []syntax.Kind{
	syntax.Function, syntax.Method, syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type,
	syntax.Variable, syntax.Constant,
}

// asked reports whether a symbol is of a kind, a language and a place that a question about
// dead code is about.
func asked(s *index.Symbol) bool {
	row := syntax.Of(s.Language)
	return slices.Contains(judged, s.Kind) && !row.Prose && row.Names.Groups != "style" &&
		!elsewhere(s.File) && (!search.TestFile(s.File) || row.Names.Typechecked)
}

// judge says how sure a symbol that is asked about is dead if nothing names it; "" if
// others may use it all the same.
func (r *run) judge(s *index.Symbol) search.Confidence {
	row := syntax.Of(s.Language)
	switch {
	case strings.Trim(s.Name, "_") == "" || strings.HasPrefix(s.Name, "__") || slices.Contains(entries, s.Name):
		return ""
	case strings.HasPrefix(s.Name, "_") && (row.Names.Hides || s.Kind != syntax.Function && s.Kind != syntax.Method):
		return "" // a name for what is not to be used
	case slices.ContainsFunc(testPrefixes, func(p string) bool { return strings.HasPrefix(s.Name, p) }),
		strings.HasPrefix(s.Signature, "test "), // as Zig writes them
		row.Testing.Heads != nil && row.Testing.Heads.MatchString(s.Signature[:max(0, strings.IndexByte(s.Signature, '('))]):
		return ""
	case s.Language == syntax.Haskell && s.Kind != syntax.Function:
		return "" // its constructors and methods are used without its name
	case (s.Kind == syntax.Variable || s.Kind == syntax.Constant) && (s.Scope != "" || s.Exported || !row.Names.Typechecked):
		return ""
	case s.Kind == syntax.Function && s.Scope != "" && !row.Names.Typechecked && !r.inModule(s), plainName(s.Name) == "":
		return "" // it is put on an object that somebody else has
	case r.marked(s), r.notByHand(s.File):
		return ""
	}
	if s.Exported {
		return r.judgeExported(s)
	}
	if s.Kind == syntax.Method && !r.isCrowded(s) && r.implements(s) {
		return ""
	}
	if s.Kind == syntax.Method && !row.Names.Typechecked && !r.isPrivate(s) {
		return ""
	}
	if s.Kind.HasMembers() && row.Names.Bare == syntax.OfClass {
		if r.starts(s) || r.extends(s) || derives(s) || ofFramework(s) {
			return ""
		}
		return search.Likely // a class may be loaded by its name
	}
	if row.Names.Hides && s.Kind != syntax.Constant && !r.byEngine(s) {
		return search.Certain
	}
	return search.Likely
}

// plainName is a name without the mark that tells its kind, "" if it is no single word.
func plainName(name string) string {
	name = strings.TrimLeft(name, "#$@")
	for w := range text.Words(name) {
		if w == name {
			return name
		}
	}
	return ""
}

// inModule reports whether what is around a symbol is a module or a namespace.
func (r *run) inModule(s *index.Symbol) bool {
	last := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	return slices.ContainsFunc(r.all[last], func(i int) bool {
		k := r.symbols[i].Kind
		return r.symbols[i].File == s.File && (k == syntax.Module || k == syntax.Namespace)
	})
}

// isPrivate reports whether only its own class can call a method: by the language, or by
// custom where the class does not extend what may call it.
func (r *run) isPrivate(s *index.Symbol) bool {
	if slices.Contains(strings.Fields(s.Signature), "private") || strings.HasPrefix(s.Name, "#") {
		return true
	}
	if !strings.HasPrefix(s.Name, "_") {
		return syntax.Of(s.Language).Names.Hides && s.Parent >= 0 && r.inImpl(s)
	}
	last := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	return slices.ContainsFunc(r.all[last], func(i int) bool {
		o := &r.symbols[i]
		return o.File == s.File && o.Kind == syntax.Class && !strings.ContainsAny(o.Signature, "(<") &&
			!strings.Contains(o.Signature, " extends ")
	})
}

// inImpl reports whether a method is in a block that gives a type methods of its own.
func (r *run) inImpl(s *index.Symbol) bool {
	return slices.ContainsFunc(r.impls[s.File],
		func(o *index.Symbol) bool { return o.StartLine <= s.StartLine && s.EndLine <= o.EndLine })
}

// judgeExported judges what others may use: nobody can where the place of its package forbids
// it. Methods may be wanted by interfaces from outside.
func (r *run) judgeExported(s *index.Symbol) search.Confidence {
	if !syntax.Of(s.Language).Names.Typechecked || s.Kind == syntax.Method || s.Scope != "" {
		return ""
	}
	if slices.Contains(strings.Split(path.Dir(s.File), "/"), "internal") || r.isProgram(s.File) {
		return search.Likely
	}
	return ""
}

// isProgram reports whether a file belongs to a program, which nobody imports.
func (r *run) isProgram(file string) bool {
	for _, l := range r.lines(file) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "package ") {
			return l == "package main"
		}
	}
	return false
}

// entries are names that the language, its tools or its run time call.
var entries = []string{
	"main", "init", "Main", "constructor", "readObject", "writeObject", "readResolve", "writeReplace",
	"readObjectNoData", "finalize",
	"setUp", "tearDown", "setup", "teardown",
	"write_fmt", "write_str", // by the macros of Rust that write
}

// testPrefixes begin names that tools collect: those of Haskell too.
var testPrefixes = []string{"Test", "Benchmark", "Example", "Fuzz", "prop_"}

// elsewhere reports whether what a file declares is used by what is not in the project, or
// is there to be looked at.
func elsewhere(file string) bool {
	if strings.HasSuffix(file, ".d.ts") || syntax.Of(syntax.Detect(file, nil)).
		Names.Imports == syntax.ImportsInclude && strings.HasPrefix(path.Ext(file), ".h") {
		return true // it declares for others
	}
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(d string) bool {
		return slices.Contains([]string{"testdata", "fixtures", "examples", "example", "samples", "sample",
			"snippets", "docs", "vendor", "node_modules", "third_party"}, strings.ToLower(d))
	})
}

// implements reports whether an interface or another type has a method of the name.
func (r *run) implements(s *index.Symbol) bool {
	for _, i := range r.all[s.Name] {
		o := &r.symbols[i]
		if o.Scope == s.Scope && o.File == s.File {
			continue
		}
		last := o.Scope[strings.LastIndexByte(o.Scope, '.')+1:]
		if o.Scope != "" && (r.interfaces[last] || strings.HasPrefix(o.Signature, "interface") ||
			!syntax.Of(s.Language).Names.Typechecked) {
			return true
		}
	}
	last := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	return r.interfaces[last] || strings.HasPrefix(s.Signature, "interface") || s.Parent >= 0 && r.ofTrait(s)
}

// starts reports whether a class has what a run time or a tool begins with.
func (r *run) starts(s *index.Symbol) bool {
	return slices.ContainsFunc(r.scoped[strings.Trim(s.Scope+"."+s.Name, ".")], func(i int) bool {
		return r.symbols[i].File == s.File && slices.Contains(entries, r.symbols[i].Name)
	})
}

// extends reports whether a class gives members to other types, so that it is used without
// being named: in C# by methods with a parameter this, in Scala by being implicit.
func (r *run) extends(s *index.Symbol) bool {
	if slices.Contains(strings.Fields(s.Signature), "implicit") {
		return true
	}
	return slices.ContainsFunc(r.scoped[text.Dotted(s.Scope, s.Name)], func(i int) bool {
		return r.symbols[i].File == s.File && strings.Contains(r.symbols[i].Signature, "(this ")
	})
}

// derives reports whether a class is a kind of something else, by which a program may find
// it without its name.
func derives(s *index.Symbol) bool {
	return strings.Contains(s.Signature, " : ") || strings.Contains(s.Signature, " extends ") ||
		strings.Contains(s.Signature, " implements ")
}

// ofFramework reports whether a class is in the place of one that a newer .NET has, for compilers
// that look for it by its name.
func ofFramework(s *index.Symbol) bool {
	return s.Language == syntax.CSharp && strings.HasPrefix(s.Scope+".", "System.")
}

// byEngine reports whether an engine may call a method by its name alone: those of Unity
// and Godot call private ones of what derives from their classes.
func (r *run) byEngine(s *index.Symbol) bool {
	last := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	return s.Language == syntax.CSharp && s.Kind == syntax.Method &&
		!slices.Contains(strings.Fields(s.Signature), "static") &&
		slices.ContainsFunc(r.all[last], func(i int) bool { return r.symbols[i].File == s.File && derives(&r.symbols[i]) })
}

// notByHand reports whether nobody would take something out of a file: it is generated,
// minified, or other people's.
func (r *run) notByHand(file string) bool {
	r.lines(file)
	return r.class[file] != files.Source
}

// ofTrait reports whether a method is in what implements a trait for a type.
func (r *run) ofTrait(s *index.Symbol) bool {
	return slices.ContainsFunc(r.impls[s.File], func(o *index.Symbol) bool {
		return o.StartLine <= s.StartLine && s.EndLine <= o.EndLine && strings.Contains(o.Signature, " for ")
	})
}

// harmless are marks that nothing uses.
var harmless = []string{"@staticmethod", "@classmethod", "@property", "@inline", "@override", "@Deprecated",
	"@Nullable", "#[inline", "#[must_use", "#[doc", "#[derive", "@SuppressWarnings"}

// marked reports whether a decorator, an annotation, an attribute or a directive is at
// a symbol: what bears one may be used by whoever looks for it.
func (r *run) marked(s *index.Symbol) bool {
	all := r.lines(s.File)
	name := max(s.NameLine, s.StartLine)
	for n := name; n > max(0, name-12) && n <= len(all); n-- {
		l := strings.TrimSpace(all[n-1][:min(len(all[n-1]), longestLine)])
		mark := strings.HasPrefix(l, "@") || strings.HasPrefix(l, "#[") || strings.HasPrefix(l, "//go:") ||
			strings.HasPrefix(l, "//export") || strings.HasPrefix(l, "//nolint") ||
			strings.HasPrefix(l, "//lint:") || strings.HasPrefix(l, "[") && n < name ||
			strings.Contains(l, "__attribute__") || strings.Contains(l, "_ATTR(") || strings.Contains(l, "__declspec")
		switch {
		case mark && !slices.ContainsFunc(harmless, func(h string) bool { return strings.HasPrefix(l, h) }):
			return true
		case mark, n == name, n >= s.StartLine, strings.HasPrefix(l, "//"), strings.HasPrefix(l, "*"), strings.HasPrefix(l, "/*"):
		default:
			return false
		}
	}
	return false
}

// lines returns a file that has candidates, line by line. Only the last one is held:
// symbols are asked about file by file.
func (r *run) lines(file string) []string {
	if r.file != file {
		r.file, r.text = file, nil
		if t, err := files.Read(r.f.p, file); err == nil {
			r.text = strings.Split(string(t.Bytes), "\n")
			r.class[file] = t.Class
		}
	}
	return r.text
}
