//go:build definitions

package syntax

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	definitionsIn = flag.String("definitions", "", "compare definitions with ctags in these checkouts, with commas between")
	listMisses    = flag.Int("misses", 0, "misses to list a language")
	onlyLanguage  = flag.String("only", "", "only this language")
)

// stands says whether a name stands where it is said to.
func stands(s Symbol, lines [][]byte) bool {
	if s.NameLine < 1 || s.NameLine > len(lines) || s.NameColumn < 1 || s.NameColumn > len(lines[s.NameLine-1])+1 {
		return false
	}
	return bytes.HasPrefix(lines[s.NameLine-1][s.NameColumn-1:], []byte(s.Name[:min(len(s.Name), 1)]))
}

type tag struct {
	Name, Path, Language, Kind string
	Line                       int
}

// TestDefinitions compares what is declared with what Universal Ctags lists.
func TestDefinitions(t *testing.T) {
	if *definitionsIn == "" {
		t.Skip("no folders")
	}
	type score struct{ files, tags, missed, odd, symbols, misplaced, partial int }
	scores := map[Language]*score{}
	kindsMissed := map[string]int{}
	listed := map[Language]int{}
	for _, dir := range strings.Split(*definitionsIn, ",") {
		out, err := exec.Command("git", "-C", dir, "ls-files").Output()
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		langs := map[string]Language{}
		for _, f := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			p := filepath.Join(dir, f)
			if st, err := os.Lstat(p); err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
				continue
			}
			src, err := os.ReadFile(p)
			if err != nil {
				continue
			}
			lang := Detect(p, src)
			if *onlyLanguage != "" && string(lang) != *onlyLanguage || ctagsNames[lang] == "" {
				continue
			}
			files = append(files, p)
			langs[p] = lang
		}
		tags := ctagsOf(t, files, langs)
		for _, p := range files {
			lang := langs[p]
			src, _ := os.ReadFile(p)
			f, err := tryParse(lang, src)
			if err != nil {
				t.Errorf("%s: %v", p, err)
				continue
			}
			s := scores[lang]
			if s == nil {
				s = &score{}
				scores[lang] = s
			}
			s.files++
			s.symbols += len(f.Symbols)
			if f.Partial != "" {
				s.partial++
			}
			lines := bytes.Split(src, []byte("\n"))
			at := map[string][]Symbol{}
			for _, y := range f.Symbols {
				at[y.Name] = append(at[y.Name], y)
				if !stands(y, lines) {
					s.misplaced++
					if *listMisses > 0 && s.misplaced < *listMisses {
						t.Logf("%s:%d:%d: misplaced %q", p, y.NameLine, y.NameColumn, y.Name)
					}
				}
			}
			for _, g := range tags[p] {
				s.tags++
				found, odd := false, true
				for _, y := range at[g.Name] {
					clauses := lang == Elixir || lang == Haskell // one symbol for all of them
					if y.StartLine <= g.Line && g.Line <= y.NameLine || y.NameLine <= g.Line && g.Line <= y.NameLine+1 || clauses && y.Kind.IsFunction() {
						found = true
						if y.Kind.IsFunction() || y.Kind == Type {
							odd = false
						}
					}
				}
				if !found {
					s.missed++
					kindsMissed[string(lang)+" "+g.Kind]++
					if listed[lang]++; listed[lang] <= *listMisses {
						t.Logf("%s:%d: %s %s: %s", p, g.Line, g.Kind, g.Name, bytes.TrimSpace(lines[min(len(lines), g.Line)-1]))
					}
				} else if odd && (g.Kind == "function" || g.Kind == "method") {
					s.odd++
					if *listMisses > 0 && s.odd < *listMisses {
						t.Logf("%s:%d: odd %s %s is %s", p, g.Line, g.Kind, g.Name, at[g.Name][0].Kind)
					}
				}
			}
		}
	}
	for _, lang := range slices.Sorted(maps.Keys(scores)) {
		s := scores[lang]
		t.Logf("%-11s files %5d tags %6d missed %5d (%.1f in 1000) odd %4d symbols %6d misplaced %d partial %d", lang, s.files, s.tags, s.missed, 1000*float64(s.missed)/float64(max(1, s.tags)), s.odd, s.symbols, s.misplaced, s.partial)
	}
	for _, k := range slices.Sorted(maps.Keys(kindsMissed)) {
		t.Logf("  missed %s: %d", k, kindsMissed[k])
	}
}

var ctagsNames = map[Language]string{
	Bash: "Sh", C: "C", CPP: "C++", CSharp: "C#", Elixir: "Elixir", Go: "Go", Haskell: "Haskell", Java: "Java", JavaScript: "JavaScript",
	Kotlin: "Kotlin", Lua: "Lua", PHP: "PHP", Python: "Python", Ruby: "Ruby", Rust: "Rust", TypeScript: "TypeScript", TSX: "TypeScript",
}

var ctagsKinds = strings.Fields(`function method class struct interface trait enum object singletonMethod macro typedef union namespace module
	generator getter setter func type implementation enumerator record constructor callback protocol`)

// plain returns the name of a tag as symbols have it.
func plain(g tag) string {
	switch name := g.Name; g.Language {
	case "C++":
		if rest, ok := strings.CutPrefix(name, "operator "); ok && !isLetter(rest[0]) {
			return "operator" + rest
		}
		return name
	case "Ruby":
		return strings.TrimSuffix(name, "=")
	case "Lua":
		return name[strings.LastIndexAny(name, ".:")+1:]
	default:
		return name
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func ctagsOf(t *testing.T, files []string, langs map[string]Language) map[string][]tag {
	tags := map[string][]tag{}
	byName := map[string][]string{}
	for _, f := range files {
		byName[ctagsNames[langs[f]]] = append(byName[ctagsNames[langs[f]]], f)
	}
	for name, files := range byName {
		cmd := exec.Command("ctags", "--output-format=json", "--fields=+KlnrE", "--language-force="+name, "-o", "-", "-L", "-")
		cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err, errs.String())
		}
		sc := bufio.NewScanner(bytes.NewReader(out))
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			var g tag
			if err := json.Unmarshal(sc.Bytes(), &g); err != nil || g.Language != name {
				continue
			}
			if !slices.Contains(ctagsKinds, g.Kind) || strings.HasPrefix(g.Name, "__anon") || strings.HasPrefix(g.Name, "AnonymousFunction") {
				continue
			}
			g.Name = plain(g)
			tags[g.Path] = append(tags[g.Path], g)
		}
	}
	return tags
}
