//go:build tune

package index

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/index/ranking"
)

// A labelled question is what training is told of one: numbers alone, no text.
type labelled struct {
	Set     string   `json:"set"`
	Repo    string   `json:"repo"`
	Kind    int      `json:"kind"`
	Rows    int      `json:"rows"`
	File    []int    `json:"file"`    // of each row
	Wanted  []int    `json:"wanted"`  // of each row: the number of the target that its file is, or -1
	Meets   [][2]int `json:"meets"`   // row, target
	Shows   [][2]int `json:"shows"`   // row, target by lines
	Targets int      `json:"targets"` // how many
	Files   int      `json:"files"`   // how many files they are in
	Places  int      `json:"places"`  // how many by lines; 0: not known
}

// writeRows writes what script/rank/train.py learns from: the names of the columns,
// rows.f32, which are the columns of the first candidates of all questions in order, and
// rows.jsonl, which says what is right of them.
func writeRows(dir string, all []*proposal) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	numbers, err := os.Create(filepath.Join(dir, "rows.f32"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, numbers.Close()) }()
	labels, err := os.Create(filepath.Join(dir, "rows.jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, labels.Close()) }()
	names := strings.Join(ranking.ColumnNames(), "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "columns"), []byte(names), 0o644); err != nil {
		return err
	}
	out := bufio.NewWriter(numbers)
	for _, p := range all {
		if err := binary.Write(out, binary.LittleEndian, p.Rows); err != nil {
			return err
		}
		if err := json.NewEncoder(labels).Encode(p.label()); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (p *proposal) label() (l labelled) {
	order := ranking.Rank(p.Kind, &ranking.Standard, p.Candidates, ranking.Listed)
	l = labelled{Set: p.Asked.Set, Repo: p.Asked.Repo, Kind: int(p.Kind), Rows: len(order), Targets: len(p.Asked.Targets)}
	var wanted []string
	for _, t := range p.Asked.Targets {
		if !slices.Contains(wanted, t.Path) {
			wanted = append(wanted, t.Path)
		}
	}
	places := p.linesWanted()
	l.Files, l.Places = len(wanted), len(places)
	for i, r := range order {
		at := p.Places[r.Candidate]
		l.File = append(l.File, p.Candidates[r.Candidate].File)
		l.Wanted = append(l.Wanted, slices.Index(wanted, at.Path))
		for k, t := range p.Asked.Targets {
			if at.meets(t) {
				l.Meets = append(l.Meets, [2]int{i, k})
			}
		}
		for k, t := range places {
			if at.shows(t) {
				l.Shows = append(l.Shows, [2]int{i, k})
			}
		}
	}
	return l
}
