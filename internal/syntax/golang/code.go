package golang

import (
	"go/ast"
	"go/token"
)

func (t *goTree) block(b *ast.BlockStmt, field goField) {
	i := t.beginNode(goBlock, field, b.Pos())
	t.stmts(b.List)
	t.close(i, b.End())
}

func (t *goTree) stmts(all []ast.Stmt) {
	for _, s := range all {
		t.stmt(s, noField)
	}
}

// stmt lays out a statement; nil is none.
func (t *goTree) stmt(s ast.Stmt, field goField) {
	t.descend()
	defer func() { t.depth-- }()
	switch s := s.(type) {
	case nil:
	case *ast.ExprStmt:
		t.expr(s.X, field)
	case *ast.AssignStmt:
		t.assign(s, field)
	case *ast.ReturnStmt:
		t.exprs(s.Results, field)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			t.genDecl(d)
		}
	case *ast.IfStmt:
		t.ifStmt(s, field)
	case *ast.ForStmt:
		i := t.beginNode(goFor, field, s.Pos())
		t.stmt(s.Init, fieldInitializer)
		t.exprOrNone(s.Cond, fieldCondition)
		t.stmt(s.Post, fieldUpdate)
		t.block(s.Body, fieldBody)
		t.close(i, s.End())
	case *ast.RangeStmt:
		t.rangeStmt(s, field)
	case *ast.SwitchStmt:
		i := t.beginNode(goSwitch, field, s.Pos())
		t.stmt(s.Init, fieldInitializer)
		t.exprOrNone(s.Tag, fieldValue)
		for _, c := range s.Body.List {
			t.caseClause(c, goCase)
		}
		t.close(i, s.End())
	case *ast.TypeSwitchStmt:
		t.typeSwitch(s, field)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			t.commClause(c)
		}
	case *ast.IncDecStmt:
		kind := goIncrement
		if s.Tok == token.DEC {
			kind = goDecrement
		}
		i := t.beginNode(kind, field, s.Pos())
		t.expr(s.X, noField)
		t.close(i, s.End())
	case *ast.GoStmt:
		t.expr(s.Call, field)
	case *ast.DeferStmt:
		t.expr(s.Call, field)
	case *ast.SendStmt:
		t.expr(s.Chan, field)
		t.expr(s.Value, field)
	case *ast.BlockStmt:
		t.block(s, field)
	case *ast.LabeledStmt:
		t.stmt(s.Stmt, field)
	}
}

func (t *goTree) assign(s *ast.AssignStmt, field goField) {
	kind := goAssignment
	if s.Tok == token.DEFINE {
		kind = goShortVar
	}
	i := t.beginNode(kind, field, s.Pos())
	t.exprs(s.Lhs, fieldLeft)
	t.exprs(s.Rhs, fieldRight)
	t.close(i, s.End())
}

func (t *goTree) ifStmt(s *ast.IfStmt, field goField) {
	i := t.beginNode(goIf, field, s.Pos())
	t.stmt(s.Init, fieldInitializer)
	t.expr(s.Cond, fieldCondition)
	t.block(s.Body, noField)
	t.stmt(s.Else, fieldAlternative)
	t.close(i, s.End())
}

func (t *goTree) rangeStmt(s *ast.RangeStmt, field goField) {
	i := t.beginNode(goFor, field, s.Pos())
	start := s.Range
	if s.Key != nil {
		start = s.Key.Pos()
	}
	clause := t.beginNode(goRange, noField, start)
	t.exprOrNone(s.Key, fieldLeft)
	t.exprOrNone(s.Value, fieldLeft)
	if s.Tok == token.DEFINE {
		t.leaf(goDefine, noField, s.TokPos, s.TokPos+2)
	}
	t.expr(s.X, fieldRight)
	t.close(clause, s.X.End())
	t.block(s.Body, fieldBody)
	t.close(i, s.End())
}

func (t *goTree) typeSwitch(s *ast.TypeSwitchStmt, field goField) {
	i := t.beginNode(goTypeSwitch, field, s.Pos())
	t.stmt(s.Init, fieldInitializer)
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		t.exprs(a.Lhs, fieldAlias)
		t.exprs(a.Rhs, fieldValue)
	case *ast.ExprStmt:
		t.expr(a.X, fieldValue)
	}
	for _, c := range s.Body.List {
		t.caseClause(c, goTypeCase)
	}
	t.close(i, s.End())
}

func (t *goTree) caseClause(s ast.Stmt, kind goKind) {
	c, ok := s.(*ast.CaseClause)
	if !ok {
		return
	}
	if c.List == nil {
		kind = goDefaultCase
	}
	i := t.beginNode(kind, noField, c.Pos())
	for _, e := range c.List {
		if kind == goTypeCase {
			if id, ok := e.(*ast.Ident); !ok || id.Name != "nil" {
				t.typeIn(e, fieldType)
			}
		} else {
			t.expr(e, fieldValue)
		}
	}
	t.stmts(c.Body)
	t.close(i, c.End())
}

func (t *goTree) commClause(s ast.Stmt) {
	c, ok := s.(*ast.CommClause)
	if !ok {
		return
	}
	kind := goCommunicationCase
	if c.Comm == nil {
		kind = goDefaultCase
	}
	i := t.beginNode(kind, noField, c.Pos())
	if a, ok := c.Comm.(*ast.AssignStmt); ok {
		receive := t.beginNode(goReceive, fieldCommunication, a.Pos())
		t.exprs(a.Lhs, fieldLeft)
		if a.Tok == token.DEFINE {
			t.leaf(goDefine, noField, a.TokPos, a.TokPos+2)
		}
		t.exprs(a.Rhs, fieldRight)
		t.close(receive, a.End())
	} else {
		t.stmt(c.Comm, fieldCommunication)
	}
	t.stmts(c.Body)
	t.close(i, c.End())
}

func (t *goTree) exprs(all []ast.Expr, field goField) {
	for _, e := range all {
		t.expr(e, field)
	}
}

func (t *goTree) exprOrNone(e ast.Expr, field goField) {
	if e != nil {
		t.expr(e, field)
	}
}

// expr lays out an expression. Literals of basic types are not nodes.
func (t *goTree) expr(e ast.Expr, field goField) {
	t.descend()
	defer func() { t.depth-- }()
	switch e := e.(type) {
	case *ast.Ident:
		if !isGoConstant(e.Name) {
			t.ident(goName, field, e)
		}
	case *ast.BasicLit:
	case *ast.SelectorExpr:
		i := t.beginNode(goSelector, field, e.Pos())
		t.expr(e.X, fieldOperand)
		t.ident(goFieldName, fieldField, e.Sel)
		t.close(i, e.End())
	case *ast.CallExpr:
		t.call(e, field)
	case *ast.BinaryExpr:
		i := t.beginNode(goBinary, field, e.Pos())
		t.operands(e)
		t.close(i, e.End())
	case *ast.UnaryExpr:
		i := t.beginNode(goUnary, field, e.Pos())
		t.expr(e.X, fieldOperand)
		t.close(i, e.End())
	case *ast.StarExpr:
		i := t.beginNode(goUnary, field, e.Pos())
		t.expr(e.X, fieldOperand)
		t.close(i, e.End())
	case *ast.ParenExpr:
		i := t.beginNode(goParenthesized, field, e.Pos())
		t.expr(e.X, noField)
		t.close(i, e.End())
	case *ast.IndexExpr:
		t.index(e, field)
	case *ast.IndexListExpr:
		t.instantiation(e, e.X, e.Indices, field)
	case *ast.SliceExpr:
		i := t.beginNode(goSlice, field, e.Pos())
		t.expr(e.X, fieldOperand)
		t.exprOrNone(e.Low, noField)
		t.exprOrNone(e.High, noField)
		t.exprOrNone(e.Max, noField)
		t.close(i, e.End())
	case *ast.TypeAssertExpr:
		if e.Type == nil { // x.(type): the switch has a value
			t.expr(e.X, field)
			return
		}
		i := t.beginNode(goAssertion, field, e.Pos())
		t.expr(e.X, fieldOperand)
		t.typeIn(e.Type, fieldType)
		t.close(i, e.End())
	case *ast.CompositeLit:
		t.composite(e, field)
	case *ast.KeyValueExpr:
		t.keyed(e, field)
	case *ast.FuncLit:
		i := t.beginNode(goFuncLiteral, field, e.Pos())
		t.signature(e.Type)
		t.block(e.Body, fieldBody)
		t.close(i, e.End())
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType:
		t.typeIn(e, field)
	}
}

// operands lays out the operands of a row of operators without recursion on
// the left, where rows of hundreds of strings are long.
func (t *goTree) operands(e *ast.BinaryExpr) {
	row := []*ast.BinaryExpr{e}
	for {
		left, ok := row[len(row)-1].X.(*ast.BinaryExpr)
		if !ok {
			break
		}
		row = append(row, left)
	}
	t.expr(row[len(row)-1].X, noField)
	for i := len(row) - 1; i >= 0; i-- {
		t.expr(row[i].Y, noField)
	}
}

func (t *goTree) call(e *ast.CallExpr, field goField) {
	if isConversion(e.Fun) {
		i := t.beginNode(goConversion, field, e.Pos())
		t.typeIn(e.Fun, fieldType)
		t.exprs(e.Args, fieldOperand)
		t.close(i, e.End())
		return
	}
	i := t.beginNode(goCall, field, e.Pos())
	arguments := e.Args
	switch f := e.Fun.(type) {
	case *ast.Ident:
		t.expr(f, fieldFunction)
		if (f.Name == "new" || f.Name == "make") && len(arguments) > 0 && canBeType(arguments[0]) {
			t.typeIn(arguments[0], fieldArguments)
			arguments = arguments[1:]
		}
	case *ast.IndexExpr:
		if t.isTypeArgument(f.Index) {
			t.expr(f.X, fieldFunction)
			t.typeArguments([]ast.Expr{f.Index}, f.Lbrack, f.End())
		} else {
			t.expr(f, fieldFunction)
		}
	case *ast.IndexListExpr:
		t.expr(f.X, fieldFunction)
		t.typeArguments(f.Indices, f.Lbrack, f.End())
	default:
		t.expr(f, fieldFunction)
	}
	t.exprs(arguments, fieldArguments)
	t.close(i, e.End())
}

func (t *goTree) index(e *ast.IndexExpr, field goField) {
	if mustBeType(e.Index) {
		t.instantiation(e, e.X, []ast.Expr{e.Index}, field)
		return
	}
	i := t.beginNode(goIndex, field, e.Pos())
	t.expr(e.X, fieldOperand)
	t.expr(e.Index, fieldIndex)
	t.close(i, e.End())
}

func (t *goTree) instantiation(whole, generic ast.Expr, arguments []ast.Expr, field goField) {
	i := t.beginNode(goInstantiation, field, whole.Pos())
	t.typeIn(generic, fieldType)
	for _, a := range arguments {
		t.typeIn(a, noField)
	}
	t.close(i, whole.End())
}

func (t *goTree) composite(e *ast.CompositeLit, field goField) {
	if e.Type == nil {
		t.literalValue(e, field)
		return
	}
	i := t.beginNode(goComposite, field, e.Pos())
	t.typeIn(e.Type, fieldType)
	t.literalValue(e, fieldBody)
	t.close(i, e.End())
}

func (t *goTree) literalValue(e *ast.CompositeLit, field goField) {
	i := t.beginNode(goLiteralValue, field, e.Lbrace)
	t.exprs(e.Elts, noField)
	t.close(i, e.End())
}

func (t *goTree) keyed(e *ast.KeyValueExpr, field goField) {
	i := t.beginNode(goKeyed, field, e.Pos())
	t.expr(e.Key, fieldKey)
	t.expr(e.Value, fieldValue)
	t.close(i, e.End())
}
