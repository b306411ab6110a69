package pipeline

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSmall plays pipelines of effort XS: three agents and six files bring an issue to its
// pull request, and what the trusted verifiers say stops a review that passes.
func TestSmall(t *testing.T) {
	t.Run("issue", func(t *testing.T) {
		t.Parallel()
		o := newOrchestrator(t, "https://github.com/owner/repo/issues/42", "XS")
		if o.play("impl-1.md"); slices.Contains(o.now.List("input_files"), "tasks.md") || !slices.Contains(o.now.List("input_files"), "request.md") {
			t.Errorf("the implementer reads %v", o.now.List("input_files"))
		}
		o.before = func(o *orchestrator) { // nothing is said of what this pipeline does not have
			for _, other := range []string{"design.md", "tasks.md", "improvement.md"} {
				if prompt := o.now.Str("prompt"); strings.Contains(prompt, other) {
					t.Errorf("the prompt of %s names %s:\n%s", o.at(), other, prompt)
				}
			}
		}
		o.play("")
		want := []string{"setup", "impl-1.md", "review-1.md", "summary.md", "pr-creation", "post-to-source", "post-to-source", "done"}
		if !slices.Equal(o.trail, want) {
			t.Errorf("the way: %q", o.trail)
		}
		entries, err := os.ReadDir(o.Path(o.ws))
		if err != nil || len(entries) > 6 || o.spawned() > 4 {
			t.Errorf("%d files, %d agents, %v", len(entries), o.spawned(), err)
		}
		s := o.state()
		o.whole()
		o.pulled(s, true)
		o.told()
		if s.Status != "completed" || o.now.Str("warning") != "" || !strings.Contains(o.now.Str("display_message"), s.Pull) || o.Read("greet.py") != changed["greet.py"] {
			t.Errorf("the end: %s, %+v", o.now.Raw, s)
		}
	})
	t.Run("what a verifier fails", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository)}
		trusts(checks)(o)
		o.begin("--auto --nopr "+request, "XS")
		o.works = greetsNobody
		o.play("review-1.md")
		if o.step(); o.at() != "impl-1.md" || !strings.Contains(o.now.Str("prompt"), "the verifier greets failed") {
			t.Fatalf("after the review: %s", o.now.Raw)
		}
		o.works = nil
		o.play("")
		if s := o.state(); s.Status != "completed" || s.Tasks[0].Status != "passed" {
			t.Errorf("%+v", s)
		}
		o.whole()
	})
	for _, answer := range []string{"retry", "approve"} {
		t.Run("a verifier that is gone: "+answer, func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository), answers: map[string]string{"verifier-not-run": answer}}
			trusts(checks)(o)
			o.begin("--auto --nopr "+request, "XS")
			o.play("review-1.md")
			o.Remove(checksFile)
			if o.step(); o.at() != "verifier-not-run" {
				t.Fatalf("after the review: %s", o.now.Raw)
			}
			o.Write(checksFile, checks)
			want := map[string]string{"retry": "review-1.md", "approve": "summary.md"}[answer]
			if o.step(); o.at() != want {
				t.Fatalf("after %s: %s", answer, o.now.Raw)
			}
			o.play("")
			if s := o.state(); s.Status != "completed" || s.Tasks[0].Status != "passed" {
				t.Errorf("%+v", s)
			}
			o.whole()
		})
	}
}

// TestVerifierInEveryTemplate: what a trusted command fails, no review passes. TestSmall has
// the same for XS.
func TestVerifierInEveryTemplate(t *testing.T) {
	for _, effort := range []string{"S", "M", "L"} {
		t.Run(effort, func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository)}
			trusts(checks)(o)
			o.begin("--auto --nopr "+request, effort)
			o.works = func(o *orchestrator, name string) bool {
				if name != "impl-1.md" {
					return false
				}
				for _, f := range o.files(name) {
					o.Write(f, strings.Replace(changed[f], "'hello ' + name", "'hi ' + name", 1))
				}
				o.Write(o.file(name), o.text(name))
				return true
			}
			o.play("final-verification.md")
			if o.step(); o.at() != "impl-fix-1.md" || !strings.Contains(o.now.Raw, "the verifier greets failed") {
				t.Fatalf("after the verification: %s", o.now.Raw)
			}
			o.works = func(o *orchestrator, name string) bool {
				if name == "review-fix-1.md" {
					o.Write(o.file(name), o.text(name)+"\nThe verifier passes now.\n")
				}
				return name == "review-fix-1.md"
			}
			o.play("")
			o.whole()
			if s := o.state(); s.Status != "completed" {
				t.Errorf("%+v", s)
			}
		})
	}
}
