package pastruns

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"codeintel/internal/text/question"
)

// now is the moment at which the tests ask.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// past are pipelines as a project has them after two months, some of them in
// Japanese.
func past() []Entry {
	return []Entry{
		{
			SpecName: "42-fix-auth-timeout", Workspace: ".specs/20260401-42-fix-auth-timeout", Title: "Fix auth timeout in middleware",
			Status: Completed, Effort: "M", SourceType: "github_issue", SourceURL: "https://github.com/owner/repo/issues/42",
			Branch: "fix/42-fix-auth-timeout", Started: "2026-04-01T09:00:00Z", Ended: "2026-04-01T11:30:00Z",
			Request: "Requests time out after 30s because AuthMiddleware holds the token lock while it refreshes the token.",
			Summary: "The refresh runs outside of the lock; callers share one refresh.",
			Files:   []string{"internal/auth/middleware.go", "internal/auth/token.go", "internal/auth/token_test.go"},
			Skipped: []string{"phase-4b", "checkpoint-b"},
			Findings: []Finding{
				{Phase: "phase-3b", Severity: "CRITICAL", Description: "The design holds the mutex while it calls the token endpoint"},
				{Phase: "phase-6", Severity: "MINOR", Description: "The error of `resp.Body.Close` in internal/auth/token.go:88 is ignored"},
			},
			Frictions: []Friction{{Text: "The integration tests need a running Redis and fail without saying so", Suggestion: "Say in README how to start Redis, and skip the tests without it"}},
			Phases: []PhaseLog{
				{Phase: "phase-1", Agent: "situation-analyst", Model: "sonnet", Started: "2026-04-01T09:00:10Z", DurationMS: 45_000, Tokens: 15_000},
				{Phase: "phase-3", Agent: "architect", Model: "opus", Started: "2026-04-01T09:05:00Z", DurationMS: 120_000, Tokens: 40_000},
				{Phase: "phase-3b", Agent: "design-reviewer", Model: "sonnet", Started: "2026-04-01T09:08:00Z", DurationMS: 60_000, Tokens: 20_000, Verdict: "REVISE"},
				{Phase: "phase-3", Agent: "architect", Model: "opus", Started: "2026-04-01T09:10:00Z", DurationMS: 90_000, Tokens: 30_000, Revision: 1},
				{Phase: "phase-3b", Agent: "design-reviewer", Model: "sonnet", Started: "2026-04-01T09:12:00Z", DurationMS: 50_000, Tokens: 18_000, Verdict: "APPROVE", Revision: 1},
				{Phase: "checkpoint-a", Started: "2026-04-01T09:13:00Z", Verdict: ""},
				{Phase: "phase-5", Task: "1", Agent: "implementer", Model: "sonnet", Started: "2026-04-01T10:00:00Z", DurationMS: 3_723_000, Tokens: 1_200_000},
				{Phase: "phase-6", Task: "1", Agent: "impl-reviewer", Model: "sonnet", Started: "2026-04-01T11:05:00Z", DurationMS: 70_000, Tokens: 25_000, Verdict: "PASS_WITH_NOTES"},
			},
		},
		{
			SpecName: "ログイン画面の追加", Workspace: ".specs/20260415-ログイン画面の追加", Title: "ログイン画面の追加",
			Status: Completed, Effort: "L", SourceType: "text", Branch: "feature/ログイン画面の追加", Started: "2026-04-15T01:00:00Z", Ended: "2026-04-15T08:00:00Z",
			Request: "メールアドレスとパスワードで認証するログイン画面を追加する。認証に失敗したらエラーを表示する。",
			Summary: "ログイン画面と認証 API を追加した。",
			Files:   []string{"web/src/login.tsx", "internal/auth/login.go"},
			Findings: []Finding{
				{Phase: "phase-3b", Severity: "CRITICAL", Description: "パスワードが平文でログに出力される"},
				{Phase: "phase-6", Severity: "MINOR", Description: "`login.go` のエラーが握りつぶされている"},
				{Phase: "phase-6", Severity: "MINOR", Description: "ログイン失敗時のテストがない"},
			},
			Frictions: []Friction{{Text: "結合テストの実行に Redis が必要だが、README に記載がない", Suggestion: "README に手順を書く"}},
			Phases: []PhaseLog{
				{Phase: "phase-1", Agent: "situation-analyst", Model: "sonnet", DurationMS: 50_000, Tokens: 16_000},
				{Phase: "phase-3b", Agent: "design-reviewer", Model: "sonnet", DurationMS: 65_000, Tokens: 22_000, Verdict: "REVISE"},
			},
		},
		{
			SpecName: "add-dark-mode", Workspace: ".specs/20260520-add-dark-mode", Title: "Add a dark mode to the settings page",
			Status: Abandoned, Phase: "checkpoint-a", Effort: "M", SourceType: "text", Started: "2026-05-20T09:00:00Z", Ended: "2026-05-20T10:00:00Z",
			Request: "Users want a dark theme. Add a switch to the settings page and keep the choice in local storage.",
			Findings: []Finding{
				{Phase: "phase-3b", Severity: "MINOR", Description: "The error of `localStorage.setItem` in web/src/theme.ts:12 is ignored"},
				{Phase: "phase-3b", Severity: "MAJOR", Description: "The design duplicates the colour table of the style guide"},
			},
			Phases: []PhaseLog{{Phase: "phase-1", Agent: "situation-analyst", Model: "sonnet", DurationMS: 30_000, Tokens: 9_000}},
		},
	}
}

// indexOf is an index that is on no disk.
func indexOf(entries []Entry) *Index {
	d := &document{Version: formatVersion}
	for _, e := range entries {
		d.put(e)
	}
	return newIndex("", d)
}

// many makes n pipelines out of words, always the same.
func many(n int) []Entry {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	verbs := strings.Fields("fix add remove refactor document speed-up migrate validate retry cache paginate encrypt rename split")
	parts := strings.Fields("AuthMiddleware TokenStore invoice_parser HTTPServer LoginForm search-index settingsPage cron_runner PDFExporter rateLimiter userProfile mailQueue auditLog featureFlag")
	where := strings.Fields("timeout pagination error-handling tests startup shutdown memory locking logging schema permissions encoding layout metrics")
	what := []string{"does not check the error of", "has no test for", "holds the lock during", "duplicates the logic of", "leaks the connection of", "misses the boundary case in",
		"does not document", "names the variable unlike", "allocates in the loop of", "breaks callers of", "races with", "does not validate the input of"}
	japanese := []string{"のエラーが握りつぶされている", "のテストがない", "の境界値の考慮が漏れている", "と処理が重複している", "の説明が古い", "の命名が規約と異なる", "のロック範囲が広すぎる"}
	why := []string{"so a restart loses data", "which the design asks for", "when the queue is empty", "after a reload", "under load", "for a user without a role", "in the second page", "if the file is missing"}
	phases := strings.Fields("phase-1 phase-2 phase-3 phase-3b phase-4 phase-5 phase-6 phase-7 final-verification final-summary")
	entries := make([]Entry, n)
	for i := range entries {
		title := fmt.Sprintf("%s %s in %s", pick(verbs), pick(where), pick(parts))
		day := now.AddDate(0, 0, -r.IntN(700))
		e := Entry{SpecName: strings.ToLower(strings.ReplaceAll(title, " ", "-")), Title: title, Status: Completed, Effort: pick([]string{"S", "M", "L"}),
			Workspace: fmt.Sprintf(".specs/%s-%d", day.Format("20060102"), i), Ended: day.Format(time.RFC3339),
			Request: strings.Repeat(title+", "+pick(why)+". "+pick(parts)+" "+pick(what)+" "+pick(parts)+". ", 6)}
		for range 4 + r.IntN(8) {
			description := fmt.Sprintf("%s %s %s %s", pick(parts), pick(what), pick(parts), pick(why))
			if r.IntN(4) == 0 {
				description = pick(parts) + " の " + pick(where) + pick(japanese)
			}
			e.Findings = append(e.Findings, Finding{Phase: pick(phases), Severity: pick([]string{Critical, Major, Minor, Minor}), Description: description})
		}
		e.Frictions = []Friction{{Text: fmt.Sprintf("%s %s", pick(what), pick(why)), Suggestion: pick(verbs) + " " + pick(where)}}
		for _, p := range phases {
			e.Phases = append(e.Phases, PhaseLog{Phase: p, Agent: "agent", Model: "sonnet", DurationMS: int64(r.IntN(600_000)), Tokens: int64(r.IntN(90_000))})
		}
		entries[i] = e
	}
	return entries
}

// BenchmarkThousand asks all of a history of 1,000 pipelines. "cold" opens the file
// each time, as a prompt does.
func BenchmarkThousand(b *testing.B) {
	root := b.TempDir()
	if _, _, err := Rebuild(root, func() ([]Entry, error) { return many(1000), nil }); err != nil {
		b.Fatal(err)
	}
	ask := func(x *Index) {
		if len(x.Similar(question.Analyse("fix the token timeout in AuthMiddleware"), Told)) != Told || len(x.Patterns(question.Analyse("token error"), now)) == 0 || len(x.Frictions(question.Analyse("token"), now)) == 0 {
			b.Fatal("nothing found")
		}
	}
	open := func() *Index {
		x, err := Open(root)
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open()
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			ask(open())
		}
	})
	b.Run("warm", func(b *testing.B) {
		x := open()
		ask(x)
		for b.Loop() {
			ask(x)
		}
	})
}
