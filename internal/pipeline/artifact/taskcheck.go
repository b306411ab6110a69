package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// checkTasks checks the tasks against each other.
func checkTasks(tasks []Task) []Diagnostic {
	g := newGraph(tasks)
	found := g.found
	found = append(found, g.unknown()...)
	found = append(found, g.cycles()...)
	return append(found, g.overlaps()...)
}

// A graph is the tasks by what they depend on.
type graph struct {
	tasks []Task
	at    map[string]int
	needs [][]int
	found []Diagnostic // duplicate ids
}

func newGraph(tasks []Task) *graph {
	g := &graph{tasks: tasks, at: make(map[string]int), needs: make([][]int, len(tasks))}
	folded := make(map[string]int) // their artifacts may be on a disk that knows no case
	for i, t := range tasks {
		if first, ok := folded[strings.ToLower(t.ID)]; ok {
			g.found = append(g.found, Diagnostic{t.Line, Critical, msg.New("artifact.task_id_used_twice",
				t.ID, tasks[first].Line)})
			continue
		}
		g.at[t.ID], folded[strings.ToLower(t.ID)] = i, i
	}
	for i, t := range tasks {
		for _, id := range t.DependsOn {
			if j, ok := g.at[id]; ok {
				g.needs[i] = append(g.needs[i], j)
			}
		}
	}
	return g
}

func (g *graph) unknown() []Diagnostic {
	var found []Diagnostic
	for _, t := range g.tasks {
		for _, id := range t.DependsOn {
			if _, ok := g.at[id]; !ok {
				found = append(found, Diagnostic{t.Line, Critical, msg.New("artifact.task_depends_which_no_task", t.ID,
					text.Clip(id, maxQuoted))})
			}
		}
	}
	return found
}

// cycles names each cycle of dependencies once, at its first task.
func (g *graph) cycles() []Diagnostic {
	var found []Diagnostic
	const (
		fresh = iota
		open
		done
	)
	state := make([]int, len(g.tasks))
	for root := range g.tasks {
		if state[root] != fresh {
			continue
		}
		way, next := []int{root}, []int{0} // the open tasks, and which need comes next
		state[root] = open
		for len(way) > 0 {
			top := len(way) - 1
			at := way[top]
			if next[top] == len(g.needs[at]) {
				state[at] = done
				way, next = way[:top], next[:top]
				continue
			}
			need := g.needs[at][next[top]]
			next[top]++
			switch state[need] {
			case fresh:
				state[need] = open
				way, next = append(way, need), append(next, 0)
			case open:
				found = append(found, g.cycleDiagnostic(way[slices.Index(way, need):]))
			}
		}
	}
	return found
}

// cycleDiagnostic is the diagnostic of tasks each of which depends on the next, and the
// last on the first.
func (g *graph) cycleDiagnostic(way []int) Diagnostic {
	least := slices.Index(way, slices.Min(way))
	way = slices.Concat(way[least:], way[:least], way[least:least+1])
	const most = 12
	var ids []string
	for i, at := range way {
		if i == most && len(way) > most+1 {
			ids = append(ids, "…", g.tasks[way[0]].ID)
			break
		}
		ids = append(ids, g.tasks[at].ID)
	}
	return Diagnostic{g.tasks[way[0]].Line, Critical, msg.New("artifact.tasks_depend_each_other_circle",
		strings.Join(ids, " → "))}
}

// overlaps finds the files that two parallel tasks declare, neither of which
// waits for the other.
func (g *graph) overlaps() []Diagnostic {
	owners := make(map[string][]int)
	var order []string
	for i, t := range g.tasks {
		if t.Mode != Parallel {
			continue
		}
		for _, f := range t.Files {
			if owners[f.Path] == nil {
				order = append(order, f.Path)
			}
			owners[f.Path] = append(owners[f.Path], i)
		}
	}
	var found []Diagnostic
	for _, file := range order {
		tasks := owners[file]
		for k, j := range tasks {
			for _, i := range tasks[:k] {
				if g.dependsOn(i, j) || g.dependsOn(j, i) {
					continue
				}
				found = append(found, Diagnostic{lineOf(g.tasks[j], file), Critical,
					msg.New("artifact.parallel_tasks_change_same_file", g.tasks[i].ID, g.tasks[j].ID, file)})
				break
			}
		}
	}
	return found
}

func lineOf(t Task, file string) int {
	for _, f := range t.Files {
		if f.Path == file {
			return f.Line
		}
	}
	return t.Line
}

// dependsOn says whether task i cannot begin before task j is done.
func (g *graph) dependsOn(i, j int) bool {
	seen := make([]bool, len(g.tasks))
	todo := []int{i}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, need := range g.needs[at] {
			if need == j {
				return true
			}
			if !seen[need] {
				seen[need] = true
				todo = append(todo, need)
			}
		}
	}
	return false
}
