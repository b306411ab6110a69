// Package engine extracts symbols and references from syntax trees, by a table of rules for each language. A
// language is a row of rules: tables over the kinds and fields of its tree-sitter grammar. The compiler
// resolves their names to ids once, and a [Walker] follows them over the flat tree of a file, once, in order.
// The package also holds the types that every reader answers with.
//
// # Writing rules
//
// Look at trees of a sample first:
//
//	go test ./internal/syntax -run TestDump -v -dump testdata/go/store.go
//
// Then fill in a value of type [Rules], in the order in which it is easiest to
// find out:
//
//   - Names: the leaf kinds that are names, and what they do by default;
//   - Decls: each kind of node that declares, the field of its name, and its
//     sort: lexical (functions, types), variable, property (methods), field.
//     Inside functions a variable becomes a local and no symbol;
//   - Scopes: the kinds that open a scope and declare nothing: blocks, lambdas;
//     Open: the kinds whose direct block shares their scope;
//   - Flow: what a name does by place, as "kind.field", "kind>child" or "kind":
//     AsCall for the function of a call, AsBind for parameters and loop
//     variables, AsParam for type parameters, AsType, AsWrite, AsImport. A node
//     that only passes its place on, like a list or a pattern, is in Through or
//     has HandOn. Add "| Member" for what follows a dot;
//   - Splits: where one kind declares several things, a direct child tells
//     which: {Node: "type_spec", By: {"struct_type"}} makes the kind
//     "type_spec:struct_type", which has rules of its own;
//   - Comments, Leads (decorators), Wrappers (export, a group of one): what
//     belongs to a declaration without being in it;
//   - Skip, Leaves, Transient: what need not be in the tree at all. A smaller
//     tree is a faster one;
//   - Finish, Hooks: small functions for what tables cannot say, such as what
//     is exported, imports, names that are in odd places. A hook may add a
//     symbol (NewSymbol), bind a name (Bind), or say what a name further on in
//     its node means (Mean).
//
// TestRules of package syntax refuses a row that names a kind or field its grammar
// lacks.
package engine
