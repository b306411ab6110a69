package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
)

// A PullRequestText composes the texts that one pipeline posts on GitHub.
type PullRequestText struct {
	State     *engine.State
	Workspace *workspace.Workspace
	GitHub    Branch
}

// The most of a pull request, in characters. GitHub takes 256 and 65,536.
const (
	maxTitle = 120
	MaxBody  = 30_000
)

// Title is the title of the issue, else of the summary, else of the request, behind the
// type of the change, unless it begins with one.
func (p PullRequestText) Title() string {
	title := artifact.Harmless(p.State.Title)
	if p.State.Untitled || p.State.Source.Type == request.Text {
		if summary, err := p.Workspace.Read(engine.SummaryFile); err == nil {
			if said, _ := artifact.SummaryTitle(summary); artifact.Unseen(said, p.runs()) == said {
				title = cmp.Or(artifact.Harmless(said), title)
			}
		}
	}
	if title == "" {
		title = p.State.SpecName
	}
	if !request.Conventional(title) {
		title = p.Kind() + ": " + title
	}
	return text.Clip(title, maxTitle)
}

// Body describes the pull request by the summary; without one, by design and tasks.
func (p PullRequestText) Body(ctx context.Context) (string, error) {
	var b strings.Builder
	summary, err := p.summaryText()
	if err != nil {
		return "", err
	}
	if summary != "" {
		b.WriteString(summary + "\n")
	} else {
		p.describePlan(&b)
	}
	p.describeChecks(&b)
	for i, line := range p.State.WeakenedTests() {
		if i == 0 {
			b.WriteString("\n## Weakened tests\n\n")
		}
		b.WriteString("- " + quote.Path(line) + "\n")
	}
	if open := p.OpenFindings(); len(open) > 0 {
		b.WriteString("\n## Critical findings that were not fixed\n\n- " + strings.Join(open, "\n- ") + "\n")
	}
	fmt.Fprintf(&b, "\nSpecification: `%s`", p.Workspace.Path())
	if closes := p.closes(ctx); closes != "" {
		fmt.Fprintf(&b, "\n\nCloses %s", closes)
	}
	return b.String(), nil
}

// runs are the commands that the server ran on what is delivered.
func (p PullRequestText) runs() (all []artifact.Run) {
	for _, c := range p.State.Checks {
		all = append(all, artifact.Run{Command: c.Command, Passed: c.Passed, Figures: c.Figures})
	}
	return all
}

// summaryText is summary.md, as much of it as a pull request takes, what it says of results that the server did
// not see marked; "" if there is none.
func (p PullRequestText) summaryText() (string, error) {
	summary, err := p.Workspace.Read(engine.SummaryFile)
	if err != nil && (errors.Is(err, fs.ErrNotExist) || problem.Of(err) != nil) {
		return "", nil
	}
	_, summary = artifact.SummaryTitle(summary)
	summary = artifact.Unseen(artifact.Contained(artifact.WithoutHeading(summary), checksHeading), p.runs())
	return shortenedTo(strings.TrimSpace(summary), MaxBody, p.Workspace.Path()+"/"+engine.SummaryFile), err
}

const checksHeading = "Checks run by code-intel"

// describeChecks says which commands the server itself ran on what is delivered. Whatever the
// summary says was run is the word of agents.
func (p PullRequestText) describeChecks(b *strings.Builder) {
	b.WriteString("\n## " + checksHeading + "\n\n")
	for _, c := range p.State.Checks {
		fmt.Fprintf(b, "- `%s`: %s", strings.ReplaceAll(quote.Path(c.Command), "`", "'"), quote.Path(outcome(c)))
		for _, what := range c.Unknown {
			b.WriteString("; " + text.OneLine(what.String()))
		}
		b.WriteString("\n")
	}
	switch said := p.NotRun(); {
	case said != "":
		fmt.Fprintf(b, "None, and the verification says: %q\n", said)
	case len(p.State.Checks) == 0:
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
		said += fmt.Sprintf(", and %s: %s %s not show it", without, strings.Join(c.Without, ", "), doOrDoes(c.Without))
	}
	if len(c.Old) > 0 {
		said += "; with the tests as they were before this change, these fail: " + strings.Join(engine.TestNames(c.Old), ", ")
	}
	return said
}

func doOrDoes(files []string) string {
	if len(files) == 1 {
		return "does"
	}
	return "do"
}

func (p PullRequestText) describePlan(b *strings.Builder) {
	if text, err := p.Workspace.Read(engine.DesignFile); err == nil {
		b.WriteString("## Design\n\n" + textformat.CutLines(textformat.Section(text), 30) + "\n\n")
	}
	b.WriteString("## Tasks\n\n")
	for _, k := range p.State.Tasks {
		mark := "x"
		if k.Status == engine.TaskSkipped {
			mark = " "
		}
		fmt.Fprintf(b, "- [%s] %s: %s\n", mark, k.ID, text.OneLine(k.Title))
	}
}

// OpenFindings are the critical findings of reviews that went out as they are: a person took them, or
// the verifier passed over what the comprehensive review, which gives no verdict, had found.
func (p PullRequestText) OpenFindings() (lines []string) {
	add := func(j engine.Judgement) {
		for _, f := range j.Findings {
			if line := text.Clip(text.OneLine(f.Description.String()), 300); f.Severity == artifact.Critical && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	fixed := false
	for _, k := range p.State.Tasks {
		fixed = fixed || k.Fix
		if k.Review != nil && k.Review.Verdict == string(artifact.Fail) {
			add(*k.Review)
		}
	}
	if j := p.State.Reviews[engine.FinalVerification]; j.Verdict == string(artifact.Fail) {
		add(j)
	}
	if !fixed {
		add(p.State.Reviews[engine.Comprehensive])
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
func (p PullRequestText) closes(ctx context.Context) string {
	source := p.State.Source
	switch source.Type {
	case request.GitHubIssue:
		if at := RemoteURL.FindStringSubmatch(strings.TrimSuffix(source.URL, "/issues/"+source.ID)); at != nil && p.GitHub.HasOtherRemotes(ctx, at) {
			return at[2] + "#" + source.ID
		}
		return "#" + source.ID
	case request.JiraIssue, request.LinearIssue:
		return fmt.Sprintf("%s (%s)", source.ID, source.URL)
	}
	return ""
}

// Comment is what is written below the issue.
func (p PullRequestText) Comment() (string, error) {
	summary, err := p.summaryText()
	return summary + "\n\n" + request.ReplyMark(p.Workspace.Path()), err
}

// Reply is the answer to the comments of the pull request.
func (p PullRequestText) Reply() (string, error) {
	var b strings.Builder
	if len(p.State.Pull.Comments) > 0 {
		b.WriteString("The review comments, one by one:\n\n")
	}
	for _, c := range p.State.Pull.Comments {
		said := artifact.Unseen(textformat.FirstText(c.Answer, c.ID+": not answered"), p.runs())
		fmt.Fprintf(&b, "- %s ([%s](%s))\n", said, strings.NewReplacer("[", "(", "]", ")").Replace(c.Author), cmp.Or(c.URL, p.State.Pull.URL))
	}
	summary, err := p.summaryText()
	if summary != "" {
		b.WriteString("\n" + summary + "\n")
	}
	fmt.Fprintf(&b, "\nSpecification: `%s`\n\n%s", p.Workspace.Path(), request.ReplyMark(p.Workspace.Path()))
	return b.String(), err
}

// kinds are the words with which the messages of commits and the titles of pull
// requests begin, by the type of branch.
var kinds = map[string]string{"feature": "feat", "fix": "fix", "refactor": "refactor", "docs": "docs", "chore": "chore"}

// Kind is the word for the pipeline's type of branch.
func (p PullRequestText) Kind() string {
	if k := kinds[p.State.BranchType]; k != "" {
		return k
	}
	return "feat"
}

// NotRun is where the last verification says that it ran nothing, and the server ran nothing either;
// "" if one of them did.
func (p PullRequestText) NotRun() string {
	if len(p.State.Checks) > 0 {
		return ""
	}
	name := "final-verification.md"
	if p.State.Unplanned() {
		name = "review-1.md"
	}
	text, err := p.Workspace.Read(name)
	if err != nil {
		return ""
	}
	return artifact.NotRun(text)
}
