package symbolname

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/text"
)

// Misspelled returns up to n symbols whose names are like a name that nothing has.
func Misspelled(ctx context.Context, x *index.Index, name string, n int) ([]index.Symbol, error) {
	// A misspelled name still begins as it should, more often than not.
	names := map[string]index.Symbol{}
	letters := []rune(name)
	for _, head := range []int{len(letters) * 2 / 3, len(letters) / 2, 2} {
		if head < 2 || head > len(letters) {
			continue
		}
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: string(letters[:head]), Match: index.Prefix, Limit: 2000})
		if err != nil {
			return nil, fmt.Errorf("symbolname: near symbols: %w", err)
		}
		for _, s := range list {
			if _, ok := names[s.Name]; !ok {
				names[s.Name] = s
			}
		}
		if len(names) > 200 {
			break
		}
	}
	var near []index.Symbol
	for _, c := range Near(name, slices.Sorted(maps.Keys(names)), n) {
		near = append(near, names[c])
	}
	return near, nil
}

// FilesNamed returns the files of a list that a text names by their path or the end of it, with
// either slash and perhaps a line behind it; whole is false if the text leaves out their extension.
func FilesNamed(name string, list []files.Entry) (found []string, whole bool) {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	if i := strings.LastIndexByte(name, ':'); i > 0 && strings.Trim(name[i+1:], "0123456789-") == "" {
		name = name[:i]
	}
	var stems []string
	for _, f := range list {
		rest, ok := strings.CutSuffix(f.Path, name)
		switch {
		case name == "" || strings.HasSuffix(name, "/"):
		case ok && rest == "":
			return []string{f.Path}, true
		case ok && strings.HasSuffix(rest, "/"):
			found = append(found, f.Path)
		default:
			stem := strings.TrimSuffix(f.Path, path.Ext(f.Path))
			if rest, ok := strings.CutSuffix(stem, name); ok && (rest == "" || strings.HasSuffix(rest, "/")) {
				stems = append(stems, f.Path)
			}
		}
	}
	if found == nil {
		return stems, false
	}
	return found, true
}

// Alike returns the symbols whose name is n in another spelling: with other case, other separators, or
// other parts around the innermost scope; if misspelled, with a letter or two more, less or changed.
func (n Name) Alike(ctx context.Context, x *index.Index, misspelled bool) ([]index.Symbol, error) {
	symbols := func(name string, m index.Match) ([]index.Symbol, error) {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Match: m, Limit: maxAlike})
		if err != nil {
			return nil, fmt.Errorf("symbolname: symbols like %q: %w", name, err)
		}
		return list, nil
	}
	var found []index.Symbol
	take := func(list []index.Symbol, fits func(*index.Symbol) bool) {
		for i := range list {
			if s := &list[i]; fits(s) && !slices.ContainsFunc(found, func(o index.Symbol) bool { return o.File == s.File && o.Start == s.Start }) {
				found = append(found, *s)
			}
		}
	}
	base := lettersOf(n.Base)
	if base == "" {
		return nil, nil
	}
	for _, m := range []index.Match{index.Fold, index.Subword} {
		list, err := symbols(n.Base, m)
		if err != nil {
			return nil, err
		}
		take(list, func(s *index.Symbol) bool { return lettersOf(s.Name) == base && n.within(s) })
	}
	if found != nil || !misspelled {
		return found, nil
	}
	if len(n.Scope) > 0 {
		list, err := symbols(n.Base, index.Exact)
		if err != nil {
			return nil, err
		}
		last := n.Scope[len(n.Scope)-1]
		take(list, func(s *index.Symbol) bool {
			parts := Parts(s.Scope)
			return len(parts) > 0 && misspells(last, parts[len(parts)-1])
		})
	}
	if found != nil {
		return found, nil
	}
	near, err := Misspelled(ctx, x, n.Base, 3)
	if err != nil {
		return nil, err
	}
	for i := range near {
		if !misspells(n.Base, near[i].Name) {
			continue
		}
		list, err := symbols(near[i].Name, index.Exact)
		if err != nil {
			return nil, err
		}
		take(list, n.within)
	}
	return found, nil
}

const maxAlike = 500

// within reports whether a symbol lies in the innermost scope that the name gives, in letters.
func (n Name) within(s *index.Symbol) bool {
	return len(n.Scope) == 0 || n.Likeness(s) >= len([]rune(lettersOf(n.Scope[len(n.Scope)-1])))
}

// misspells reports whether a name may be another one with a slip of the fingers or an ending too much.
func misspells(asked, name string) bool {
	asked, name = strings.ToLower(asked), strings.ToLower(name)
	size, limit := utf8.RuneCountInString(asked), 2
	switch {
	case size < 5 || size > maxNear:
		return false
	case size < 10:
		limit = 1
	}
	length := utf8.RuneCountInString(name)
	pattern := text.NewPattern(asked)
	pattern.Swaps = true
	return abs(length-size) <= limit && pattern.Distance(name, length, limit) <= limit
}
