package symbolname

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
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
