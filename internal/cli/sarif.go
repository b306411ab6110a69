package cli

import (
	"fmt"
	"net/url"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/search/impact"
	"codeintel/internal/text/quote"
)

// sarif prints the findings of an analysis as SARIF 2.1.0. Paths are relative to the root
// of the project.
func (a *app) sarif(got *impact.Answer) error {
	type object = map[string]any
	a.bar.end()
	got = msg.Bind(got, a.words(a.name))
	rules, results := []object{}, []object{}
	for _, r := range impact.Rules {
		rules = append(rules, object{"id": r})
	}
	for i := range got.Findings {
		f := &got.Findings[i]
		place := object{"artifactLocation": object{"uri": (&url.URL{Path: f.File}).EscapedPath(), "uriBaseId": "%SRCROOT%"}}
		if f.Line > 0 {
			place["region"] = object{"startLine": f.Line}
		}
		results = append(results, object{
			"ruleId": f.Rule, "level": level(f, "error", "note"), "rank": f.Confidence * 100,
			"message":    object{"text": fmt.Sprint(f.Message)},
			"locations":  []object{{"physicalLocation": place}},
			"properties": object{"symbol": f.Symbol, "confidence": f.Confidence},
		})
	}
	enc := encoder(a.out)
	enc.SetIndent("", "  ")
	return enc.Encode(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": "code-intel", "semanticVersion": versionOf().Version, "rules": rules}},
			"results": results,
		}},
	})
}

// level is one word for what is proven, and another one for advice.
func level(f *impact.Finding, proven, advice string) string {
	if f.Proven() {
		return proven
	}
	return advice
}

// In annotations of GitHub some characters are written otherwise, and more of them in
// properties.
var (
	annotated = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotations prints the findings of an analysis as GitHub Actions takes them from the
// output of a step.
func (a *app) annotations(got *impact.Answer) error {
	a.bar.end()
	got = msg.Bind(got, a.words(a.name))
	for i := range got.Findings {
		f := &got.Findings[i]
		at := "file=" + property.Replace(quote.Text(f.File))
		if f.Line > 0 {
			at += fmt.Sprintf(",line=%d", f.Line)
		}
		_, err := fmt.Fprintf(a.out, "::%s %s,title=%s::%s\n",
			level(f, "error", "notice"), at, f.Rule, annotated.Replace(quote.Text(fmt.Sprint(f.Message))))
		if err != nil {
			return err
		}
	}
	return nil
}
