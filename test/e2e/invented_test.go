package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var invented = flag.String("invented", "", "a folder with base.txtar and lies.txt, which TestInvented plays")

// TestInvented plays changes that were written down outside of the program, each as the answer of
// an agent to a request, and prints how the server took them:
// go test ./test/e2e -run TestInvented -v -invented DIR. lies.txt holds blocks like
//
//	## what is done
//	request: what was asked for
//	task: FILE :: what the task is :: /first line that is cited/../last one/, or 3-9
//	<<< FILE
//	text that is there
//	===
//	what stands in its place
//	>>>
//	+++ FILE
//	the text of a new file
//	>>>
func TestInvented(t *testing.T) {
	if *invented == "" {
		t.Skip("needs -invented")
	}
	base, err := txtar.ParseFile(filepath.Join(*invented, "base.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(*invented, "lies.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split("\n"+string(text), "\n## ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{".gitignore": "/.code-intel/\n"}
			for _, f := range base.Files {
				files[f.Name] = string(f.Data)
			}
			w := inventedWork(t, files, rest)
			a := newAgent(newFixture(t, files), w)
			a.start()
			for range mostSteps {
				if a.at() == "END" {
					break
				}
				at := a.at()
				r := a.submit(a.deed())
				if r.Refused {
					t.Logf("REFUSED at %s: %s", at, r.Text)
					return
				}
				a.took(r)
			}
			t.Logf("MERGED %s\n%s", a.warned, a.answer.Text)
		})
	}
}

// inventedWork reads a block of changes to files.
func inventedWork(t *testing.T, files map[string]string, block string) work {
	w := work{files: files, intent: "MODIFY", message: "Do what was asked for"}
	now := make(map[string]string)
	var order []string
	var tasks [][]string
	file, part, old := "", "", ""
	var text strings.Builder
	for line := range strings.Lines(block) {
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<<< "), strings.HasPrefix(line, "+++ "):
			part, file = line[:3], bare[4:]
			if _, there := now[file]; !there {
				now[file] = files[file]
				order = append(order, file)
			}
		case part == "<<<" && bare == "===":
			old, part = text.String(), "==="
			text.Reset()
		case part != "" && bare == ">>>":
			if part == "===" {
				old, part = strings.TrimSuffix(old, "\n"), ""
				if !strings.Contains(now[file], old) {
					t.Fatalf("%s does not hold %q", file, old)
				}
				now[file] = strings.Replace(now[file], old, strings.TrimSuffix(text.String(), "\n"), 1)
			} else {
				now[file] = text.String()
			}
			part = ""
			text.Reset()
		case part != "":
			text.WriteString(line)
		case strings.HasPrefix(line, "request: "):
			w.query = bare[len("request: "):]
			w.semantic = w.query
		case strings.HasPrefix(line, "task: "):
			tasks = append(tasks, strings.Split(bare[len("task: "):], " :: "))
		}
	}
	for i, task := range tasks {
		from, to := citedLines(t, now[task[0]], task[2])
		it := item{text: task[0] + ": " + task[1], evidence: task[0] + ":" + strconv.Itoa(from) + "-" + strconv.Itoa(to)}
		if i == 0 {
			w.tasks = append(w.tasks, newTask(w.query, order, now))
		}
		w.tasks[0].items = append(w.tasks[0].items, it)
	}
	for name := range files {
		if strings.HasSuffix(name, ".md") {
			w.documents = append(w.documents, name)
		}
		if name != ".gitignore" {
			w.look = append(w.look, call{"get_symbols", object{"path": name}}, call{"search_text", object{"pattern": ".", "path": name}})
			w.explored = append(w.explored, name)
		}
	}
	slices.Sort(w.documents)
	slices.Sort(w.explored)
	first := tasks[0][0]
	if files[first] == "" {
		first = order[0]
	}
	if files[first] == "" {
		first = w.explored[0]
	}
	w.look = append(w.look, call{"find_files", object{"pattern": "**/*"}})
	w.findings = []string{"This is where it is done: " + first + ":1"}
	quote := strings.Join(strings.Fields(w.query)[1:], " ")
	w.frame = object{
		"action_type": "modify", "target_symbols": []string{}, "scope": first,
		"target_feature": object{"value": quote, "quote": quote},
	}
	w.targets = []string{first}
	return w
}

func newTask(description string, order []string, now map[string]string) task {
	t := task{id: "all", description: description}
	for _, file := range order {
		t.edits = append(t.edits, edit{path: file, text: now[file]})
	}
	return t
}

// citedLines finds the lines that "/a/../b/", or "3-9", names.
func citedLines(t *testing.T, text, place string) (from, to int) {
	if n, err := fmt.Sscanf(place, "%d-%d", &from, &to); n == 2 && err == nil {
		return from, to
	}
	first, last, both := strings.Cut(strings.ReplaceAll(strings.Trim(place, "/"), `\`, ""), "/../")
	for i, line := range strings.Split(text, "\n") {
		if from == 0 && strings.Contains(line, first) {
			from = i + 1
		}
		if both && to == 0 && from > 0 && strings.Contains(line, last) {
			to = i + 1
		}
	}
	if !both {
		to = from
	}
	if from == 0 || to == 0 {
		t.Fatalf("no line with %q in\n%s", place, text)
	}
	return from, to
}
