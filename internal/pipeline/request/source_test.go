package request

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

func TestParseSource(t *testing.T) {
	gh := func(host, id string) Source {
		return Source{Type: GitHubIssue, URL: "https://" + host + "/owner/repo/issues/" + id, ID: id, Host: host, Owner: "owner", Repo: "repo"}
	}
	pull := func(host string) Source {
		return Source{Type: GitHubPull, URL: "https://" + host + "/owner/repo/pull/7", ID: "7", Host: host, Owner: "owner", Repo: "repo"}
	}
	for _, tt := range []struct {
		in   string
		want Source
	}{
		{"https://github.com/owner/repo/issues/42", gh("github.com", "42")},
		{"https://github.com/owner/repo/issues/42/", gh("github.com", "42")},
		{"https://github.com/owner/repo/issues/42#issuecomment-7", gh("github.com", "42")},
		{"https://github.com/owner/repo/issues/42?tab=x", gh("github.com", "42")},
		{"HTTPS://GitHub.com/owner/repo/issues/42", gh("github.com", "42")},
		{"https://www.github.com:443/owner/repo/issues/42", gh("github.com", "42")},
		{"<https://github.com/owner/repo/issues/42>", gh("github.com", "42")},
		{"github.com/owner/repo/issues/42", gh("github.com", "42")},
		{"https://github.corp.example/owner/repo/issues/42", gh("github.corp.example", "42")},
		{"https://GHE.example:8443/owner/repo/issues/42", gh("ghe.example:8443", "42")},
		{"owner/repo#42", gh("github.com", "42")},
		{"github.corp.example/owner/repo#42", gh("github.corp.example", "42")},
		{"https://github.com/a_b/.github/issues/1", Source{Type: GitHubIssue, URL: "https://github.com/a_b/.github/issues/1", ID: "1", Host: "github.com", Owner: "a_b", Repo: ".github"}},

		{"https://github.com/owner/repo/pull/7", pull("github.com")},
		{"https://github.com/owner/repo/pull/7/files#r12", pull("github.com")},
		{"github.com/owner/repo/pull/7/commits/0123abc", pull("github.com")},
		{"https://github.corp.example/owner/repo/pull/7", pull("github.corp.example")},
		{"owner/repo/pull/7", pull("github.com")},
		{"https://github.com/owner/repo/pull/7 broke the build", Source{Type: Text}},
		{"docs/owner/pull/x", Source{Type: Text}},

		{"https://acme.atlassian.net/browse/SOA-123", Source{Type: JiraIssue, URL: "https://acme.atlassian.net/browse/SOA-123", ID: "SOA-123"}},
		{"https://acme.atlassian.net/browse/soa-123?focusedId=1", Source{Type: JiraIssue, URL: "https://acme.atlassian.net/browse/soa-123", ID: "SOA-123"}},
		{"acme.atlassian.net/browse/SOA-123", Source{Type: JiraIssue, URL: "https://acme.atlassian.net/browse/SOA-123", ID: "SOA-123"}},
		{"https://linear.app/acme/issue/ENG-7", Source{Type: LinearIssue, URL: "https://linear.app/acme/issue/ENG-7", ID: "ENG-7"}},
		{"https://linear.app/acme/issue/ENG-7/fix-the-login", Source{Type: LinearIssue, URL: "https://linear.app/acme/issue/ENG-7/fix-the-login", ID: "ENG-7"}},

		{".specs/20260330-fix", Source{Type: Workspace, ID: ".specs/20260330-fix"}},
		{"./.specs/20260330-fix/", Source{Type: Workspace, ID: ".specs/20260330-fix"}},
		{`.specs\20260330-fix`, Source{Type: Workspace, ID: ".specs/20260330-fix"}},
		{".specs/20260330-fix/design.md", Source{Type: Workspace, ID: ".specs/20260330-fix"}},
		{".specs/20260401-ログイン", Source{Type: Workspace, ID: ".specs/20260401-ログイン"}},

		{"fix the login", Source{Type: Text}},
		{"see https://github.com/owner/repo/issues/42", Source{Type: Text}},
		{"https://github.com/owner/repo/issues/42 but only the header", Source{Type: Text}},
		{"https://example.com/spec を実装する", Source{Type: Text}},
		{"clean .specs/ up", Source{Type: Text}},
		{".specification/x", Source{Type: Text}},
		{"docs/.specs/x", Source{Type: Text}},
		{"owner/repo#x", Source{Type: Text}},
		{"owner/repo#042", Source{Type: Text}},
		{"-owner/repo#42", Source{Type: Text}},
		{"a/b/c#1", Source{Type: Text}},
		{"other.example/owner/repo#42", Source{Type: Text}},
		{"#42", Source{Type: Text}},
		{"internal/pipeline/request/source.go", Source{Type: Text}},
		{"example.com/owner/repo/issues/42", Source{Type: Text}},
	} {
		got, err := ParseSource(tt.in, options)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.in, diff)
		}
	}
}

func TestParseSourceErrors(t *testing.T) {
	for _, in := range []string{
		"https://example.com/", "ftp://github.com/owner/repo/issues/42", "file:///etc/passwd", "https://github.com",
		"https://github.com/owner/repo", "https://github.com/owner/repo/pull/42/conflicts", "https://github.com/owner/repo/pull/x", "https://github.com/owner/repo/issues",
		"https://github.com/owner/repo/issues/new", "https://github.com/owner/repo/issues/42abc", "https://github.com/owner/repo/issues/0",
		"https://github.com/owner/repo/issues/42/events", "https://github.com/x/owner/repo/issues/42",
		"https://github.com/-owner/repo/issues/42", "https://github.com/owner/../issues/42", "https://github.com/o%2fx/repo/issues/42",
		"https://github.com.evil.example/owner/repo/issues/42", "https://evil.example/github.com/owner/repo/issues/42",
		"https://evil.example/?u=https://github.com/owner/repo/issues/42", "https://evil.example#https://github.com/owner/repo/issues/42",
		"https://github.com@evil.example/owner/repo/issues/42", "https://user@github.com/owner/repo/issues/42",
		"https://github.com:8443/owner/repo/issues/42", "https://ghe.example/owner/repo/issues/42", "https://other.corp.example/owner/repo/issues/42",
		"github.com/owner/repo/pulls/42",
		"https://atlassian.net/browse/SOA-123", "https://acme.atlassian.net.evil.example/browse/SOA-123", "https://evilatlassian.net/browse/SOA-123",
		"https://acme.atlassian.net/browse/SOA", "https://acme.atlassian.net/browse/SOA-123x", "https://acme.atlassian.net/jira/boards/1",
		"https://linear.app/acme/issue/ENG", "https://linear.app/acme/project/ENG-7", "https://evil.linear.app/acme/issue/ENG-7",
		"https://[::1", "https://%zz/",
	} {
		if s, err := ParseSource(in, options); err == nil || !strings.HasPrefix(err.Error(), "unknown source: ") {
			t.Errorf("%s: %+v, %v", in, s, err)
		}
	}
	for _, in := range []string{".specs", ".specs/", ".specs//.", ".specs/../etc", ".specs/x/../../..", "./.specs/..", `.specs\..\x`} {
		if s, err := ParseSource(in, options); err == nil || !strings.HasPrefix(err.Error(), "workspace not found: ") {
			t.Errorf("%s: %+v, %v", in, s, err)
		}
	}
}

// TestNoPassword: an error does not repeat what must not be shown.
func TestNoPassword(t *testing.T) {
	_, err := ParseSource("https://me:secret@github.com/owner/repo/issues/42", options)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// TestParseReopening: a workspace with more behind it is one to go on in, if it has ended.
func TestParseReopening(t *testing.T) {
	r, errs := Parse("--nopr .specs/20260330-fix Also mend the footer", options)
	if errs != nil || r.Workspace != ".specs/20260330-fix" || r.Goes != "Also mend the footer" {
		t.Fatalf("%+v, %v", r, errs)
	}
	on := r.Reopening()
	want := Request{Flags: Flags{SkipPR: true}, Source: Source{Type: Workspace, URL: ".specs/20260330-fix"}, Text: "Also mend the footer"}
	if diff := cmp.Diff(want, on); diff != "" {
		t.Error(diff)
	}
	if got := on.specName(); got != "also-mend-the-footer" {
		t.Errorf("spec name %q", got)
	}
	if p := r.Plain(); p.Source.Type != Text || p.Workspace != "" || p.Text != ".specs/20260330-fix Also mend the footer" {
		t.Errorf("%+v", p)
	}
}

func TestParseWorkspace(t *testing.T) {
	r, errs := Parse("--auto ./.specs/20260330-fix/", options)
	if errs != nil {
		t.Fatal(errs)
	}
	want := Request{Flags: Flags{Auto: true}, Source: Source{Type: Workspace}, Text: "./.specs/20260330-fix/", Workspace: ".specs/20260330-fix"}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	if got := r.specName(); got != "20260330-fix" {
		t.Errorf("spec name %q", got)
	}
}

func TestFetch(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want *Fetch
	}{
		{"github.corp.example/owner/repo#42", &Fetch{
			Type: "github", Fields: []string{"labels", "title", "body"},
			Instruction: msg.New("request.fetch_issue_fields_before_calling", "github", op.PipelineInitWithContext),
			Argv:        []string{"gh", "issue", "view", "42", "--repo", "github.corp.example/owner/repo", "--json", "labels,title,body"},
			Mapping:     map[string]string{"labels": "github_labels", "title": "github_title", "body": "github_body"},
		}},
		{"https://acme.atlassian.net/browse/SOA-123", &Fetch{
			Type: "jira", Fields: []string{"issuetype", "story_points", "summary", "description"},
			Instruction: msg.New("request.fetch_issue_fields_before_calling", "jira", op.PipelineInitWithContext),
			Mapping: map[string]string{"issuetype": "jira_issue_type", "story_points": "jira_story_points",
				"summary": "jira_summary", "description": "jira_description"},
		}},
		{"https://linear.app/acme/issue/ENG-7", &Fetch{
			Type: "linear", Fields: []string{"labels", "title", "description", "estimate"},
			Instruction: msg.New("request.fetch_issue_fields_before_calling", "linear", op.PipelineInitWithContext),
			Mapping: map[string]string{"labels": "linear_labels", "title": "linear_title",
				"description": "linear_description", "estimate": "linear_estimate"},
		}},
		{"fix the login", nil},
		{".specs/20260330-fix", nil},
	} {
		s, err := ParseSource(tt.in, options)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, s.fetch()); diff != "" {
			t.Errorf("%s: %s", tt.in, diff)
		}
	}
}
