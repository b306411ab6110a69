package importpath

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
)

// rust finds the file of a module: of a mod item, or of the path of a use.
func (r *Resolver) rust(i index.Import) Target {
	parts := strings.Split(strings.TrimPrefix(strings.ReplaceAll(i.Path, " ", ""), "::"), "::")
	for j, p := range parts {
		parts[j] = strings.TrimPrefix(p, "r#")
	}
	home, within := r.crateOf(i.File)
	switch parts[0] {
	case "crate", "$crate":
		return Target{Files: r.modulesBelow(home, nil, parts[1:])}
	case "self", "super":
		at := within
		for len(parts) > 0 && (parts[0] == "super" || parts[0] == "self") {
			if parts[0] == "super" && len(at) > 0 {
				at = at[:len(at)-1]
			}
			parts = parts[1:]
		}
		if files := r.pathAttributes(i); len(files) > 0 {
			return Target{Files: files}
		}
		return Target{Files: r.modulesBelow(home, at, parts)}
	}
	if dir, ok := r.crateNames()[parts[0]]; ok {
		root := path.Join(dir, "src/lib.rs")
		if r.files[root] && root != i.File {
			return Target{Files: r.modulesBelow(root, nil, parts[1:])}
		}
	}
	for _, at := range [][]string{within, nil} { // a module of this one, or of the root
		if f := r.moduleOf(home, append(at[:len(at):len(at)], parts[0])); f != "" {
			return Target{Files: r.modulesBelow(home, at, parts)}
		}
	}
	return Target{Outside: parts[0]}
}

// crateOf returns the root file of the crate that a file belongs to, and the modules that
// its declarations are in, from the root.
func (r *Resolver) crateOf(file string) (root string, within []string) {
	dir := path.Dir(file)
	base := strings.TrimSuffix(path.Base(file), ".rs")
	parent := path.Base(dir)
	switch {
	case base == "main", base == "lib", base == "build":
		return file, nil
	case parent == "tests", parent == "examples", parent == "benches", parent == "bin":
		return file, nil // each is a program of its own
	}
	if base != "mod" {
		within = []string{base}
	}
	for {
		for _, name := range []string{"lib.rs", "main.rs", "mod.rs"} {
			f := path.Join(dir, name)
			if name != "mod.rs" && r.files[f] {
				return f, within
			}
		}
		if r.files[path.Join(dir, "Cargo.toml")] || dir == "." || dir == "/" {
			return file, nil
		}
		within = append([]string{path.Base(dir)}, within...)
		dir = path.Dir(dir)
	}
}

// moduleOf is the file of a module by its path from the root of its crate, "" if there is
// none.
func (r *Resolver) moduleOf(root string, modules []string) string {
	if len(modules) == 0 {
		return root
	}
	at := path.Join(path.Dir(root), path.Join(modules...))
	for _, f := range []string{at + ".rs", at + "/mod.rs"} {
		if r.files[f] {
			return f
		}
	}
	return ""
}

// modulesBelow follows a path from a module as far as files go.
func (r *Resolver) modulesBelow(root string, from, parts []string) []string {
	file := r.moduleOf(root, from)
	for n := 1; n <= len(parts); n++ {
		f := r.moduleOf(root, append(from[:len(from):len(from)], parts[:n]...))
		if f == "" {
			break
		}
		file = f
	}
	if file == "" {
		return nil
	}
	return []string{file}
}

// pathAttributes lists the files that attributes above a mod item name, each for a platform.
func (r *Resolver) pathAttributes(i index.Import) (all []string) {
	for n := i.Line - 1; n > max(0, i.Line-4); n-- {
		line := strings.TrimSpace(r.line(i.File, n))
		if !strings.HasPrefix(line, "#[") {
			break
		}
		if _, rest, ok := strings.Cut(line, `path = "`); ok {
			name, _, _ := strings.Cut(rest, `"`)
			if f := path.Join(path.Dir(i.File), name); r.files[f] {
				all = append(all, f)
			}
		}
	}
	slices.Sort(all)
	return all
}

// crateNames returns the folders of the crates of the project by their names in code.
func (r *Resolver) crateNames() map[string]string {
	if r.crates != nil {
		return r.crates
	}
	r.crates = map[string]string{}
	for _, f := range r.named("Cargo.toml") {
		section := ""
		for line := range strings.Lines(r.read(f)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = strings.Trim(line, "[] ")
			}
			key, value, ok := strings.Cut(line, "=")
			if !ok || strings.TrimSpace(key) != "name" || section != "package" && section != "lib" {
				continue
			}
			value, _, _ = strings.Cut(value, "#")
			r.crates[strings.ReplaceAll(strings.Trim(value, ` "'`), "-", "_")] = path.Dir(f)
		}
	}
	return r.crates
}
