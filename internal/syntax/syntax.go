// Package syntax says what a source file declares and mentions: its symbols,
// the places where names occur and what they do there, its imports, and the
// text between declarations.
//
// One engine answers for all languages with a tree-sitter grammar. A language
// is a row of rules: tables over the kinds and fields of its grammar, which
// compile resolves to ids and one walker follows over the flat tree, once, in
// order. Go's own parser makes the same tree of Go faster. Markup, style sheets
// and data files have readers of their own. The package never fails on bad
// code, reads no file, and knows nothing beyond the one text it is given: what
// a name means in another file is the index's business.
//
// Languages without a grammar have an outline by regular expressions, line by
// line: a row of the table outlines, of which testdata/outlines.txtar has a
// sample each.
//
// # Adding a language
//
// Look at trees of a sample first:
//
//	go test ./internal/syntax -run TestDump -v -dump testdata/go/store.go
//
// Then write rules_<language>.go with a value of type rules, and enter it in
// the table languages. What to say, in the order in which it is easiest to
// find out:
//
//   - names: the leaf kinds that are names, and what they do by default;
//   - decls: each kind of node that declares, the field of its name, and its
//     sort: lexical (functions, types), variable, property (methods), field.
//     Inside functions a variable becomes a local and no symbol;
//   - scopes: the kinds that open a scope and declare nothing: blocks, lambdas;
//     open: the kinds whose direct block shares their scope;
//   - flow: what a name does by place, as "kind.field", "kind>child" or "kind":
//     asCall for the function of a call, asBind for parameters and loop
//     variables, asParam for type parameters, asType, asWrite, asImport. A node
//     that only passes its place on, like a list or a pattern, is in through or
//     has handOn. Add "| member" for what follows a dot;
//   - splits: where one kind declares several things, a direct child tells
//     which: {"type_spec", {"struct_type"}} makes the kind
//     "type_spec:struct_type", which has rules of its own;
//   - comments, leads (decorators), wrappers (export, a group of one): what
//     belongs to a declaration without being in it;
//   - skip, leaves, transient: what need not be in the tree at all. A smaller
//     tree is a faster one;
//   - finish, hooks: small functions for what tables cannot say, such as what
//     is exported, imports, names that lie in odd places. A hook may add a
//     symbol (newSymbol), bind a name (bind), or say what a name further on in
//     its node means (mean).
//
// TestRules refuses a row that names a kind or field its grammar lacks. Add a
// realistic source to testdata/<language>, run the tests with -update, and read
// the golden file line by line: every line that is wrong is a missing rule.
package syntax
