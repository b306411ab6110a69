package artifact

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/pipeline/request"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// Modes of a task.
const (
	Sequential = "sequential"
	Parallel   = "parallel"
	HumanGate  = "human_gate"
)

// A Task is one section of tasks.md.
type Task struct {
	ID         string
	Title      string
	Mode       string // Sequential, Parallel or HumanGate
	Files      []File
	DependsOn  []string // ids
	Acceptance []string
	Line       int    // of the heading
	Gate       string // what a person is asked to do, as a slug; of HumanGate only
	Text       string // what else the section says, as it is there
}

// A File is a file that a task declares, relative to the root, with slashes.
type File struct {
	Path string
	New  bool // it need not be there yet
	Line int
}

// maxTasks is how many tasks a pipeline may have.
const maxTasks = 200

// ParseTasks reads tasks.md: sections "## Task <id>: <title>" with the fields
// mode, files, depends_on, acceptance_criteria and, for a human gate, gate. A
// field's value is on its line or in bullets below. What makes the list
// unfit to be worked on comes back as a critical diagnostic; whether the files
// exist is for the caller to see.
func ParseTasks(text string) ([]Task, []Diagnostic) {
	p := &taskParser{raw: markdown.RawLines(text), spent: map[int]bool{}}
	lines := markdown.Read(text)
	level := taskLevel(lines)
	for _, l := range lines {
		switch title, ok := taskHeading(l); {
		case ok && l.Level == level:
			p.begin(l, title)
		case l.Level > 0 && l.Level <= level && p.open:
			p.end(l.Number)
		case p.open:
			p.line(l)
		}
	}
	p.end(len(p.raw) + 1)
	if len(p.tasks) == 0 && len(p.found) == 0 {
		p.report(0, Critical, "artifact.no_task_write_section_task")
	}
	if n := len(p.tasks); n > maxTasks {
		p.report(p.tasks[maxTasks].Line, Critical, "artifact.too_many_tasks", n, maxTasks)
		p.tasks = p.tasks[:maxTasks]
	}
	p.found = append(p.found, checkTasks(p.tasks)...)
	slices.SortStableFunc(p.found, func(a, b Diagnostic) int { return a.Line - b.Line })
	return p.tasks, limited(p.found)
}

type taskParser struct {
	raw   []string
	tasks []Task
	found []Diagnostic

	open   bool
	task   Task
	from   int           // the line below the heading
	spent  map[int]bool  // lines that are fields
	field  string        // whose value is being read, else empty
	at     markdown.Line // that names it
	last   markdown.Line // of the value so far
	inline bool          // the value began behind the name
	list   fileList
	named  map[string]bool // the fields seen
	broken bool            // the id is not an id
}

var (
	heading = lazyregexp.MustCompile(`(?i)^(?:task\b|タスク)\s*#?\s*(.*)$`)
	id      = lazyregexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$`)
	// labelAt splits a field into its name and its value.
	labelAt = lazyregexp.MustCompile(`^[*_` + "`" + `]*([\p{L}][\p{L} _-]{1,30}?)[*_` + "`" +
		`]*\s*(?:\([^)]*\))?\s*[:：]\s*[*_]*\s*(.*)$`)
)

// fields are the names a field may go by.
var fields = map[string]string{
	"mode": "mode", "execution mode": "mode", "モード": "mode", "実行モード": "mode",
	"files": "files", "file": "files", "files to change": "files", "files to modify": "files", "target files": "files",
	"ファイル": "files", "対象ファイル": "files",
	"depends on": "depends_on", "dependencies": "depends_on", "depends": "depends_on", "依存": "depends_on",
	"依存関係": "depends_on", "依存タスク": "depends_on",
	"acceptance criteria": "acceptance", "acceptance": "acceptance", "criteria": "acceptance", "done when": "acceptance",
	"受け入れ基準": "acceptance", "受入基準": "acceptance", "受入条件": "acceptance", "受け入れ条件": "acceptance", "完了条件": "acceptance",
	"gate": "gate", "gate name": "gate", "ゲート": "gate",
}

// fieldOf returns the field that a line names, and what it says behind it.
func fieldOf(l markdown.Line) (name, value string) {
	if name := fields[fieldName(plainLine(l.Text))]; name != "" && l.Level > 0 {
		return name, ""
	}
	m := labelAt.FindStringSubmatch(l.Text)
	if m == nil {
		return "", ""
	}
	return fields[fieldName(m[1])], m[2]
}

func fieldName(s string) string {
	if len(s) > 40 {
		return ""
	}
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || c == '_' || c == '-'
	}), " "))
}

// taskHeading returns what a heading says behind the word Task, if it has the
// form of one.
func taskHeading(l markdown.Line) (string, bool) {
	if l.Level == 0 {
		return "", false
	}
	m := heading.FindStringSubmatch(strings.TrimSpace(strings.ReplaceAll(unnumbered(l.Text), "**", "")))
	if m == nil || m[1] == "" {
		return "", false
	}
	if strings.ContainsAny(m[1], ":：") {
		return m[1], true
	}
	// "Task 3 - title" and "Task 3" are meant as tasks; "Task overview" is not.
	first := strings.TrimRight(strings.Fields(m[1])[0], ".-–—")
	return m[1], strings.ContainsFunc(first, unicode.IsDigit) && id.MatchString(first)
}

// taskLevel is the level of the headings that begin tasks: the second, or where
// there are none, the highest that has any.
func taskLevel(lines []markdown.Line) int {
	level := 7
	for _, l := range lines {
		if _, ok := taskHeading(l); ok {
			if l.Level == 2 {
				return 2
			}
			level = min(level, l.Level)
		}
	}
	return level
}

func (p *taskParser) report(n int, severity, key string, args ...any) {
	p.found = append(p.found, Diagnostic{n, severity, msg.New(key, args...)})
}

func (p *taskParser) begin(l markdown.Line, said string) {
	p.end(l.Number)
	p.open, p.from, p.field, p.named, p.list, p.broken = true, l.Number+1, "", map[string]bool{}, fileList{strict: true}, false
	p.task = Task{Line: l.Number, Mode: Sequential}
	name, title, ok := cutAny(said, ":：")
	if !ok {
		name, title, _ = strings.Cut(said, " ")
		name = strings.TrimRight(name, ".-–—")
		title = strings.TrimLeft(title, " -–—")
	}
	p.task.ID, p.task.Title = norm.NFKC.String(strings.Trim(strings.TrimSpace(name), "`*")), oneLine(title)
	switch {
	case p.task.ID == "":
		p.broken = true
		p.report(l.Number, Critical, "artifact.task_no_id_write_task")
	case !id.MatchString(p.task.ID):
		p.broken = true
		p.report(l.Number, Critical, "artifact.no_task_id_write_number", text.Clip(p.task.ID, maxQuoted))
	case slices.ContainsFunc(taken, func(name string) bool { return strings.EqualFold(name, p.task.ID) }):
		p.broken = true
		p.report(l.Number, Critical, "artifact.cannot_task_id_review_md", p.task.ID, strings.ToLower(p.task.ID))
	case p.task.Title == "":
		p.report(l.Number, Minor, "artifact.task_no_title", p.task.ID)
	}
}

// taken are the words that are in the names of artifacts where a task's id would.
var taken = []string{"design", "tasks"}

func cutAny(s, chars string) (before, after string, ok bool) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, "", false
	}
	before, after = s[:i], s[i:]
	_, after, _ = strings.Cut(after, string([]rune(after)[0]))
	return before, after, true
}

// line takes a line of the open task.
func (p *taskParser) line(l markdown.Line) {
	if name, value := fieldOf(l); name != "" && !p.inList(l) {
		if p.named[name] && name == "mode" {
			p.report(l.Number, Critical, "artifact.task_two_modes", p.task.ID)
		}
		p.named[name] = true
		p.field, p.at, p.last = name, l, l
		p.spent[l.Number] = true
		p.inline = strings.TrimSpace(value) != ""
		if p.inline {
			p.value(l, value)
		}
		return
	}
	if p.field == "" {
		return
	}
	if l.Level > 0 || !p.below(l) {
		p.field = ""
		return
	}
	p.last = l
	p.spent[l.Number] = true
	p.value(l, l.Text)
}

// inList says whether the line is an item of the open field's list, so that what
// looks like the name of a field is a part of its value.
func (p *taskParser) inList(l markdown.Line) bool {
	return p.field != "" && !p.inline && l.Level == 0 && l.Item && l.Depth > p.at.Depth
}

// below says whether the line belongs to the open field: an item, or what goes
// on with one.
func (p *taskParser) below(l markdown.Line) bool {
	switch {
	case p.inline && !l.Item:
		return l.Block == p.last.Block && p.field == "acceptance"
	case l.Item:
		return l.Depth > p.at.Depth || l.Depth == p.at.Depth && !p.at.Item
	case l.Block == p.last.Block:
		return p.last.Item || p.field != "files" || likeFile(strings.Fields(l.Text)[0]) || l.Text[0] == '`'
	}
	return l.Depth > p.at.Depth
}

// value takes a part of the open field's value: what is behind the name, or
// a line below.
func (p *taskParser) value(l markdown.Line, said string) {
	switch p.field {
	case "mode":
		p.mode(l.Number, said)
	case "depends_on":
		for _, other := range idsIn(said) {
			if id.MatchString(other) {
				p.task.DependsOn = append(p.task.DependsOn, other)
			} else {
				p.report(l.Number, Critical, "artifact.task_depends_which_no_task", p.task.ID, text.Clip(other, maxQuoted))
			}
		}
	case "gate":
		p.task.Gate = request.Slug(plainLine(said))
	case "files":
		if l.Number == p.at.Number {
			p.list.inline(l.Number, said)
		} else {
			p.list.item(l)
		}
	case "acceptance":
		said = oneLine(unboxed(said))
		n := len(p.task.Acceptance)
		if l.Item || l.Number == p.at.Number || n == 0 {
			p.task.Acceptance = append(p.task.Acceptance, said)
		} else {
			p.task.Acceptance[n-1] += " " + said
		}
	}
}

var modes = lazyregexp.MustCompile(`^(sequential|parallel|human[ _-]?gate)\b\s*(?:[|/,]|or\b|または)?\s*`)

func (p *taskParser) mode(n int, said string) {
	content := strings.ToLower(strings.Trim(plainLine(said), " \"'[]()"))
	m := modes.FindStringSubmatch(content)
	switch {
	case m == nil || modes.MatchString(content[len(m[0]):]): // none, or the list of all
		p.report(n, Critical, "artifact.mode_none", text.Clip(said, maxQuoted), Sequential, Parallel, HumanGate)
	case strings.HasPrefix(m[1], "human"):
		p.task.Mode = HumanGate
	default:
		p.task.Mode = m[1]
	}
}

// end ends the open task before the line n.
func (p *taskParser) end(n int) {
	if !p.open {
		return
	}
	p.open = false
	t := &p.task
	if len(p.named) == 0 && !strings.ContainsFunc(t.ID, unicode.IsDigit) && !p.broken {
		return // "Task graph: how they hang together"
	}
	files, found := p.list.files()
	t.Files = files
	p.found = append(p.found, found...)
	t.DependsOn = text.Without(t.DependsOn, nil)
	t.Text = p.text(n)
	if t.Mode != HumanGate {
		t.Gate = ""
	} else if t.Gate == "" {
		t.Gate = request.Slug(t.Title)
	}
	name := msg.New("artifact.task", t.ID)
	if p.broken {
		name = msg.New("artifact.the_task")
	}
	if len(t.Files) == 0 && len(found) == 0 && t.Mode != HumanGate {
		p.report(t.Line, Critical, "artifact.names_no_files_list_below", name)
	}
	if len(t.Acceptance) == 0 && t.Mode != HumanGate {
		p.report(t.Line, Minor, "artifact.no_acceptance_criteria", name)
	}
	if !p.broken {
		p.tasks = append(p.tasks, *t)
	}
}

// text returns the lines of the section, up to the line n, that are not fields.
func (p *taskParser) text(n int) string {
	var kept []string
	quoted := true
	for i := p.from; i < n && i <= len(p.raw); i++ {
		if l := p.raw[i-1]; !p.spent[i] {
			kept = append(kept, l)
			quoted = quoted && (strings.TrimSpace(l) == "" || strings.HasPrefix(l, ">"))
		}
	}
	if quoted { // as WriteTasks puts it where it would be misread otherwise
		for i, l := range kept {
			kept[i] = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
		}
	}
	return joined(kept)
}

// joined is the text of the lines, without the blank ones at both ends.
func joined(lines []string) string {
	isBlank := func(s string) bool { return strings.TrimSpace(s) == "" }
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\r", " ")
}

var (
	listed  = lazyregexp.MustCompile(`[,、;；&]|\band\b|と|\n`)
	bracket = lazyregexp.MustCompile(`\([^)]*\)|（[^）]*）`)
	taskRef = lazyregexp.MustCompile(`(?i)^(?:tasks?\b\s*|タスク\s*|#\s*)*`)
)

// idsIn returns the ids that a value of depends_on names.
func idsIn(said string) []string {
	said = strings.Trim(strings.TrimSpace(bracket.ReplaceAllString(plainLine(said), "")), "[]{}.")
	if saysNothing(said) && !strings.ContainsAny(said, "0123456789") {
		return nil
	}
	var ids []string
	for _, part := range listed.Split(said, -1) {
		part = taskRef.ReplaceAllString(strings.TrimSpace(part), "")
		words := strings.Fields(part)
		if len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, "#0123456789") != "" }) {
			for _, w := range words { // "#1 #2"
				ids = append(ids, strings.Trim(w, "#"))
			}
		} else if len(words) > 0 {
			ids = append(ids, strings.Trim(words[0], `:."'#[]`))
		}
	}
	return slices.DeleteFunc(ids, func(s string) bool { return s == "" })
}

var box = lazyregexp.MustCompile(`^\[[ xX]?\]\s+`)

// unboxed cuts off the box of a check list.
func unboxed(s string) string { return box.ReplaceAllString(s, "") }
