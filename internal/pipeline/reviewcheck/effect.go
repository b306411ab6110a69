package reviewcheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/syntax"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
	"codeintel/internal/workflow/codediff/reason"
)

// A change is what the pipeline has changed, in whichever task.
type change struct {
	files   []git.Change
	unknown bool           // the commit where the work began is there no more
	claimed []string       // those files of which the review is
	diff    *codediff.Diff // of the claimed files that are there, each as if it were new
}

// compare compares the tree with the commit where the work began.
func (r Checker) compare(ctx context.Context, claimed []string) (change, error) {
	head, err := taskbranch.HeadTree(ctx, r.Repo)
	if err != nil {
		return change{}, err
	}
	files, err := r.Repo.Diff(ctx, r.State.BaseCommit, head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return change{unknown: true}, nil
	} else if err != nil {
		return change{}, err
	}
	now := func(file string) []byte { return workflow.TextNow(r.Project.Root, file) }
	var texts []codediff.File
	for _, f := range claimed {
		if text := now(f); text != nil {
			texts = append(texts, codediff.File{Path: f, New: text})
		}
	}
	return change{files: files, claimed: claimed, diff: codediff.Compare(texts, now)}, nil
}

// isWhole reports whether every place of a file is in the change: it is new, gone, renamed, or no text.
func isWhole(c git.Change) bool { return c.Status != git.Modified || len(c.Hunks) == 0 }

// aroundChange is how many lines before and after a change still show it: those that git shows
// with it.
const aroundChange = 3

func isNear(h git.Range, p artifact.Place) bool {
	return p.Line <= h.End+aroundChange && p.Last >= h.Start-aroundChange
}

// differs reports whether a place is in the change. Every place is if the commit where the work
// began is there no more.
func (d change) differs(p artifact.Place) bool {
	return d.unknown || slices.ContainsFunc(d.files, func(c git.Change) bool {
		return (c.Path == p.Path || c.OldPath == p.Path) && (isWhole(c) ||
			p.Line > 0 && slices.ContainsFunc(c.Hunks, func(h git.Range) bool { return isNear(h, p) }))
	})
}

// changedPlaces returns a place in the change of each of the files.
func (d change) changedPlaces(files []string) (named []string) {
	if d.unknown {
		return files
	}
	for _, c := range d.files {
		switch {
		case !slices.Contains(files, c.Path):
		case isWhole(c):
			named = append(named, artifact.Spelled(c.Path))
		default:
			named = append(named, fmt.Sprintf("%s:%d-%d", artifact.Spelled(c.Path), c.Hunks[0].Start, c.Hunks[0].End))
		}
	}
	return named
}

// withoutEffect are the messages on code that does nothing when the program runs, by the reason.
var withoutEffect = map[reason.Reason]string{
	reason.LeftOut:     "pipeline.criterion_by_left_out",
	reason.Unreachable: "pipeline.criterion_by_unreachable",
	reason.Stub:        "pipeline.criterion_by_stub",
	reason.NoEffect:    "pipeline.criterion_by_no_effect",
	reason.InString:    "pipeline.criterion_by_text",
}

// dead returns a place by which an entry shows its criterion, and why what changed there does nothing when the
// program runs; "" if something that the entry names does, or if what was asked for is such code.
func (d change) dead(e artifact.Criterion, asked string) (at artifact.Place, why reason.Reason) {
	if d.unknown || len(e.Commands) > 0 {
		return at, ""
	}
	for _, p := range e.Places {
		if p.Aside || !slices.Contains(d.claimed, p.Path) {
			continue
		}
		v := d.around(p)
		if p.Line == 0 || !d.diff.Known(p.Path) || len(v.Lines) > 0 || withoutEffect[v.Why] == "" ||
			reason.IsSubject(v.Why, e.Text+"\n"+asked) ||
			v.Why == reason.LeftOut && reason.IsSubject(v.Why, p.Path) ||
			v.Why == reason.Stub && reason.Speaks(asked, placeholders) {
			return at, ""
		}
		at, why = p, v.Why
	}
	return at, why
}

// placeholders are words by which a request asks for a function without its implementation.
var placeholders = []string{"stub", "placeholder", "skeleton", "scaffold", "not implemented", "notimplemented", "unimplemented",
	"abstract", "interface", "雛形", "未実装", "スタブ"}

// around returns what the change does that a place of a file shows.
func (d change) around(p artifact.Place) (v codediff.Verdict) {
	for _, c := range d.files {
		if c.Path != p.Path {
			continue
		}
		if isWhole(c) {
			return d.diff.Lines(p.Path, p.Line, p.Last)
		}
		for _, h := range c.Hunks {
			if !isNear(h, p) {
				continue
			}
			one := d.diff.Lines(p.Path, h.Start, h.End)
			if len(one.Lines) > 0 {
				return one
			}
			if withoutEffect[v.Why] == "" {
				v = one
			}
		}
	}
	return v
}

// isIdle reports whether the change does nothing at all when the program runs, although the texts ask for more
// than comments and the like.
func (d change) isIdle(asked string) bool {
	if d.unknown {
		return false
	}
	for _, f := range d.claimed {
		if lang := syntax.Detect(f, nil); lang == syntax.Unknown || syntax.Of(lang).Prose || !d.diff.Known(f) {
			return false
		}
		i := slices.IndexFunc(d.files, func(c git.Change) bool { return c.Path == f })
		if i < 0 || isWhole(d.files[i]) && d.files[i].Status != git.Added {
			return false
		}
		hunks := d.files[i].Hunks
		if isWhole(d.files[i]) {
			hunks = []git.Range{{Start: 1, End: math.MaxInt - 1}}
		}
		for _, h := range hunks {
			v := d.diff.Lines(f, h.Start, h.End)
			idle := withoutEffect[v.Why] != "" || v.Why == reason.Comment
			if len(v.Lines) > 0 || !idle || reason.IsSubject(v.Why, asked) || artifact.IsAboutText(asked) ||
				v.Why == reason.Stub && reason.Speaks(asked, placeholders) {
				return false
			}
		}
	}
	return len(d.claimed) > 0
}
