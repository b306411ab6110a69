// Package projectrules reads the rules of the project that a session works in, from AGENTS.md, CLAUDE.md or a
// similar document.
//
// They are the first of two layers: a summary of what always applies, kept in context.yml and
// made from a document that the project's people wrote. The second layer, the rules for one
// task, is the session's own.
package projectrules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// Rules is what a project says always holds.
type Rules struct {
	Source  string // the document, relative to the root; empty if there is none
	Summary string // what serves as the summary now
	Hash    string // of the document, as context.yml would keep it
	Stale   bool   // the kept summary is missing or of an older document
	Missing bool   // there is none: the headings of the document serve

	From string // the file that Summary was taken from, from the root
	Text []byte // what of it decides whether Summary may be followed, see [trust.Texts]
}

// contextFile is what keeps the summary.
const contextFile = project.Dir + "/context.yml"

// Load returns the rules of the project. A summary whose document has changed
// since still serves; without one, the headings and first bullets of the
// document do.
func Load(p *project.Project) (Rules, error) {
	ctx, err := p.LoadContext()
	if err != nil {
		return Rules{}, err
	}
	kept := ctx.ProjectRules
	name, content, err := document(p, kept.Source)
	if err != nil {
		return Rules{}, err
	}
	r := Rules{Source: name, Summary: strings.TrimSpace(kept.Summary)}
	r.From, r.Text = contextFile, []byte(r.Summary)
	if name == "" {
		return r, nil
	}
	r.Hash = text.Hash(content)
	r.Stale = r.Summary == "" || kept.ContentHash != r.Hash
	if r.Summary == "" {
		r.Missing, r.Summary = true, digest(content)
		r.From, r.Text = name, []byte(content)
	}
	return r, nil
}

// Ask is the sentence that asks the model for a new summary.
func (r Rules) Ask() msg.Message {
	if r.Missing {
		return msg.New("rules.no_summary_project_rules_yet", r.Source,
			msg.CallOf(op.UpdateContext, "project_rules_summary", "DO: … DON'T: …"))
	}
	return msg.New("rules.summary_is_out_of_date", r.Source,
		msg.CallOf(op.UpdateContext, "project_rules_summary", "DO: … DON'T: …"))
}

// Asks reports whether a message is what [Rules.Ask] says.
func Asks(m msg.Message) bool {
	return m.Is("rules.no_summary_project_rules_yet") || m.Is("rules.summary_is_out_of_date")
}

// Update keeps a new summary, made of the document as it is now.
func Update(p *project.Project, summary string, now time.Time) (Rules, error) {
	if strings.TrimSpace(summary) == "" {
		return Rules{}, problem.New(problem.InvalidArgument, "rules.project_rules_summary_empty").
			Or("rules.send_do_don_t_list")
	}
	ctx, err := p.LoadContext()
	if err != nil {
		return Rules{}, err
	}
	name, content, err := document(p, ctx.ProjectRules.Source)
	if err != nil {
		return Rules{}, err
	}
	r := Rules{Source: name, Summary: strings.TrimSpace(summary)}
	if name != "" {
		r.Hash = text.Hash(content)
	}
	r.From, r.Text = contextFile, []byte(r.Summary)
	err = p.UpdateContext(project.ContextUpdate{Source: &r.Source, Summary: &r.Summary,
		ContentHash: &r.Hash, LastSynced: &now})
	return r, err
}

// document returns the name and text of the file that holds the rules: the one
// that context.yml names if it is there, else the first of [project.RuleFiles].
func document(p *project.Project, named string) (name, text string, err error) {
	candidates := project.RuleFiles
	if named != "" {
		candidates = append([]string{named}, candidates...)
	}
	for _, c := range candidates {
		rel, err := p.Resolve(c)
		if err != nil {
			return "", "", fmt.Errorf("project rules: %w", err)
		}
		data, err := repofile.In(p.Root, rel).Read(repofile.Settings)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", "", fmt.Errorf("project rules: %w", err)
		}
		return c, string(data), nil
	}
	return "", "", nil
}

// budget is how many bytes the digest of a document may have.
const budget = 6000

// digest returns what a Markdown text rules: its headings, the labels of its lists
// ("DON'T:") and its list items whole, in their order, as far as the budget goes. What
// is left out is said, and an item is never given without the label above it.
func digest(text string) string {
	var out []string
	label, size, left := "", 0, 0
	add := func(line string) {
		if left > 0 || size+len(line) > budget {
			left++
			return
		}
		out, size = append(out, line), size+len(line)+1
	}
	for _, l := range markdown.Read(text) {
		switch line := strings.TrimSpace(l.Text); {
		case l.Level > 0:
			add(strings.Repeat("#", l.Level) + " " + line)
			label = ""
		case l.Item:
			if label != "" {
				add(label)
				label = ""
			}
			add(strings.Repeat("  ", max(0, l.Depth-1)) + "- " + line)
		case l.Depth > 0: // an item goes on
			switch last := len(out) - 1; {
			case last < 0 || left > 0:
			case size+len(line) > budget: // half an item may say the opposite
				out, left = out[:last], 1
			default:
				out[last] += " " + line
				size += len(line) + 1
			}
		case labels(line):
			label = line
		case line != "":
			if !negation.MatchString(label) { // what is forbidden may be explained before it is listed
				label = ""
			}
			if negation.MatchString(line) {
				add(line)
			}
		}
	}
	if left > 0 {
		out = append(out, msg.New("rules.digest_is_cut", left).String())
	}
	return strings.Join(out, "\n")
}

// labels reports whether a line introduces the list below it.
func labels(line string) bool {
	bare := strings.TrimRight(line, "*_ ")
	return strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "：")
}

// negation finds prose that forbids.
var negation = lazyregexp.MustCompile(`(?i)\b(?:don'?t|do not|never|must not|mustn'?t|avoid|forbidden|prohibited)\b|ては(?:いけない|いけません|ならない|なりません|だめ|ダメ)|では(?:いけない|ならない)|ないこと|ないで(?:ください|下さい)|禁止|厳禁|べからず`)

// Documents returns the documents in the folders that context.yml names.
func Documents(p *project.Project) ([]string, error) {
	c, err := p.LoadContext()
	if err != nil {
		return nil, err
	}
	var docs []string
	for _, dir := range c.DocResearch.DocsPath {
		rel, err := p.Resolve(dir)
		if err != nil {
			return nil, err
		}
		found, err := doublestar.Glob(os.DirFS(p.Abs(rel)), "**/*.{md,txt,rst,adoc}", doublestar.WithFilesOnly(),
			doublestar.WithNoFollow())
		if err != nil {
			return nil, fmt.Errorf("documents in %s: %w", dir, err)
		}
		for _, f := range found {
			docs = append(docs, filepath.ToSlash(filepath.Join(rel, f)))
		}
	}
	slices.Sort(docs)
	return docs, nil
}
