package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// A program is a row of rules with names resolved to ids, made for the hot
// loop: tables by kind id, no maps, no strings.
type program struct {
	*rules
	grammar *treesitter.Grammar
	keep    []treesitter.Keep
	kinds   int // real ones, then those made by splits
	fields  int

	info   []kindInfo // by kind
	uses   []use      // by kind*fields + field
	decls  []*compiledDecl
	labels []string // names of kinds, split ones too

	builtinNames []string
}

// What a node of some kind asks of the walker.
const (
	isName uint16 = 1 << iota
	isPlain
	isComment
	isLead
	isWrapper
	isOpen
	hasSplit
	hasDecl
	hasScope
	hasHook
	hasChildUses
	special = isComment | isLead | hasSplit | hasDecl | hasScope | hasHook
)

type kindInfo struct {
	flags     uint16
	name      use    // for isName
	qualifier uint16 // field of the text before the dot in a node of this kind, 0 for none
	path      uint16 // field of the part that counts where such a node is a qualifier, 0 for none
	scope     scope
	decl      int16 // index in decls
	splits    []splitTo
	childUses []childUse
	hook      func(w *walker, node int32)
}

type splitTo struct{ child, kind uint16 }

type childUse struct {
	kind uint16
	use  use
}

type compiledDecl struct {
	*decl
	name, bodyField uint16
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
	c.errs = append(c.errs, fmt.Errorf("syntax: "+c.rules.grammar+": "+format, args...))
}

func compile(r *rules) (*program, error) {
	g, ok := treesitter.Lookup(r.grammar)
	if !ok {
		return nil, fmt.Errorf("syntax: no grammar %q", r.grammar)
	}
	c := &compiler{program: &program{rules: r, grammar: g, fields: g.Fields(), builtinNames: strings.Fields(r.builtins)}, split: make(map[string][]uint16)}
	for i := range uint16(g.Kinds()) {
		c.labels = append(c.labels, g.KindName(i))
	}
	c.keepTable()
	c.makeSplits()
	c.kinds = len(c.labels)
	c.info = make([]kindInfo, c.kinds)
	c.splitTables()
	c.useTable()
	c.declTable()
	c.marks()
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return c.program, nil
}

// ids resolves a kind, a token or a split kind.
func (c *compiler) ids(name string) []uint16 {
	if ids := c.split[name]; ids != nil {
		return ids
	}
	ids := c.grammar.KindIDs(name)
	if ids == nil {
		c.fail("no kind %q", name)
	}
	return ids
}

// family resolves a kind together with the kinds split from it.
func (c *compiler) family(name string) []uint16 {
	ids := slices.Clone(c.ids(name))
	for label, id := range c.split {
		if strings.HasPrefix(label, name+":") {
			ids = append(ids, id...)
		}
	}
	return ids
}

func (c *compiler) fieldID(name string) uint16 {
	id := c.grammar.FieldID(name)
	if id == 0 {
		c.fail("no field %q", name)
	}
	return id
}

// keepTable drops what no rule looks at, so that the tree stays small.
func (c *compiler) keepTable() {
	c.keep = c.grammar.NewKeep()
	for id := range c.keep {
		if !c.grammar.KindNamed(uint16(id)) {
			c.keep[id] = treesitter.KeepNothing
		}
	}
	set := func(kinds string, k treesitter.Keep) {
		for _, name := range strings.Fields(kinds) {
			prefix, many := strings.CutSuffix(name, "*")
			if many {
				for id, label := range c.labels {
					if strings.HasPrefix(label, prefix) {
						c.keep[id] = k
					}
				}
				continue
			}
			for _, id := range c.ids(name) {
				c.keep[id] = k
			}
		}
	}
	set(c.transient, treesitter.KeepChildren)
	set(c.skip, treesitter.KeepNothing)
	set(c.leaves, treesitter.KeepLeaf)
	for _, s := range c.splits {
		for _, child := range s.by {
			for _, id := range c.ids(child) {
				if !c.grammar.KindNamed(id) {
					c.keep[id] = treesitter.KeepNode
				}
			}
		}
	}
}

func (c *compiler) makeSplits() {
	for _, s := range c.splits {
		for _, child := range s.by {
			label := s.node + ":" + child
			c.split[label] = []uint16{uint16(len(c.labels))}
			c.labels = append(c.labels, label)
		}
	}
}

func (c *compiler) splitTables() {
	for _, s := range c.splits {
		for _, id := range c.ids(s.node) {
			for _, child := range s.by {
				to := c.split[s.node+":"+child][0]
				for _, childID := range c.ids(child) {
					c.info[id].splits = append(c.info[id].splits, splitTo{childID, to})
				}
			}
			c.info[id].flags |= hasSplit
		}
	}
}

// useTable spells flow out. A split kind begins with what its kind has.
func (c *compiler) useTable() {
	c.uses = make([]use, c.kinds*c.fields)
	explicit := make([]bool, len(c.uses))
	fill := func(kind uint16, u use) {
		for f := range c.fields {
			if at := int(kind)*c.fields + f; !explicit[at] {
				c.uses[at] = u
			}
		}
	}
	if c.sticky {
		for kind := range c.kinds {
			fill(uint16(kind), stickyRead)
		}
	}
	for _, name := range strings.Fields(c.through) {
		for _, id := range c.family(name) {
			fill(id, handOn)
		}
	}
	// Wide places first: what is split from a kind after the kind, fields after
	// the whole, so that the narrower entry overwrites.
	keys := make([]string, 0, len(c.flow))
	for key := range c.flow {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return 10*(strings.Count(a, ":")-strings.Count(b, ":")) + strings.Count(a, ".") - strings.Count(b, ".")
	})
	for _, key := range keys {
		u := c.flow[key]
		if kind, child, ok := strings.Cut(key, ">"); ok {
			for _, id := range c.family(kind) {
				for _, childID := range c.ids(child) {
					c.info[id].childUses = append(c.info[id].childUses, childUse{childID, u})
				}
				c.info[id].flags |= hasChildUses
			}
			continue
		}
		kind, fieldName := key, ""
		if dot := strings.LastIndexByte(key, '.'); dot >= 0 { // a token that splits a kind may be a dot
			kind, fieldName = key[:dot], key[dot+1:]
		}
		for _, id := range c.family(kind) {
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
	for i := range c.rules.decls {
		d := &c.rules.decls[i]
		cd := &compiledDecl{decl: d}
		if d.name != "" {
			cd.name = c.fieldID(d.name)
		}
		if d.body != "" {
			cd.bodyField = c.grammar.FieldID(d.body)
			cd.bodyKinds = c.grammar.KindIDs(d.body)
			if cd.bodyField == 0 && cd.bodyKinds == nil {
				c.fail("%s: no field or kind %q", d.node, d.body)
			}
		}
		for parent, kind := range d.under {
			for _, id := range c.family(parent) {
				cd.under = append(cd.under, underKind{id, kind})
			}
		}
		for _, child := range strings.Fields(d.first) {
			cd.first = append(cd.first, c.family(child)...)
		}
		for _, parent := range strings.Fields(d.whole) {
			cd.whole = append(cd.whole, c.family(parent)...)
		}
		c.decls = append(c.decls, cd)
		for _, id := range c.ids(d.node) {
			if c.info[id].flags&hasDecl != 0 {
				c.fail("%s: declared twice", d.node)
			}
			c.info[id].flags |= hasDecl
			c.info[id].decl = int16(len(c.decls) - 1)
			if d.name != "" {
				c.uses[int(id)*c.fields+int(cd.name)] = asName
			}
		}
	}
}

func (c *compiler) marks() {
	mark := func(kinds string, flag uint16) {
		for _, name := range strings.Fields(kinds) {
			for _, id := range c.family(name) {
				c.info[id].flags |= flag
			}
		}
	}
	mark(c.comments, isComment)
	mark(c.leads, isLead)
	mark(c.wrappers, isWrapper)
	mark(c.open, isOpen)
	mark(c.plain, isPlain)
	for name, u := range c.rules.names {
		for _, id := range c.ids(name) {
			c.info[id].flags |= isName | isPlain
			c.info[id].name = u
		}
	}
	for name, s := range c.scopes {
		for _, id := range c.family(name) {
			c.info[id].flags |= hasScope
			c.info[id].scope = s
		}
	}
	for name, hook := range c.hooks {
		for _, id := range c.family(name) {
			c.info[id].flags |= hasHook
			c.info[id].hook = hook
		}
	}
	for _, pair := range strings.Fields(c.qualifiers) {
		kind, fieldName, _ := strings.Cut(pair, ".")
		for _, id := range c.family(kind) {
			c.info[id].qualifier = c.fieldID(fieldName)
		}
	}
	for _, pair := range strings.Fields(c.paths) {
		kind, fieldName, _ := strings.Cut(pair, ".")
		for _, id := range c.family(kind) {
			c.info[id].path = c.fieldID(fieldName)
		}
	}
}
