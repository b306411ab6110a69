// Package golang parses a Go file with Go's own parser, in a tenth of the time that the
// tree-sitter grammar takes. It builds those parts of the grammar's tree that the rules of Go
// look at.
package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"sync"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
)

// Go files are read with Go's own parser, which takes a tenth of the time that a
// grammar does. What it finds is laid out as the tree that goRules are written
// for, so that one walker says what names mean whoever parsed them. Nodes that
// no rule looks at are left out, and their children take their field.
//
// A text that the parser refuses is the grammar's, which reads around errors.
// So is one that is nested deeper than code ever is.
//
// Some texts have two readings that only types could tell apart. The grammar
// takes now one, now the other; here a[b](c) is a call of a with the type b
// unless b is a local, (*a[b])(c) converts, and any other a[b] is an element.

// MaxDepth bounds recursion. The parser itself recurses up to 100,000 levels of
// about a kilobyte, so brackets are counted before it is asked.
const MaxDepth = 2000

// A goKind is a kind of node that goRules know.
type goKind uint8

const (
	goSourceFile goKind = iota
	goComment
	goPackageClause
	goImportDeclaration
	goImportSpec
	goDot
	goBlank
	goPackageName
	goRawString
	goString
	goConstDeclaration
	goConstSpec
	goVarDeclaration
	goVarSpecList
	goVarSpec
	goTypeDeclaration
	goTypeSpec
	goTypeAlias
	goTypeParameters
	goTypeParameter
	goFunction
	goMethod
	goParameters
	goParameter
	goVariadic
	goStruct
	goFields
	goFieldDeclaration
	goInterface
	goMethodElem
	goName
	goTypeName
	goFieldName
	goQualifiedType
	goPointerType
	goParenthesizedType
	goGenericType
	goTypeArguments
	goArrayType
	goImplicitArrayType
	goSliceType
	goNegatedType
	goMapType
	goChannelType
	goFunctionType
	goFuncLiteral
	goBlock
	goIf
	goFor
	goRange
	goSwitch
	goTypeSwitch
	goCase
	goTypeCase
	goDefaultCase
	goCommunicationCase
	goReceive
	goAssignment
	goShortVar
	goDefine
	goIncrement
	goDecrement
	goCall
	goConversion
	goInstantiation
	goSelector
	goIndex
	goSlice
	goAssertion
	goComposite
	goLiteralValue
	goKeyed
	goUnary
	goBinary
	goParenthesized
	goKinds
)

var goKindNames = [goKinds]string{
	goSourceFile: "source_file", goComment: "comment", goPackageClause: "package_clause",
	goImportDeclaration: "import_declaration", goImportSpec: "import_spec", goDot: "dot", goBlank: "blank_identifier",
	goPackageName: "package_identifier", goRawString: "raw_string_literal", goString: "interpreted_string_literal",
	goConstDeclaration: "const_declaration", goConstSpec: "const_spec",
	goVarDeclaration: "var_declaration", goVarSpecList: "var_spec_list", goVarSpec: "var_spec",
	goTypeDeclaration: "type_declaration", goTypeSpec: "type_spec", goTypeAlias: "type_alias",
	goTypeParameters: "type_parameter_list", goTypeParameter: "type_parameter_declaration",
	goFunction: "function_declaration", goMethod: "method_declaration",
	goParameters: "parameter_list", goParameter: "parameter_declaration", goVariadic: "variadic_parameter_declaration",
	goStruct: "struct_type", goFields: "field_declaration_list", goFieldDeclaration: "field_declaration",
	goInterface: "interface_type", goMethodElem: "method_elem",
	goName: "identifier", goTypeName: "type_identifier", goFieldName: "field_identifier",
	goQualifiedType: "qualified_type", goPointerType: "pointer_type", goParenthesizedType: "parenthesized_type",
	goGenericType: "generic_type", goTypeArguments: "type_arguments", goArrayType: "array_type",
	goImplicitArrayType: "implicit_length_array_type", goSliceType: "slice_type", goNegatedType: "negated_type",
	goMapType: "map_type", goChannelType: "channel_type", goFunctionType: "function_type", goFuncLiteral: "func_literal",
	goBlock: "block", goIf: "if_statement", goFor: "for_statement", goRange: "range_clause",
	goSwitch: "expression_switch_statement", goTypeSwitch: "type_switch_statement", goCase: "expression_case",
	goTypeCase: "type_case", goDefaultCase: "default_case", goCommunicationCase: "communication_case",
	goReceive: "receive_statement", goAssignment: "assignment_statement", goShortVar: "short_var_declaration", goDefine: ":=",
	goIncrement: "inc_statement", goDecrement: "dec_statement",
	goCall: "call_expression", goConversion: "type_conversion_expression", goInstantiation: "type_instantiation_expression",
	goSelector: "selector_expression", goIndex: "index_expression", goSlice: "slice_expression",
	goAssertion: "type_assertion_expression", goComposite: "composite_literal", goLiteralValue: "literal_value",
	goKeyed: "keyed_element", goUnary: "unary_expression", goBinary: "binary_expression",
	goParenthesized: "parenthesized_expression",
}

// A goField is a field that goRules know.
type goField uint8

const (
	noField goField = iota
	fieldName
	fieldPath
	fieldType
	fieldTypeParameters
	fieldTypeArguments
	fieldParameters
	fieldReceiver
	fieldResult
	fieldBody
	fieldValue
	fieldKey
	fieldLength
	fieldElement
	fieldPackage
	fieldLeft
	fieldRight
	fieldOperand
	fieldField
	fieldIndex
	fieldFunction
	fieldArguments
	fieldInitializer
	fieldCondition
	fieldUpdate
	fieldAlternative
	fieldAlias
	fieldCommunication
	goFieldCount
)

var goFieldNames = [goFieldCount]string{
	fieldName: "name", fieldPath: "path", fieldType: "type", fieldTypeParameters: "type_parameters",
	fieldTypeArguments: "type_arguments", fieldParameters: "parameters", fieldReceiver: "receiver", fieldResult: "result",
	fieldBody: "body", fieldValue: "value", fieldKey: "key", fieldLength: "length", fieldElement: "element",
	fieldPackage: "package", fieldLeft: "left", fieldRight: "right", fieldOperand: "operand", fieldField: "field",
	fieldIndex: "index", fieldFunction: "function", fieldArguments: "arguments", fieldInitializer: "initializer",
	fieldCondition: "condition", fieldUpdate: "update", fieldAlternative: "alternative", fieldAlias: "alias",
	fieldCommunication: "communication",
}

// goIDs are the ids of the above in the grammar.
type goIDs struct {
	kinds  [goKinds]uint16
	fields [goFieldCount]uint16
}

var goIDsOf = sync.OnceValue(func() *goIDs {
	g, _ := treesitter.Lookup("go")
	ids := new(goIDs)
	for k, name := range goKindNames {
		ids.kinds[k] = g.KindIDs(name)[0]
	}
	for f, name := range goFieldNames {
		ids.fields[f] = g.FieldID(name)
	}
	return ids
})

// A goTree lays a parsed file out as the nodes of a tree, in order.
type goTree struct {
	*goIDs
	src      []byte
	base     token.Pos // of the first byte
	lines    []int     // by row: byte where it starts
	row      int       // of the last place that was looked up
	nodes    []treesitter.Node
	parent   int32
	imports  []*ast.ImportSpec
	comments []*ast.CommentGroup
	comment  int // the next one in the first of comments
	depth    int
}

var goTrees = sync.Pool{New: func() any { return new(goTree) }}

// tooMuch is what the builder panics with when the source nests too deep, or holds too
// many nodes.
type tooMuch struct{}

// Read calls walk with the tree of src, or returns false if it is for the
// grammar to read.
func Read(src []byte, walk func(nodes []treesitter.Node)) (ok bool) {
	if len(src) > engine.MaxBytes || deepBrackets(src) {
		return false
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	t := goTrees.Get().(*goTree)
	file := files.File(f.FileStart)
	*t = goTree{goIDs: goIDsOf(), src: src, base: token.Pos(file.Base()), lines: file.Lines(),
		nodes: t.nodes[:0], parent: -1,
		imports: f.Imports, comments: f.Comments}
	if !t.layOut(f) {
		return false
	}
	walk(t.nodes)
	t.src, t.lines, t.imports, t.comments = nil, nil, nil, nil
	goTrees.Put(t)
	return true
}

// deepBrackets says whether brackets are nested too deep to be parsed by
// recursion. It may err where strings and comments hold brackets.
func deepBrackets(src []byte) bool {
	const limit = 2 * MaxDepth
	if bytes.Count(src, []byte("("))+bytes.Count(src, []byte("{"))+bytes.Count(src, []byte("[")) <= limit {
		return false
	}
	depth := 0
	for _, b := range src {
		switch b {
		case '(', '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ')', ']', '}':
			depth--
		}
	}
	return false
}

// layOut builds the tree of f. It returns false if that is nested too deep or too large.
func (t *goTree) layOut(f *ast.File) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(tooMuch); !is {
				panic(r)
			}
		}
	}()
	root := t.beginNode(goSourceFile, noField, t.base)
	clause := t.beginNode(goPackageClause, noField, f.Package)
	t.close(clause, f.Name.End())
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			t.genDecl(d)
		case *ast.FuncDecl:
			t.funcDecl(d)
		}
	}
	t.close(root, t.base+token.Pos(len(t.src)))
	return true
}

// descend counts a level of recursion; the caller comes back up by t.depth--.
func (t *goTree) descend() {
	if t.depth++; t.depth > MaxDepth {
		panic(tooMuch{})
	}
}

// rowOf returns the row of a byte. Places that are looked up one after the other
// lie close together.
func (t *goTree) rowOf(at int) uint32 {
	for t.row+1 < len(t.lines) && t.lines[t.row+1] <= at {
		t.row++
	}
	for t.row > 0 && t.lines[t.row] > at {
		t.row--
	}
	return uint32(t.row)
}

// add adds a node that ends where it starts.
func (t *goTree) add(kind goKind, field goField, start int) int32 {
	if len(t.nodes) == engine.MaxNodes {
		panic(tooMuch{})
	}
	i := int32(len(t.nodes))
	row := t.rowOf(start)
	t.nodes = append(t.nodes, treesitter.Node{
		Start: uint32(start), End: uint32(start), StartRow: row, EndRow: row,
		Parent: t.parent, Next: i + 1, Kind: t.kinds[kind], Field: t.fields[field], Flags: treesitter.Named,
	})
	return i
}

// beginNode begins a node: what is added before it is closed is in it.
func (t *goTree) beginNode(kind goKind, field goField, pos token.Pos) int32 {
	start := int(pos - t.base)
	t.commentsBefore(start)
	t.parent = t.add(kind, field, start)
	return t.parent
}

func (t *goTree) close(i int32, pos token.Pos) {
	end := min(int(pos-t.base), len(t.src))
	t.commentsBefore(end)
	n := &t.nodes[i]
	n.End, n.EndRow, n.Next = uint32(end), t.rowOf(end), int32(len(t.nodes))
	t.parent = n.Parent
}

// leaf adds a node with nothing in it, on one line unless it is a string.
func (t *goTree) leaf(kind goKind, field goField, pos, end token.Pos) {
	start := int(pos - t.base)
	t.commentsBefore(start)
	i := t.add(kind, field, start)
	t.nodes[i].End = uint32(end - t.base)
}

func (t *goTree) ident(kind goKind, field goField, id *ast.Ident) {
	t.leaf(kind, field, id.NamePos, id.End())
}

func (t *goTree) idents(kind goKind, ids []*ast.Ident) {
	for _, id := range ids {
		t.ident(kind, fieldName, id)
	}
}

// commentsBefore adds the comments that start before a byte to the open node.
func (t *goTree) commentsBefore(at int) {
	for len(t.comments) > 0 {
		group := t.comments[0].List
		for ; t.comment < len(group); t.comment++ {
			start := int(group[t.comment].Slash - t.base)
			if start >= at {
				return
			}
			t.addComment(start)
		}
		t.comments, t.comment = t.comments[1:], 0
	}
}

// addComment finds the end of a comment itself, because the text that the parser
// keeps of it is without carriage returns.
func (t *goTree) addComment(start int) {
	mark := "\n"
	length := len(t.src) - start
	if t.src[start+1] == '*' {
		mark = "*/"
	}
	if i := bytes.Index(t.src[start+2:], []byte(mark)); i >= 0 {
		length = 2 + i
		if mark != "\n" {
			length += len(mark)
		}
	}
	i := t.add(goComment, noField, start)
	n := &t.nodes[i]
	n.End = uint32(start + length)
	n.EndRow = t.rowOf(start + length)
}

func (t *goTree) genDecl(d *ast.GenDecl) {
	kind := goImportDeclaration
	switch d.Tok {
	case token.CONST:
		kind = goConstDeclaration
	case token.VAR:
		kind = goVarDeclaration
	case token.TYPE:
		kind = goTypeDeclaration
	}
	whole := t.beginNode(kind, noField, d.TokPos)
	list := int32(-1)
	if kind == goVarDeclaration && d.Lparen.IsValid() {
		list = t.beginNode(goVarSpecList, noField, d.Lparen)
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ImportSpec:
			t.importSpec(s)
		case *ast.ValueSpec:
			t.valueSpec(kind, s)
		case *ast.TypeSpec:
			t.typeSpec(s)
		}
	}
	if list >= 0 {
		t.close(list, d.End())
	}
	t.close(whole, d.End())
}

func (t *goTree) importSpec(s *ast.ImportSpec) {
	i := t.beginNode(goImportSpec, noField, s.Pos())
	if s.Name != nil {
		kind := goPackageName
		switch s.Name.Name {
		case ".":
			kind = goDot
		case "_":
			kind = goBlank
		}
		t.ident(kind, fieldName, s.Name)
	}
	kind := goString
	if t.src[s.Path.ValuePos-t.base] == '`' {
		kind = goRawString
	}
	t.leaf(kind, fieldPath, s.Path.ValuePos, s.Path.End())
	t.close(i, s.Path.End())
}

func (t *goTree) valueSpec(declaration goKind, s *ast.ValueSpec) {
	kind := goVarSpec
	if declaration == goConstDeclaration {
		kind = goConstSpec
	}
	i := t.beginNode(kind, noField, s.Pos())
	t.idents(goName, s.Names)
	t.typeIn(s.Type, fieldType)
	t.exprs(s.Values, fieldValue)
	t.close(i, s.End())
}

func (t *goTree) typeSpec(s *ast.TypeSpec) {
	kind := goTypeSpec
	if s.Assign.IsValid() {
		kind = goTypeAlias
	}
	i := t.beginNode(kind, noField, s.Pos())
	t.ident(goTypeName, fieldName, s.Name)
	t.typeParameters(s.TypeParams)
	t.typeIn(s.Type, fieldType)
	t.close(i, s.Type.End())
}

func (t *goTree) typeParameters(list *ast.FieldList) {
	if list == nil {
		return
	}
	i := t.beginNode(goTypeParameters, fieldTypeParameters, list.Pos())
	for _, f := range list.List {
		j := t.beginNode(goTypeParameter, noField, f.Pos())
		t.idents(goName, f.Names)
		t.elem(f.Type, fieldType)
		t.close(j, f.End())
	}
	t.close(i, list.End())
}

func (t *goTree) funcDecl(d *ast.FuncDecl) {
	kind, name := goFunction, goName
	if d.Recv != nil {
		kind, name = goMethod, goFieldName
	}
	i := t.beginNode(kind, noField, d.Pos())
	t.parameters(d.Recv, fieldReceiver)
	t.ident(name, fieldName, d.Name)
	t.typeParameters(d.Type.TypeParams)
	t.signature(d.Type)
	if d.Body != nil {
		t.block(d.Body, fieldBody)
	}
	t.close(i, d.End())
}

// signature lays out what is behind the name or the keyword of a function.
func (t *goTree) signature(f *ast.FuncType) {
	t.parameters(f.Params, fieldParameters)
	switch r := f.Results; {
	case r == nil:
	case r.Opening.IsValid():
		t.parameters(r, fieldResult)
	default:
		for _, f := range r.List {
			t.typeIn(f.Type, fieldResult)
		}
	}
}

func (t *goTree) parameters(list *ast.FieldList, field goField) {
	if list == nil {
		return
	}
	i := t.beginNode(goParameters, field, list.Pos())
	for _, f := range list.List {
		kind, typ := goParameter, f.Type
		if e, ok := f.Type.(*ast.Ellipsis); ok {
			kind, typ = goVariadic, e.Elt
		}
		j := t.beginNode(kind, noField, f.Pos())
		t.idents(goName, f.Names)
		t.typeIn(typ, fieldType)
		t.close(j, f.End())
	}
	t.close(i, list.End())
}
