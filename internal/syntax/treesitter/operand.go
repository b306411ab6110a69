package treesitter

import "slices"

// operators are the expressions that end with an operand.
var operators = []string{"await_expression", "unary_expression", "binary_expression"}

// chains are the expressions that may begin with a call, by the field of what they begin with.
var chains = map[string]string{
	"call_expression": "function", "member_expression": "object", "subscript_expression": "object", "non_null_expression": "",
}

// lowerCalls puts calls with type arguments below the operators before them. The grammar of
// TypeScript reads await f<T>() as (await f)<T>(), and the same with ! and +, which no
// script can say without parentheses.
func lowerCalls(g *Grammar, t *Tree) {
	for i := 0; i < len(t.Nodes); i++ {
		if g.KindName(t.Nodes[i].Kind) != "call_expression" {
			continue
		}
		callee := int32(i + 1)
		if int(callee) >= len(t.Nodes) || t.Nodes[callee].Parent != int32(i) || g.FieldName(t.Nodes[callee].Field) != "function" ||
			!slices.Contains(operators, g.KindName(t.Nodes[callee].Kind)) {
			continue
		}
		if operand := t.lastChild(callee); operand >= 0 {
			top := g.chainTop(t, int32(i))
			t.raiseOperator(top, callee, operand)
			i = int(top)
		}
	}
}

// chainTop returns the outermost of the calls and members that begin with a call.
func (g *Grammar) chainTop(t *Tree, n int32) int32 {
	for {
		p := t.Nodes[n].Parent
		if p < 0 || p != n-1 {
			return n
		}
		if field, ok := chains[g.KindName(t.Nodes[p].Kind)]; !ok || field != g.FieldName(t.Nodes[n].Field) {
			return n
		}
		n = p
	}
}

// lastChild returns the last child of a node if others come before it, or -1.
func (t *Tree) lastChild(n int32) int32 {
	for c := n + 1; c < t.Nodes[n].Next; c = t.Nodes[c].Next {
		if t.Nodes[c].Next == t.Nodes[n].Next && t.Nodes[c].Start > t.Nodes[n].Start {
			return c
		}
	}
	return -1
}

// raiseOperator makes an operator hold the chain that begins with it. The nodes from top to the
// operator, each the first child of the one before, then are between it and its operand.
func (t *Tree) raiseOperator(top, operator, operand int32) {
	nodes := t.Nodes
	chain, head := operator-top, operand-operator
	outer, inner := nodes[top], nodes[operator]
	for n := top; n < operator; n++ { // what comes later in the chain
		for c := nodes[n+1].Next; c < nodes[n].Next; c = nodes[c].Next {
			nodes[c].Parent = n + head
		}
		nodes[n].Parent = n + head - 1
		nodes[n].Start, nodes[n].StartRow = nodes[operand].Start, nodes[operand].StartRow
	}
	for n := operator; n < operand; n++ {
		nodes[n].Parent -= chain
		nodes[n].Next -= chain
	}
	nodes[operator].Parent, nodes[operator].Next = outer.Parent, outer.Next
	nodes[operator].End, nodes[operator].EndRow = outer.End, outer.EndRow
	nodes[operator].Field = outer.Field
	nodes[top].Parent, nodes[top].Field = top, nodes[operand].Field
	nodes[operand].Parent, nodes[operand].Field = operand-1, inner.Field
	moved := append(slices.Clone(nodes[operator:operand]), nodes[top:operator]...)
	copy(nodes[top:operand], moved)
}
