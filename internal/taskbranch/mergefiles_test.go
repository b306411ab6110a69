package taskbranch

import (
	"slices"
	"testing"

	"codeintel/internal/git"
)

const lesson = ".code-intel/agreements/日本 x.md"

// keeping is a task in a repository that keeps our folder.
func keeping(p playground) Task {
	p.write(".code-intel/.gitignore", "/logs/\n")
	p.commit("Keep the folder")
	return worked(p)
}

func TestMergeWith(t *testing.T) {
	for name, arrange := range map[string]func(p playground) Task{
		"new": keeping,
		"there already": func(p playground) Task {
			p.write(lesson, "as it was\n")
			p.commit("An agreement")
			return worked(p)
		},
		"base moved": func(p playground) Task { task := keeping(p); moveBase(p, "a", "1\n2\n3\n4\nbase\n"); return task },
	} {
		t.Run(name, func(t *testing.T) {
			id := ""
			files := map[string][]byte{lesson: []byte("learned\n")}
			interrupted(t, arrange,
				func(p playground, task Task) (err error) {
					id, err = MergeWith(p.t.Context(), p.r, task, "x", files)
					return err
				},
				func(t *testing.T, p playground, task Task) {
					mergedInto(t, p, task, id)
					users(t, p)
					if got := p.git("show", id+":"+lesson); got != "learned" || p.read(lesson) != "learned\n" {
						t.Errorf("committed %q, on disk %q", got, p.read(lesson))
					}
					if n := p.git("rev-list", "--count", "--merges", "main"); n != "1" {
						t.Errorf("%s merges", n)
					}
					if status := p.git("status", "--porcelain", "--", ".code-intel"); status != "" {
						t.Errorf("status %q", status)
					}
				})
		})
	}
}

func TestCarries(t *testing.T) {
	for _, tt := range []struct {
		name    string
		arrange func(p playground)
		want    bool
	}{
		{"the folder is not kept", func(p playground) { p.write(".code-intel/.gitignore", "/logs/\n") }, false},
		{"the folder is kept", func(p playground) { p.write(".code-intel/.gitignore", "/logs/\n"); p.commit("x") }, true},
		{"ignored by the folder", func(p playground) { p.write(".code-intel/.gitignore", "/agreements/\n"); p.commit("x") }, false},
		{"ignored by the repository", func(p playground) {
			p.write(".code-intel/config.json", "{}\n")
			p.git("add", "-A")
			p.write(".gitignore", ".code-intel/\n")
			p.commit("x")
		}, false},
		{"tracked as it is", func(p playground) { p.write(lesson, "x\n"); p.commit("x") }, true},
		{"tracked and edited", func(p playground) { p.write(lesson, "x\n"); p.commit("x"); p.write(lesson, "y\n") }, false},
		{"tracked and staged", func(p playground) {
			p.write(lesson, "x\n")
			p.commit("x")
			p.write(lesson, "y\n")
			p.git("add", "-A")
		}, false},
		{"tracked and removed", func(p playground) { p.write(lesson, "x\n"); p.commit("x"); p.remove(lesson) }, false},
		{"untracked", func(p playground) {
			p.write(".code-intel/.gitignore", "/logs/\n")
			p.commit("x")
			p.write(lesson, "x\n")
		}, false},
	} {
		p := play(t)
		tt.arrange(p)
		if got, err := Carries(t.Context(), p.r, lesson); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestDone(t *testing.T) {
	p := play(t)
	task := keeping(p)
	before, err := Done(t.Context(), p.r, task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MergeWith(t.Context(), p.r, task, "x", map[string][]byte{lesson: []byte("learned\n")}); err != nil {
		t.Fatal(err)
	}
	after, err := Done(t.Context(), p.r, task)
	if err != nil || !slices.Equal(git.Paths(before), git.Paths(after)) || !slices.Equal(git.Paths(before), []string{"a", "new"}) {
		t.Errorf("before the merge %v, after %v, %v", git.Paths(before), git.Paths(after), err)
	}
}
