package search

import (
	"fmt"
	"slices"
	"testing"
)

// In languages whose types are not inferred, what a name means is told by where it is and by what
// the text around it says.
func TestReferencesByName(t *testing.T) {
	e := open(t, map[string]string{
		"Issue.swift": "struct Issue {\n    let title: String\n\n    enum CodingKeys: String, CodingKey {\n        case title\n    }\n}\n\nextension Issue {\n    func short() -> String { title }\n}\n",
		"Use.swift": "let banner = \"\"\"\n    Read on, then go to the list.\n    \"\"\"\n\nfunc report(_ all: [Issue]) {\n    all.first?.title.print()\n    all.map { $0.title }\n" +
			"    decode(.title)\n    decode(Issue.CodingKeys.title)\n}\n\nreport(banner)\n",
		"core/package.scala": "package object core {\n  type P = Int\n}\n",
		"core/Space.scala":   "package core\n\nobject Space {\n  val none = 1\n}\n",
		"core/Default.scala": "package core\n\nobject default {\n  val one = 1\n}\n",
		"Uses.scala": "package app\n\nimport core._\nimport Space._\nimport core.default.one\nimport core.default._, core.Space.none\n" +
			"import core.{Space, default => d}\n",
		"forms/Forms.scala": "package org.acme\npackage forms\n\nobject syntax {\n  type Id = Int\n  class Inner\n}\n\n" +
			"class Near extends syntax.Inner {\n  def f(x: List[syntax.Id]): syntax.Id = 1\n}\n",
		"Far.scala": "package app\n\nimport org.acme.forms.syntax\n\nclass Far {\n  val id: syntax.Id = 1\n}\n",
	})
	for _, tt := range []struct {
		name, file string
		line       int
		want       []string
	}{
		{"title", "Issue.swift", 5, []string{"Use.swift:6 possible", "Use.swift:7 possible", "Use.swift:8 likely", "Use.swift:9 certain"}},
		{"Issue", "Issue.swift", 9, []string{"Use.swift:5 likely", "Use.swift:9 likely"}},
		{"report", "Use.swift", 5, []string{"Use.swift:12 certain"}},
		{"Space", "core/Space.scala", 3, []string{"Uses.scala:4 likely", "Uses.scala:6 certain", "Uses.scala:7 certain"}},
		{"default", "core/Default.scala", 3, []string{"Uses.scala:5 certain", "Uses.scala:6 certain", "Uses.scala:7 certain"}},
		{"core", "core/package.scala", 1, []string{
			"Uses.scala:3 certain", "Uses.scala:5 certain", "Uses.scala:6 certain", "Uses.scala:6 certain", "Uses.scala:7 certain"}},
		{"syntax", "forms/Forms.scala", 4, []string{
			"Far.scala:3 certain", "Far.scala:6 certain",
			"forms/Forms.scala:10 certain", "forms/Forms.scala:10 certain", "forms/Forms.scala:9 certain"}},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: tt.name, FilePath: tt.file, Line: tt.line})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			if r.File != tt.file || tt.file == "Use.swift" || tt.name == "syntax" {
				got = append(got, fmt.Sprintf("%s:%d %s", r.File, r.Line, r.Confidence))
			}
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
