package index

import (
	"fmt"
	"slices"
	"testing"

	"codeintel/internal/text/question"
)

func nobody(_, _, _ string) bool { return false }

// What a text is about is nearer to it than what it is not, and the ends of the
// measure are reached.
func TestSimilarity(t *testing.T) {
	x := rankTree(t)
	subjects := []Subject{
		{Name: "retryRequest"},
		{Name: "Do", Scope: "Client", Doc: "Do retries a request with back-off."},
		{Name: "evict_oldest", Scope: "LRUCache", Path: "store/cache.py"},
		{Name: "設定ファイル"},
	}
	near, err := x.Similarity(t.Context(), question.Analyse("retry request"), subjects)
	if err != nil {
		t.Fatal(err)
	}
	if near[0] != 1 {
		t.Errorf("the same words in another spelling: %v, want 1", near[0])
	}
	if !(near[0] > near[1] && near[1] > near[2]) || near[2] != 0 || near[3] != 0 {
		t.Errorf("%v, want less and less, and 0 where no word is common", near)
	}
	ja, err := x.Similarity(t.Context(), question.Analyse("設定ファイル"), subjects)
	if err != nil {
		t.Fatal(err)
	}
	if ja[3] != 1 || ja[0] != 0 {
		t.Errorf("in Japanese: %v", ja)
	}
	english, err := x.Similarity(t.Context(), question.Analyse("リクエストの再試行"), subjects)
	if err != nil {
		t.Fatal(err)
	}
	if english[0] < 0.9 || english[2] != 0 {
		t.Errorf("Japanese for what is written in English: %v", english)
	}
}

// The sample is the same in every process, grows with the project up to its
// bound, and leaves out what it is told to.
func TestSampleSimilarity(t *testing.T) {
	tree := make(map[string]string)
	for f := range 60 {
		var src string
		for i := range 100 {
			src += fmt.Sprintf("func Handle%dCase%d() {}\n\n", f, i)
		}
		tree[fmt.Sprintf("p%d/p.go", f)] = "package p\n\n" + src
	}
	tree["q/q.go"] = "package q\n\n// RetryRequest sends a request again.\nfunc RetryRequest() {}\n"
	a, b := newTree(t, tree).synced(), newTree(t, tree).synced()
	one, err := a.SampleSimilarity(t.Context(), question.Analyse("handle the case of request 7"), nobody)
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.SampleSimilarity(t.Context(), question.Analyse("handle the case of request 7"), nobody)
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != sampleSize || !slices.Equal(one, two) {
		t.Errorf("%d and %d values, the same: %v", len(one), len(two), slices.Equal(one, two))
	}
	fewer, err := a.SampleSimilarity(t.Context(), question.Analyse("x"), func(file, _, _ string) bool { return file < "p3" })
	if err != nil {
		t.Fatal(err)
	}
	if len(fewer) == 0 || len(fewer) >= len(one) {
		t.Errorf("%d values of %d are left", len(fewer), len(one))
	}
}

// An edit is in the sample of the next question.
func TestSampleFollowsTheFiles(t *testing.T) {
	tree := newTree(t, map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n"})
	x := tree.synced()
	before, err := x.SampleSimilarity(t.Context(), question.Analyse("beta"), nobody)
	if err != nil || len(before) != 1 || before[0] != 0 {
		t.Fatal(before, err)
	}
	tree.write("b.go", "package a\n\nfunc Beta() {}\n")
	mustSync(t, x)
	after, err := x.SampleSimilarity(t.Context(), question.Analyse("beta"), nobody)
	if err != nil || len(after) != 2 || slices.Max(after) != 1 {
		t.Fatal(after, err)
	}
}
