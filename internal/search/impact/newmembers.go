package impact

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

// A member that a type gets and nothing else touches is no change to the users of the type:
// nobody refers to it yet. What it may meet are methods of its name in types below and above.

// bindsUsers reports whether what is added to a symbol of a kind binds those who have to do
// with it: who implements an interface must follow, and who switches over an enumeration.
func bindsUsers(k syntax.Kind) bool {
	return k == syntax.Interface || k == syntax.Trait || k == syntax.Enum
}

var identifier = lazyregexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*[?!]?$`)

// memberOf takes "Type.member" apart; false if a name is none, or one of a file.
func memberOf(name string) (owner, member string, ok bool) {
	name = strings.TrimSuffix(name, "()")
	i := strings.LastIndexAny(name, ".:#>")
	if i <= 0 || syntax.Detect(name, nil) != syntax.Unknown {
		return "", "", false
	}
	owner, member = strings.TrimRight(name[:i], ".:#-"), name[i+1:]
	return owner, member, owner != "" && identifier.MatchString(member)
}

// ownerToBe takes "Type.member" for a member that is still to be written, if there is one
// type of the name.
func (r *run) ownerToBe(target string) (bool, error) {
	owner, name, ok := memberOf(target)
	if !ok {
		return false, nil
	}
	found, err := r.a.e.Definitions(r.ctx, search.DefinitionsQuery{Symbol: owner, ExactMatch: true,
		Page: search.Page{Limit: 1}})
	if err != nil {
		return false, err
	}
	types := slices.DeleteFunc(found.Symbols(maxFollowed), func(s index.Symbol) bool { return !s.Kind.HasMembers() })
	if len(types) != 1 {
		return false, nil
	}
	return true, r.addMember(target, &types[0], name)
}

// addMember takes what a type has of a name further inside, as the members of its enumerations;
// else a member that it is to get, and says which of its own a misspelled name may mean.
func (r *run) addMember(target string, owner *index.Symbol, name string) error {
	all, err := r.a.x.Symbols(r.ctx, index.SymbolQuery{Name: name, Language: owner.Language})
	if err != nil {
		return fmt.Errorf("impact: symbols: %w", err)
	}
	within := qualified(owner) + "."
	inner := slices.DeleteFunc(all, func(s index.Symbol) bool {
		return !strings.HasPrefix(s.Scope, within) || path.Dir(s.File) != path.Dir(owner.File)
	})
	if len(inner) > 0 {
		r.addSymbols(target, inner)
		return nil
	}
	near, err := symbolname.Misspelled(r.ctx, r.a.x, name, 3)
	if err != nil {
		return err
	}
	for _, s := range near {
		if s.Scope == qualified(owner) {
			r.notes = append(r.notes, msg.New("search.near_symbol", qualified(&s), s.Kind,
				fmt.Sprintf("%s:%d", s.File, s.NameLine)))
		}
	}
	r.addNewMember(target, owner, name)
	return nil
}

// addNewMember takes a member that a type is to get for a target.
func (r *run) addNewMember(target string, owner *index.Symbol, name string) {
	if bindsUsers(owner.Kind) {
		r.addSymbols(target, []index.Symbol{*owner})
		return
	}
	s := *owner
	s.Name, s.Scope, s.Kind = name, qualified(owner), syntax.Method
	r.added = append(r.added, s)
	r.targets = append(r.targets, Target{
		Target: target, Kind: newMember, Places: []string{fmt.Sprintf("%s:%d-%d", owner.File, owner.StartLine, owner.EndLine)},
	})
}

// Touched returns the symbols, tests aside, that differ from those of the commit of a diff or
// are gone, and the files that refer to them.
func (a *Answer) Touched() (symbols, files []string) {
	for _, c := range a.Changes {
		for _, s := range c.Symbols {
			if s.Change != added && !search.TestFile(c.File) {
				symbols = append(symbols, s.Name)
			}
		}
	}
	files = slices.Clone(a.must)
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Rule == removedInUse && !search.TestFile(f.File) && !slices.Contains(files, f.File) {
			files = append(files, f.File)
		}
	}
	return symbols, files
}
