package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// A program is a row of rules with names resolved to ids, made for the hot
// loop: tables by kind id, no maps, no strings.
type program struct {
	*Rules
	Grammar *treesitter.Grammar
	keep    []treesitter.Keep
	kinds   int // real ones, then those made by splits
	fields  int

	Info   []kindInfo // by kind
	uses   []Use      // by kind*fields + field
	decls  []*CompiledDecl
	Labels []string // names of kinds, split ones too

	BuiltinNames []string
}

// What a node of some kind asks of the walker.
const (
	IsName uint16 = 1 << iota
	IsPlain
	isComment
	isDecorator
	isWrapper
	isOpen
	hasSplit
	hasDecl
	hasScope
	hasHook
	hasChildUses
	special = isComment | isDecorator | hasSplit | hasDecl | hasScope | hasHook
)

type kindInfo struct {
	Flags     uint16
	name      Use    // for isName
	qualifier uint16 // field of the text before the dot in a node of this kind, 0 for none
	path      uint16 // field of the part that counts where such a node is a qualifier, 0 for none
	scope     Scope
	decl      int16 // index in decls
	splits    []splitTo
	childUses []childUse
	hook      func(w *Walker, node int32)
}

type splitTo struct{ child, kind uint16 }

type childUse struct {
	kind uint16
	use  Use
}

type CompiledDecl struct {
	*Decl
	name, BodyField uint16
	bodyKinds       []uint16
	under           []underKind
	whole           []uint16
	first           []uint16
}

type underKind struct {
	parent uint16
	kind   Kind
}

// compiler collects everything that is wrong with a row, not only the first.
type compiler struct {
	*program
	split map[string][]uint16 // ids of split kinds
	errs  []error
}

func (c *compiler) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("syntax: "+c.Rules.Grammar+": "+format, args...))
}

func compile(r *Rules) (*program, error) {
	g, ok := treesitter.Lookup(r.Grammar)
	if !ok {
		return nil, fmt.Errorf("syntax: no grammar %q", r.Grammar)
	}
	c := &compiler{program: &program{Rules: r, Grammar: g, fields: g.Fields(),
		BuiltinNames: strings.Fields(r.Builtins)}, split: make(map[string][]uint16)}
	for i := range uint16(g.Kinds()) {
		c.Labels = append(c.Labels, g.KindName(i))
	}
	c.keepTable()
	c.makeSplits()
	c.kinds = len(c.Labels)
	c.Info = make([]kindInfo, c.kinds)
	c.splitTables()
	c.useTable()
	c.declTable()
	c.compileMarks()
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return c.program, nil
}

// byWord returns what each word of a table is listed under.
func byWord[K comparable](c *compiler, table map[K]string) map[string]K {
	of := map[string]K{}
	for key, words := range table {
		for word := range strings.FieldsSeq(words) {
			if _, twice := of[word]; twice {
				c.fail("%q is listed twice", word)
			}
			of[word] = key
		}
	}
	return of
}

// ids resolves a kind, a token or a split kind.
func (c *compiler) ids(name string) []uint16 {
	if ids := c.split[name]; ids != nil {
		return ids
	}
	ids := c.Grammar.KindIDs(name)
	if ids == nil {
		c.fail("no kind %q", name)
	}
	return ids
}

// idsOf resolves a list of such names.
func (c *compiler) idsOf(names string) []uint16 {
	var ids []uint16
	for name := range strings.FieldsSeq(names) {
		ids = append(ids, c.ids(name)...)
	}
	return ids
}

// kindFamily resolves a kind together with the kinds split from it.
func (c *compiler) kindFamily(name string) []uint16 {
	ids := slices.Clone(c.ids(name))
	for label, id := range c.split {
		if strings.HasPrefix(label, name+":") {
			ids = append(ids, id...)
		}
	}
	return ids
}

func (c *compiler) fieldID(name string) uint16 {
	id := c.Grammar.FieldID(name)
	if id == 0 {
		c.fail("no field %q", name)
	}
	return id
}

// keepTable drops what no rule looks at, so that the tree stays small.
func (c *compiler) keepTable() {
	c.keep = c.Grammar.NewKeep()
	for id := range c.keep {
		if !c.Grammar.KindNamed(uint16(id)) {
			c.keep[id] = treesitter.KeepNothing
		}
	}
	c.keepKinds(c.Transient, treesitter.KeepChildren)
	c.keepKinds(c.Skip, treesitter.KeepNothing)
	c.keepKinds(c.Leaves, treesitter.KeepLeaf)
	for _, s := range c.Splits {
		for _, child := range s.By {
			for _, id := range c.ids(child) {
				if !c.Grammar.KindNamed(id) {
					c.keep[id] = treesitter.KeepNode
				}
			}
		}
	}
}

// keepKinds enters what is kept of some kinds.
func (c *compiler) keepKinds(kinds string, k treesitter.Keep) {
	for name := range strings.FieldsSeq(kinds) {
		prefix, many := strings.CutSuffix(name, "*")
		if !many {
			for _, id := range c.ids(name) {
				c.keep[id] = k
			}
			continue
		}
		for id, label := range c.Labels {
			if strings.HasPrefix(label, prefix) {
				c.keep[id] = k
			}
		}
	}
}

func (c *compiler) makeSplits() {
	for _, s := range c.Splits {
		for node := range strings.FieldsSeq(s.Node) {
			for _, child := range s.By {
				label := node + ":" + child
				c.split[label] = []uint16{uint16(len(c.Labels))}
				c.Labels = append(c.Labels, label)
			}
		}
	}
}

func (c *compiler) splitTables() {
	for _, s := range c.Splits {
		for node := range strings.FieldsSeq(s.Node) {
			for _, id := range c.ids(node) {
				c.splitKind(id, node, s.By)
			}
		}
	}
}

// splitKind enters the kinds that are split from one kind.
func (c *compiler) splitKind(id uint16, node string, by []string) {
	for _, child := range by {
		to := c.split[node+":"+child][0]
		for _, childID := range c.ids(child) {
			c.Info[id].splits = append(c.Info[id].splits, splitTo{childID, to})
		}
	}
	c.Info[id].Flags |= hasSplit
}

// useTable spells flow out. A split kind begins with what its kind has.
func (c *compiler) useTable() {
	c.uses = make([]Use, c.kinds*c.fields)
	explicit := make([]bool, len(c.uses))
	fill := func(kind uint16, u Use) {
		for f := range c.fields {
			if at := int(kind)*c.fields + f; !explicit[at] {
				c.uses[at] = u
			}
		}
	}
	if c.Sticky {
		for kind := range c.kinds {
			fill(uint16(kind), StickyRead)
		}
	}
	for _, name := range strings.Fields(c.Through) {
		for _, id := range c.kindFamily(name) {
			fill(id, HandOn)
		}
	}
	// Wide places first: what is split from a kind after the kind, fields after
	// the whole, so that the narrower entry overwrites.
	flow := byWord(c, c.Flow)
	keys := slices.SortedFunc(maps.Keys(flow), func(a, b string) int {
		return 10*(strings.Count(a, ":")-strings.Count(b, ":")) + strings.Count(a, ".") - strings.Count(b, ".")
	})
	for _, key := range keys {
		u := flow[key]
		if kind, child, ok := strings.Cut(key, ">"); ok {
			for _, id := range c.kindFamily(kind) {
				for _, childID := range c.ids(child) {
					c.Info[id].childUses = append(c.Info[id].childUses, childUse{childID, u})
				}
				c.Info[id].Flags |= hasChildUses
			}
			continue
		}
		kind, fieldName := key, ""
		if dot := strings.LastIndexByte(key, '.'); dot >= 0 { // a token that splits a kind may be a dot
			kind, fieldName = key[:dot], key[dot+1:]
		}
		for _, id := range c.kindFamily(kind) {
			if fieldName == "" {
				fill(id, u)
				continue
			}
			at := int(id)*c.fields + int(c.fieldID(fieldName))
			c.uses[at], explicit[at] = u, true
		}
	}
}

func (c *compiler) declTable() {
	for i := range c.Rules.Decls {
		d := &c.Rules.Decls[i]
		cd := &CompiledDecl{Decl: d}
		if d.Name != "" {
			cd.name = c.fieldID(d.Name)
		}
		if d.Body != "" {
			cd.BodyField = c.Grammar.FieldID(d.Body)
			cd.bodyKinds = c.Grammar.KindIDs(d.Body)
			if cd.BodyField == 0 && cd.bodyKinds == nil {
				c.fail("%s: no field or kind %q", d.Node, d.Body)
			}
		}
		for parent, kind := range d.Under {
			for _, id := range c.kindFamily(parent) {
				cd.under = append(cd.under, underKind{id, kind})
			}
		}
		for _, child := range strings.Fields(d.First) {
			cd.first = append(cd.first, c.kindFamily(child)...)
		}
		for _, parent := range strings.Fields(d.Whole) {
			cd.whole = append(cd.whole, c.kindFamily(parent)...)
		}
		c.decls = append(c.decls, cd)
		for _, id := range c.idsOf(d.Node) {
			if c.Info[id].Flags&hasDecl != 0 {
				c.fail("%s: declared twice", d.Node)
			}
			c.Info[id].Flags |= hasDecl
			c.Info[id].decl = int16(len(c.decls) - 1)
			if d.Name != "" {
				c.uses[int(id)*c.fields+int(cd.name)] = AsName
			}
		}
	}
}

func (c *compiler) compileMarks() {
	mark := func(kinds string, flag uint16) {
		for _, name := range strings.Fields(kinds) {
			for _, id := range c.kindFamily(name) {
				c.Info[id].Flags |= flag
			}
		}
	}
	mark(c.Comments, isComment)
	mark(c.Decorators, isDecorator)
	mark(c.Wrappers, isWrapper)
	mark(c.Open, isOpen)
	mark(c.Plain, IsPlain)
	for name, u := range byWord(c, c.Rules.Names) {
		for _, id := range c.ids(name) {
			c.Info[id].Flags |= IsName | IsPlain
			c.Info[id].name = u
		}
	}
	for name, s := range byWord(c, c.Scopes) {
		for _, id := range c.kindFamily(name) {
			c.Info[id].Flags |= hasScope
			c.Info[id].scope = s
		}
	}
	for name, hook := range c.Hooks {
		for _, id := range c.kindFamily(name) {
			c.Info[id].Flags |= hasHook
			c.Info[id].hook = hook
		}
	}
	for _, pair := range strings.Fields(c.Qualifiers) {
		kind, fieldName, _ := strings.Cut(pair, ".")
		for _, id := range c.kindFamily(kind) {
			c.Info[id].qualifier = c.fieldID(fieldName)
		}
	}
	for _, pair := range strings.Fields(c.Paths) {
		kind, fieldName, _ := strings.Cut(pair, ".")
		for _, id := range c.kindFamily(kind) {
			c.Info[id].path = c.fieldID(fieldName)
		}
	}
}
