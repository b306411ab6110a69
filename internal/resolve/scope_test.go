package resolve

import "testing"

// TestManyDeclarations keeps some of the declarations of a symbol, and knows of all that they are its.
func TestManyDeclarations(t *testing.T) {
	s := &Scope{Unit: &Unit{Owner: map[int32]*Symbol{}}, Names: map[string]*Symbol{}}
	for at := range int32(3 * maxDecls) {
		s.Declare("x", at, at)
	}
	y := s.Names["x"]
	if y.AddDecl(y.Decls...); len(y.Decls) != maxDecls || len(s.Unit.Owner) != 3*maxDecls {
		t.Errorf("%d declarations are kept, %d places are known", len(y.Decls), len(s.Unit.Owner))
	}
}
