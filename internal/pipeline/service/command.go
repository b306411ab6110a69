package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/digest"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow/phase"
)

// command is the argument vector of a phase that runs one.
func (t *turn) command(ctx context.Context, id phase.ID) ([]string, error) {
	if id == engine.PostToSource {
		body, err := t.comment()
		return []string{"gh", "issue", "comment", t.st.Source.URL, "--body", quote.Text(body)}, err
	}
	if t.st.Pull != nil {
		body, err := t.replyBody()
		return []string{"gh", "pr", "comment", t.st.Pull.URL, "--body", quote.Text(body)}, err
	}
	body, err := t.pullBody(ctx)
	body = quote.Text(body)
	argv := []string{"gh", "pr", "create", "--title", t.pullTitle(), "--body", body, "--head", t.github().Head(ctx)}
	if t.st.PullToFix != "" {
		argv = []string{"gh", "pr", "edit", t.st.PullToFix, "--title", t.pullTitle(), "--body", body}
	}
	if t.st.BaseBranch != "" && t.st.BaseBranch != t.st.Branch {
		argv = append(argv, "--base", t.st.BaseBranch)
	}
	return argv, err
}

// The most of a pull request, in characters. GitHub takes 256 and 65,536.
const (
	maxPullTitle = 120
	maxPullBody  = 30_000
)

// pullTitle is the title of the issue, else of the summary, else of the request, behind the
// type of the change, unless it begins with one.
func (t *turn) pullTitle() string {
	title := artifact.Harmless(t.st.Title)
	if t.st.Untitled || t.st.Source.Type == request.Text {
		if summary, err := t.w.Read(engine.SummaryFile); err == nil {
			said, _ := artifact.SummaryTitle(summary)
			title = cmp.Or(artifact.Harmless(said), title)
		}
	}
	if title == "" {
		title = t.st.SpecName
	}
	if !request.Conventional(title) {
		title = t.kind() + ": " + title
	}
	return text.Clip(title, maxPullTitle)
}

// pullBody describes the pull request by the summary; without one, by design and tasks.
func (t *turn) pullBody(ctx context.Context) (string, error) {
	var b strings.Builder
	summary, err := t.summaryText()
	if err != nil {
		return "", err
	}
	if summary != "" {
		b.WriteString(summary + "\n")
	} else {
		t.describePlan(&b)
	}
	t.describeChecks(&b)
	for i, line := range t.weakenedTests() {
		if i == 0 {
			b.WriteString("\n## Weakened tests\n\n")
		}
		b.WriteString("- " + quote.Path(line) + "\n")
	}
	if open := t.openFindings(); len(open) > 0 {
		b.WriteString("\n## Critical findings that were not fixed\n\n- " + strings.Join(open, "\n- ") + "\n")
	}
	fmt.Fprintf(&b, "\nSpecification: `%s`", t.w.Path())
	if closes := t.closes(ctx); closes != "" {
		fmt.Fprintf(&b, "\n\nCloses %s", closes)
	}
	return b.String(), nil
}

// summaryText is summary.md, as much of it as a pull request takes; "" if there is none.
func (t *turn) summaryText() (string, error) {
	summary, err := t.w.Read(engine.SummaryFile)
	if err != nil && (errors.Is(err, fs.ErrNotExist) || problem.Of(err) != nil) {
		return "", nil
	}
	_, summary = artifact.SummaryTitle(summary)
	summary = artifact.Contained(artifact.WithoutHeading(summary), checksHeading)
	return shortenedTo(strings.TrimSpace(summary), maxPullBody, t.w.Path()+"/"+engine.SummaryFile), err
}

const checksHeading = "Checks run by code-intel"

// describeChecks says which commands the server itself ran on what is delivered. Whatever the
// summary says was run is the word of agents.
func (t *turn) describeChecks(b *strings.Builder) {
	b.WriteString("\n## " + checksHeading + "\n\n")
	for _, c := range t.st.Checks {
		fmt.Fprintf(b, "- `%s`: %s", strings.ReplaceAll(quote.Path(c.Command), "`", "'"), quote.Path(outcome(c)))
		for _, what := range c.Unknown {
			b.WriteString("; " + text.OneLine(what.String()))
		}
		b.WriteString("\n")
	}
	switch said := t.notRun(); {
	case said != "":
		fmt.Fprintf(b, "None, and the verification says: %q\n", said)
	case len(t.st.Checks) == 0:
		b.WriteString("None: what was run is what the agents say.\n")
	}
}

// outcome says how a command ended.
func outcome(c engine.Check) string {
	said, without := "passed", "passes without this change too"
	switch {
	case len(c.Before) > 0:
		said, without = "failed, as before this change: "+strings.Join(c.Before, ", "), "fails no more without this change"
	case !c.Passed:
		return "failed"
	}
	if len(c.Without) > 0 {
		said += fmt.Sprintf(", and %s: %s %s not show it", without, strings.Join(c.Without, ", "), does(c.Without))
	}
	if len(c.Old) > 0 {
		said += "; with the tests as they were before this change, these fail: " + strings.Join(namesOf(c.Old), ", ")
	}
	return said
}

func does(files []string) string {
	if len(files) == 1 {
		return "does"
	}
	return "do"
}

func (t *turn) describePlan(b *strings.Builder) {
	if text, err := t.w.Read(engine.DesignFile); err == nil {
		b.WriteString("## Design\n\n" + digest.CutLines(digest.Section(text), 30) + "\n\n")
	}
	b.WriteString("## Tasks\n\n")
	for _, k := range t.st.Tasks {
		mark := "x"
		if k.Status == engine.TaskSkipped {
			mark = " "
		}
		fmt.Fprintf(b, "- [%s] %s: %s\n", mark, k.ID, text.OneLine(k.Title))
	}
}

// openFindings are the critical findings of reviews that went out as they are: a person took them, or
// the verifier passed over what the comprehensive review, which gives no verdict, had found.
func (t *turn) openFindings() (lines []string) {
	add := func(j engine.Judgement) {
		for _, f := range j.Findings {
			if line := text.Clip(text.OneLine(f.Description.String()), 300); f.Severity == artifact.Critical && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	fixed := false
	for _, k := range t.st.Tasks {
		fixed = fixed || k.Fix
		if k.Review != nil && k.Review.Verdict == string(artifact.Fail) {
			add(*k.Review)
		}
	}
	if j := t.st.Reviews[engine.FinalVerification]; j.Verdict == string(artifact.Fail) {
		add(j)
	}
	if !fixed {
		add(t.st.Reviews[engine.Comprehensive])
	}
	return lines
}

// shortenedTo returns the first lines of a text, as many characters at most, and where the rest
// is to be found.
func shortenedTo(content string, most int, file string) string {
	if len(content) <= most {
		return content
	}
	head := text.Prefix(content, most)
	if at := strings.LastIndexByte(head, '\n'); at > 0 {
		head = head[:at]
	}
	return strings.TrimRight(head, "\n") + "\n\n… The rest is in `" + file + "`."
}

// closes names the issue that the pull request closes, "" if there is none: one of another
// repository by its owner, too.
func (t *turn) closes(ctx context.Context) string {
	source := t.st.Source
	switch source.Type {
	case request.GitHubIssue:
		if at := github.RemoteURL.FindStringSubmatch(strings.TrimSuffix(source.URL, "/issues/"+source.ID)); at != nil && t.github().HasOtherRemotes(ctx, at) {
			return at[2] + "#" + source.ID
		}
		return "#" + source.ID
	case request.JiraIssue, request.LinearIssue:
		return fmt.Sprintf("%s (%s)", source.ID, source.URL)
	}
	return ""
}
