package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// typeIn lays out a type; nil is none.
func (t *goTree) typeIn(e ast.Expr, field goField) {
	t.descend()
	defer func() { t.depth-- }()
	switch e := e.(type) {
	case nil:
	case *ast.Ident:
		t.ident(goTypeName, field, e)
	case *ast.SelectorExpr:
		t.qualifiedType(e, field)
	case *ast.StarExpr:
		i := t.beginNode(goPointerType, field, e.Pos())
		t.typeIn(e.X, noField)
		t.close(i, e.End())
	case *ast.ParenExpr:
		i := t.beginNode(goParenthesizedType, field, e.Pos())
		t.typeIn(e.X, noField)
		t.close(i, e.End())
	case *ast.ArrayType:
		t.arrayType(e, field)
	case *ast.MapType:
		i := t.beginNode(goMapType, field, e.Pos())
		t.typeIn(e.Key, fieldKey)
		t.typeIn(e.Value, fieldValue)
		t.close(i, e.End())
	case *ast.ChanType:
		i := t.beginNode(goChannelType, field, e.Pos())
		t.typeIn(e.Value, fieldValue)
		t.close(i, e.End())
	case *ast.FuncType:
		i := t.beginNode(goFunctionType, field, e.Pos())
		t.signature(e)
		t.close(i, e.End())
	case *ast.StructType:
		t.structType(e, field)
	case *ast.InterfaceType:
		t.interfaceType(e, field)
	case *ast.IndexExpr:
		t.genericType(e, e.X, []ast.Expr{e.Index}, e.Lbrack, field)
	case *ast.IndexListExpr:
		t.genericType(e, e.X, e.Indices, e.Lbrack, field)
	case *ast.UnaryExpr, *ast.BinaryExpr:
		t.elem(e, field)
	default:
		t.expr(e, field)
	}
}

// elem lays out a constraint: a type, or several that "|" or "~" are between
// and before.
func (t *goTree) elem(e ast.Expr, field goField) {
	t.descend()
	defer func() { t.depth-- }()
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op != token.OR {
			t.expr(e, field)
			return
		}
		t.elem(e.X, field)
		t.elem(e.Y, field)
	case *ast.UnaryExpr:
		if e.Op != token.TILDE {
			t.expr(e, field)
			return
		}
		i := t.beginNode(goNegatedType, field, e.Pos())
		t.typeIn(e.X, noField)
		t.close(i, e.End())
	default:
		t.typeIn(e, field)
	}
}

func (t *goTree) qualifiedType(e *ast.SelectorExpr, field goField) {
	i := t.beginNode(goQualifiedType, field, e.Pos())
	if id, ok := e.X.(*ast.Ident); ok {
		t.ident(goPackageName, fieldPackage, id)
	} else {
		t.expr(e.X, fieldPackage)
	}
	t.ident(goTypeName, fieldName, e.Sel)
	t.close(i, e.End())
}

func (t *goTree) arrayType(e *ast.ArrayType, field goField) {
	kind := goArrayType
	implicit := false
	if e.Len == nil {
		kind = goSliceType
	} else if _, implicit = e.Len.(*ast.Ellipsis); implicit {
		kind = goImplicitArrayType
	}
	i := t.beginNode(kind, field, e.Pos())
	if e.Len != nil && !implicit {
		t.expr(e.Len, fieldLength)
	}
	t.typeIn(e.Elt, fieldElement)
	t.close(i, e.End())
}

func (t *goTree) genericType(whole, generic ast.Expr, arguments []ast.Expr, bracket token.Pos, field goField) {
	i := t.beginNode(goGenericType, field, whole.Pos())
	t.typeIn(generic, fieldType)
	t.typeArguments(arguments, bracket, whole.End())
	t.close(i, whole.End())
}

func (t *goTree) typeArguments(arguments []ast.Expr, bracket, end token.Pos) {
	i := t.beginNode(goTypeArguments, fieldTypeArguments, bracket)
	for _, a := range arguments {
		t.elem(a, noField)
	}
	t.close(i, end)
}

func (t *goTree) structType(e *ast.StructType, field goField) {
	i := t.beginNode(goStruct, field, e.Pos())
	list := t.beginNode(goFields, noField, e.Fields.Pos())
	for _, f := range e.Fields.List {
		j := t.beginNode(goFieldDeclaration, noField, f.Pos())
		t.idents(goFieldName, f.Names)
		typ := f.Type
		if star, ok := typ.(*ast.StarExpr); ok && len(f.Names) == 0 {
			typ = star.X // the grammar has no type around the star of an embedded field
		}
		t.typeIn(typ, fieldType)
		t.close(j, f.End())
	}
	t.close(list, e.Fields.End())
	t.close(i, e.End())
}

func (t *goTree) interfaceType(e *ast.InterfaceType, field goField) {
	i := t.beginNode(goInterface, field, e.Pos())
	for _, f := range e.Methods.List {
		method, ok := f.Type.(*ast.FuncType)
		if !ok || len(f.Names) == 0 {
			t.elem(f.Type, noField)
			continue
		}
		j := t.beginNode(goMethodElem, noField, f.Pos())
		t.idents(goFieldName, f.Names)
		t.signature(method)
		t.close(j, f.End())
	}
	t.close(i, e.End())
}

// canBeType says whether e can be read as a type.
func canBeType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return !isGoConstant(e.Name)
	case *ast.SelectorExpr:
		_, ok := e.X.(*ast.Ident)
		return ok
	case *ast.StarExpr:
		return canBeType(e.X)
	case *ast.ParenExpr:
		return canBeType(e.X)
	case *ast.IndexExpr:
		return canBeType(e.X) && canBeType(e.Index)
	case *ast.IndexListExpr:
		return canBeType(e.X) && canBeTypes(e.Indices)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType:
		return true
	}
	return false
}

func canBeTypes(all []ast.Expr) bool {
	for _, e := range all {
		if !canBeType(e) {
			return false
		}
	}
	return true
}

// mustBeType says whether e can be read as a type only.
func mustBeType(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType:
			return true
		default:
			return false
		}
	}
}

// isConversion says whether e(x) makes a value of the type e, as far as it shows.
func isConversion(e ast.Expr) bool {
	if p, ok := e.(*ast.ParenExpr); ok {
		if s, ok := p.X.(*ast.StarExpr); ok {
			switch s.X.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr: // few call what a pointer in a list points to
				return canBeType(s.X)
			}
		}
	}
	return mustBeType(e)
}

// isTypeArgument says whether the e of f[e](x) is a type. A selector is one if
// what it selects from is a package. Of a mere name only its scope can tell; see
// goTypeArgument.
func (t *goTree) isTypeArgument(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return canBeType(e)
	}
	id, ok := s.X.(*ast.Ident)
	return ok && slices.ContainsFunc(t.imports, func(s *ast.ImportSpec) bool {
		if s.Name != nil {
			return s.Name.Name == id.Name
		}
		return strings.Contains(s.Path.Value, id.Name)
	})
}

// isGoConstant says whether a name is a word of its own to the grammar, and no
// name, where a value is expected.
func isGoConstant(name string) bool {
	switch name {
	case "nil", "true", "false", "iota":
		return true
	}
	return false
}
