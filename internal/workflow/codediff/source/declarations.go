package source

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/syntax"
)

// OnlyCallee reports whether a call is what another one calls: test.each([…])("…").
func (s *Source) OnlyCallee(node int32) bool { return s.Tree.FieldName(node) == "function" }

// Attributes returns where the attributes in front of a Rust function begin.
func (s *Source) Attributes(node int32) int {
	start := int(s.Tree.Nodes[node].Start)
	parent := s.Tree.Parent(node)
	for c := range s.Children(parent) {
		if c >= node {
			break
		}
		if k := s.Tree.Kind(c); k == "attribute_item" || k == "unary_operator" && s.Spec.Comparing.Calls ||
			strings.Contains(k, "comment") {
			start = min(start, int(s.Tree.Nodes[c].Start))
		} else {
			start = int(s.Tree.Nodes[node].Start)
		}
	}
	return start
}

// containers are parts of the kinds of nodes that contain declarations and are none themselves,
// or not only.
var containers = []string{"class", "interface", "trait", "impl_item", "namespace", "mod_item", "internal_module", "module",
	"declaration_list", "export_statement", "decorated_definition", "template_declaration", "linkage_specification",
	"object_declaration", "companion_object", "body_statement", "singleton_class", "enum_body", "interface_body", "record_declaration"}

func (s *Source) IsContainer(node int32) bool {
	kind := s.Tree.Kind(node)
	if s.Spec.Comparing.Calls {
		return s.defines(node) || kind == "do_block" && s.defines(s.Tree.Parent(node))
	}
	if kind == "block" {
		return strings.Contains(s.Tree.Kind(s.Tree.Parent(node)), "class")
	}
	return !strings.Contains(kind, "class_literal") && slices.ContainsFunc(containers,
		func(part string) bool { return strings.Contains(kind, part) })
}

// NameOf returns the name of a declaration, or "".
func (s *Source) NameOf(node int32) string {
	if s.Tree.Function(node) {
		return s.Tree.FunctionName(node)
	}
	if c := s.Tree.Field(node, "name"); c >= 0 {
		return s.Tree.Text(c)
	}
	return ""
}

func (s *Source) HasModifier(node int32, word string) bool {
	for c := range s.Children(node) {
		if k := s.Tree.Kind(c); strings.Contains(k, "modifier") && slices.Contains(strings.Fields(s.Tree.Text(c)), word) {
			return true
		}
	}
	return false
}

// Annotated reports whether a declaration carries annotations.
func (s *Source) Annotated(node int32) bool {
	if node < 0 {
		return false
	}
	body := s.Tree.Field(node, "body")
	for i := node + 1; i < s.Tree.Nodes[node].Next && i != body; i++ {
		switch k := s.Tree.Kind(i); {
		case strings.Contains(k, "annotation") && k != "type_annotation" || k == "attribute_list" || k == "decorator":
			return true
		case strings.Contains(k, "body") || k == "block" || k == "declaration_list":
			return false
		}
	}
	return false
}

// ClassAround returns the class around a node, or -1.
func (s *Source) ClassAround(node int32) int32 {
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		if k := s.Tree.Kind(p); strings.Contains(k, "class_") && !strings.Contains(k, "body") {
			return p
		}
	}
	return -1
}

// DeclaredName returns the name that a declaration declares, or "" if there are several.
func (s *Source) DeclaredName(node int32) string {
	if name := s.NameOf(node); name != "" {
		return name
	}
	if n := s.Tree.Field(node, "type"); n >= 0 && s.Tree.Kind(node) == "type_alias" {
		return s.Tree.Text(n)
	}
	if n := s.Tree.Field(node, "declarator"); n >= 0 && s.Tree.Kind(node) == "type_definition" {
		return s.Tree.Text(n)
	}
	name := ""
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		if k := s.Tree.Kind(i); k != "variable_declarator" && k != "variable_declaration" {
			continue
		}
		n := s.Tree.Field(i, "name")
		if n < 0 && s.Lang == syntax.Kotlin {
			n = s.NthChild(i, 0)
		}
		if n < 0 {
			continue
		}
		if name != "" {
			return ""
		}
		name = s.Tree.Text(n)
	}
	return name
}

// CountName counts how often a name occurs in a node, outside of comments.
func (s *Source) CountName(node int32, name string) int {
	n := s.Tree.Nodes[node]
	return CountWord(string(s.WithoutComments()[n.Start:n.End]), name)
}

func (s *Source) WithoutComments() []byte {
	if s.uncommented == nil {
		s.uncommented = s.Blanked(func([]byte) bool { return true })
	}
	return s.uncommented
}

// Blanked returns the text with spaces in place of some of its comments.
func (s *Source) Blanked(some func(comment []byte) bool) []byte {
	text := bytes.Clone(s.Src)
	for i := range s.Tree.Nodes {
		if c := s.Tree.Nodes[i]; strings.Contains(s.Tree.Kind(int32(i)), "comment") && some(text[c.Start:c.End]) {
			copy(text[c.Start:c.End], bytes.Repeat([]byte(" "), int(c.End-c.Start)))
		}
	}
	return text
}

// property returns the sides of a property of Kotlin that is given a value.
func (s *Source) property(node int32) (left, right int32, ok bool) {
	left, right = -1, -1
	for c := range s.Children(node) {
		switch k := s.Tree.Kind(c); {
		case k == "variable_declaration":
			left = s.NthChild(c, 0)
		case left >= 0 && k != "getter" && k != "setter":
			right = c
		}
	}
	return left, right, left >= 0 && right >= 0
}

func (s *Source) LastChild(node int32) int32 {
	last := int32(-1)
	for c := range s.Children(node) {
		last = c
	}
	return last
}

// CatchesAll reports whether a handler is for whatever goes wrong.
func (s *Source) CatchesAll(handler int32) bool {
	text := s.Tree.Text(handler)
	head, rest, _ := strings.Cut(text, "\n")
	if s.Spec.Comparing.Calls {
		return !strings.Contains(rest, " in ") || strings.Contains(rest, "AssertionError")
	}
	return catchesAll.MatchString(head)
}
