// Package impact determines what a change affects: callers, tests, files that change together.
//
// Targets are files or symbols that are about to change. What refers to them
// must be verified: callers, uses of their types, importers, overriding
// methods. What may depend on them without naming them in code should be:
// tests, documents, configuration, and across mark-up, style sheets and scripts
// whatever shares a class or an id. Each file comes with its reasons and lines.
//
// An analysis reads the index and the files; it runs nothing and changes
// nothing. It errs on the side of naming a file too many.
package impact

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/commitlog"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// An Analyzer answers for one repository. It is safe for concurrent use.
type Analyzer struct {
	p        *project.Project
	x        *index.Index
	e        *search.Engine
	past     *commitlog.Reader     // nil: history counts for nothing
	progress func(done, total int) // nil: nobody wants to know
}

// New returns an Analyzer over a project, its index, its search and its history,
// which may be nil.
func New(p *project.Project, x *index.Index, e *search.Engine, past *commitlog.Reader) *Analyzer {
	return &Analyzer{p: p, x: x, e: e, past: past}
}

// Within returns an Analyzer whose answers have at most so many characters.
func (a *Analyzer) Within(characters int) *Analyzer {
	b := *a
	b.e = a.e.Within(characters)
	return &b
}

// WithProgress returns an Analyzer that reports the progress of each analysis to tell: how many
// symbols it has followed, and of how many.
func (a *Analyzer) WithProgress(progress func(done, total int)) *Analyzer {
	b := *a
	b.progress = progress
	return &b
}

// Query asks what a change to some files or symbols touches. Where narrows what is
// shown, never what is found: a file that must be verified counts even if it is not shown.
type Query struct {
	Targets search.OneOrMore `json:"targets,omitempty" jsonschema:"Files, folders or symbols: internal/server.go, Server.Handle, lib/a.py:42"`
	Diff    string           `json:"diff,omitempty" jsonschema:"Instead of targets: what differs from this commit to the working tree; HEAD, main..."`
	Depth   int              `json:"depth,omitempty" jsonschema:"Steps of callers of callers, 1 to 5; default 1"`
	Details bool             `json:"details,omitempty" jsonschema:"All lines and symbols, not only the first"`
	// Adds says that nothing is changed that is there: of the targets only those count that
	// everybody who has to do with them must follow, such as interfaces.
	Adds bool `json:"-"`
	search.Where
	search.Page
}

// maxJudged bounds the occurrences that are judged for the symbols together: those of a name that
// is declared very often are judged once for each declaration. It is a variable for tests.
var maxJudged = 1_000_000

// Limits of an analysis.
const (
	maxTargets  = 50
	maxSymbols  = 400     // symbols whose references are looked up
	maxMentions = 100_000 // that are weighed for them together
	maxFiles    = 200     // files of a directory target
	maxDepth    = 5
	shownPlaces = 10  // listed for a target
	maxFollowed = 200 // things of one name
	readLines   = 10  // lines of one document that mention one word
	defaultPage = 500
	// defaultTokens is how long an answer is where nobody asked for more or less.
	defaultTokens = 2000
)

// An extent is how many lines and symbols are listed for a file.
type extent struct {
	lines, symbols int
	only           string // the one symbol that was asked about: it goes without saying
}

var (
	compact  = extent{lines: 5, symbols: 3}
	detailed = extent{lines: 200, symbols: 50}
)

// Answer is what a change touches.
type Answer struct {
	Targets      []Target   `json:"targets" jsonschema:"How each target was understood"`
	Likely       []string   `json:"likely,omitempty" jsonschema:"Of many files the likeliest to change too, by references and history"`
	MustVerify   []Affected `json:"must_verify" jsonschema:"Files with references to what changes; each needs an answer"`
	ShouldVerify []Affected `json:"should_verify" jsonschema:"Tests, documents, configuration, markup and indirect callers worth checking"`
	TotalMust    int        `json:"total_must" jsonschema:"How many files must be verified in all"`
	TotalShould  int        `json:"total_should" jsonschema:"How many should be verified"`
	// Of a diff.
	Base     string    `json:"base,omitempty" jsonschema:"The commit that was compared with"`
	Changes  []Change  `json:"changes,omitempty"`
	Findings []Finding `json:"findings,omitempty" jsonschema:"What the diff seems to have left undone"`
	Tests    []string  `json:"tests_to_run,omitempty"`
	search.Coverage

	must, should []string // all of them, shown or not
}

// A Target is one thing about to change.
type Target struct {
	Target  string   `json:"target" jsonschema:"As asked"`
	Kind    string   `json:"kind" jsonschema:"file, directory, symbol, new member or unknown"`
	Places  []string `json:"places" jsonschema:"Where it is"`
	Symbols int      `json:"symbols" jsonschema:"How many of its symbols were followed"`
	Code    []string `json:"code,omitempty" jsonschema:"Of symbols: their lines, where there is room"`

	defined []index.Symbol // those that a symbol target is, without their members
}

// Kinds of targets.
const (
	fileTarget    = "file"
	dirTarget     = "directory"
	symbolTarget  = "symbol"
	newMember     = "new member" // of a type that is there
	unknownTarget = "unknown"
)

// Affected is a file that a change touches.
type Affected struct {
	File      string   `json:"file"`
	Reason    string   `json:"reason" jsonschema:"Kinds of reasons, with counts"`
	Lines     []int    `json:"lines,omitempty" jsonschema:"The first; all with details"`
	MoreLines int      `json:"more_lines,omitempty"`
	Symbols   []string `json:"symbols,omitempty" jsonschema:"What it refers to; the first"`
	Code      []string `json:"code,omitempty" jsonschema:"The lines, with what is around and behind them"`

	// Names is set where the file is known to use what is asked about, or to name its file.
	Names  bool     `json:"-"`
	inside []string // what is around each of Lines
}

// Analyze answers analyze_impact.
func (a *Analyzer) Analyze(ctx context.Context, q Query) (*Answer, error) {
	return search.Steady(ctx, a.e, func(ctx context.Context, src search.Sources) (*Answer, error) {
		return a.answerOnce(ctx, q, src)
	})
}

func (a *Analyzer) answerOnce(ctx context.Context, q Query, src search.Sources) (*Answer, error) {
	example := msg.CallOf(op.AnalyzeImpact, "targets", []string{"internal/server.go", "Server.Handle"})
	if len(q.Targets) == 0 && q.Diff == "" {
		return nil, problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param("targets")).
			Or("search.for_example", example)
	}
	if len(q.Targets) > 0 && q.Diff != "" {
		return nil, problem.New(problem.InvalidArgument, "impact.diff_or_targets", msg.Param("diff"), msg.Param("targets")).
			Or("impact.leave_one_out")
	}
	if len(q.Targets) > maxTargets {
		return nil, problem.New(problem.InvalidArgument, "impact.too_many_targets",
			msg.Param("targets"), len(q.Targets), maxTargets).
			Or("impact.name_their_common_directory_send")
	}
	if q.Depth < 0 || q.Depth > maxDepth {
		return nil, problem.New(problem.InvalidArgument, "search.must_be_between", msg.Param("depth"), q.Depth, 1, maxDepth).
			Or("impact.leave_depth_out_see_direct", msg.Param("depth"))
	}
	if q.Limit == 0 && !q.Details {
		var err error
		if q.MaxTokens, err = search.Tokens(q.MaxTokens, defaultTokens); err != nil {
			return nil, err
		}
	}
	w, err := a.e.Window(op.AnalyzeImpact, &q, &q.Page, defaultPage)
	if err != nil {
		return nil, err
	}
	inside, err := a.e.Inside(ctx, q.Where)
	if err != nil {
		return nil, err
	}
	if err := a.e.Refresh(ctx, q.Targets...); err != nil {
		return nil, err
	}
	src.Begin()
	r := newRun(ctx, a, src)
	if q.Diff != "" {
		err = r.diff(q.Diff)
	} else {
		err = r.resolve(q.Targets)
	}
	if err != nil {
		return nil, a.answerMissing(ctx, q, err)
	}
	if q.Adds {
		r.symbols = slices.DeleteFunc(r.symbols, func(s index.Symbol) bool { return !bindsUsers(s.Kind) })
		r.whole = map[string]bool{}
	}
	steps := []func() error{
		r.references, r.overrides, r.importers, r.tests, r.markup, r.documents, r.named,
		func() error { return r.transitive(max(q.Depth, 1)) }, r.history, r.review, r.sameName,
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, fmt.Errorf("impact: %w", err)
		}
	}
	if q.Details {
		return r.answer(w, inside, detailed), nil
	}
	return r.answer(w, inside, compact), nil
}

// answerMissing says with targets that are not found where their names are outside of what is
// searched, and that the index is still being built, if it is.
func (a *Analyzer) answerMissing(ctx context.Context, q Query, err error) error {
	p, f := problem.Of(err), a.x.Freshness()
	if p != nil && p.Code == problem.NotFound {
		for _, t := range q.Targets {
			p.OrSay(a.e.LeftOut(ctx, t)...)
		}
	}
	if p != nil && p.Code == problem.NotFound && f.Building {
		p.Next = append([]msg.Message{msg.New("impact.index_is_being_built", f.Built(), op.SyncIndex)}, p.Next...)
	}
	return err
}

// A run is one analysis.
type run struct {
	ctx     context.Context
	a       *Analyzer
	src     search.Sources
	targets []Target
	own     map[string]bool // files that are targets themselves
	whole   map[string]bool // paths named as files, for mentions in documents
	symbols []index.Symbol  // what changes
	added   []index.Symbol  // members that are still to be written
	asked   map[string]bool // names of symbols asked for by name
	many    map[string]bool // names of methods of many types, by language
	common  []string        // those whose callers were not followed
	found   findings
	kin     []relative
	next    []caller // around references: the next step outwards
	noted   map[caller]bool
	list    []files.Entry
	byBase  map[string]map[string]bool // files by their names without folders
	notes   []msg.Message

	base     string // of a diff: the commit, and what differs from it
	changes  []Change
	deltas   []delta
	problems []Finding

	together int      // files that were found because they changed together with the targets
	likely   []string // files that are the likeliest to change with the targets
	habitual []string // tests that changed together with the targets
}

func newRun(ctx context.Context, a *Analyzer, src search.Sources) *run {
	return &run{ctx: ctx, a: a, src: src, own: map[string]bool{}, whole: map[string]bool{}, noted: map[caller]bool{},
		asked: map[string]bool{}, many: map[string]bool{}, found: findings{}}
}

// listFiles takes the files as the index saw them for this answer.
func (r *run) listFiles() error {
	l, err := r.a.x.Listed(r.ctx)
	if err != nil {
		return fmt.Errorf("impact: list files: %w", err)
	}
	r.list = l.Entries
	return nil
}

// resolve finds out what the targets are.
func (r *run) resolve(targets []string) error {
	if err := r.listFiles(); err != nil {
		return err
	}
	for _, t := range targets {
		if strings.TrimSpace(t) == "" {
			return problem.New(problem.InvalidArgument, "impact.targets_holds_empty_target", msg.Param("targets")).
				Or("impact.leave_out")
		}
		if err := r.resolveOne(strings.TrimSpace(t)); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(r.targets, func(t Target) bool { return t.Kind != unknownTarget }) {
		return nil
	}
	p := problem.New(problem.NotFound, "impact.none_targets_file_symbol_project", strings.Join(targets, ", "))
	return p.Perhaps(r.notes...).Or("impact.tools_find_the_right_name", op.SearchFiles, op.FindDefinitions)
}

func (r *run) resolveOne(target string) error {
	if name, place, ok := r.split(target); ok {
		return r.symbolIn(target, name, place)
	}
	rel, err := r.a.p.Resolve(target)
	if err != nil && looksLikePath(target) {
		return err
	}
	if err == nil {
		var in []string
		for _, f := range r.list {
			if f.Path == rel || rel == "." || strings.HasPrefix(f.Path, rel+"/") {
				in = append(in, f.Path)
			}
		}
		if len(in) > 0 {
			return r.addFiles(target, rel, in)
		}
	}
	known := syntax.Detect(target, nil) != syntax.Unknown
	return r.addSymbol(target, err == nil && (known || strings.Contains(target, "/") && path.Ext(target) == ""), rel)
}

// split splits "path#Symbol", "path:Symbol" and a location ([text.ParseLocation]) into file and name.
func (r *run) split(target string) (name, file string, ok bool) {
	var ends []int // of what may be the path
	if file, _, _, ok := text.ParseLocation(target); ok {
		ends = append(ends, len(file))
	}
	for _, i := range append(ends, strings.LastIndex(target, "#"), strings.LastIndex(target, ":")) {
		if i <= 0 || i == len(target)-1 {
			continue
		}
		rel, err := r.a.p.Resolve(target[:i])
		if err == nil && slices.ContainsFunc(r.list, func(f files.Entry) bool { return f.Path == rel }) {
			return target[i+1:], rel, true
		}
	}
	return "", "", false
}

// looksLikePath tells a path from a dotted name.
func looksLikePath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "..")
}

func (r *run) addFiles(target, rel string, in []string) error {
	kind := dirTarget
	if len(in) == 1 && in[0] == rel {
		kind = fileTarget
	}
	if len(in) > maxFiles {
		r.notes = append(r.notes, msg.New("impact.first_files_analysed", target, len(in), maxFiles))
		r.src.Lacks(gaps.Followed, in[maxFiles:]...)
		in = in[:maxFiles]
	}
	count := 0
	for _, f := range in {
		r.own[f], r.whole[f] = true, true
		list, err := r.a.x.FileSymbols(r.ctx, f)
		if problem.Of(err) != nil {
			if slices.ContainsFunc(r.list, func(e files.Entry) bool { return e.Path == f && e.Class == files.TooLarge }) {
				r.src.Lacks(gaps.Errors, f) // what it declares may be used
			}
			continue // not indexed: binary, secret, too large
		}
		if err != nil {
			return fmt.Errorf("impact: symbols: %w", err)
		}
		for _, s := range list {
			// What a file adds to a namespace, others name by itself, not by the namespace.
			if isFollowed(s.Kind, s.Scope, s.Language) && s.Kind != syntax.Namespace {
				r.symbols = append(r.symbols, s)
				count++
			}
		}
	}
	r.targets = append(r.targets, Target{Target: target, Kind: kind, Places: first(in, shownPlaces), Symbols: count})
	return nil
}

// isFollowed reports whether the references of a symbol are looked up. Headings,
// keys, elements, rules and the named places of templates are found by other
// means or not at all, but for the resources and the local values of Terraform.
func isFollowed(k syntax.Kind, scope string, l syntax.Language) bool {
	switch k {
	case syntax.Element:
		return byFolder(scope, l)
	case syntax.Key:
		return byFolder(scope, l) && !strings.Contains(scope, ".") // and no attribute of a resource
	case syntax.Heading, syntax.Section, syntax.Slot, syntax.Selector, syntax.Rule,
		syntax.Impl, syntax.Target:
		return false
	}
	return true
}

// byFolder reports whether the files of a folder know a symbol by its scope and name.
func byFolder(scope string, l syntax.Language) bool {
	return scope != "" && syntax.Of(l).Names.Imports == syntax.ImportsFolder
}

// symbolIn takes a symbol, or the symbol at a line, of one file; of several lines, the one
// around all of them, or else all that they touch.
func (r *run) symbolIn(target, name, file string) error {
	list, err := r.a.x.FileSymbols(r.ctx, file)
	if problem.Of(err) != nil {
		if unread, failed := r.a.e.Unread(r.ctx, file); unread != nil || failed != nil {
			return cmp.Or(failed, error(unread))
		}
	}
	if err != nil {
		return err
	}
	_, from, to, numeric := text.ParseLocation(file + ":" + strings.TrimSuffix(name, "-"))
	var best *index.Symbol
	var symbols []index.Symbol
	for i := range list {
		s := &list[i]
		switch {
		case numeric:
			if s.StartLine <= from && to <= s.EndLine && (best == nil ||
				s.EndLine-s.StartLine <= best.EndLine-best.StartLine) {
				best = s
			}
			if s.StartLine <= to && from <= s.EndLine {
				symbols = append(symbols, *s)
			}
		case s.Name == name || qualified(s) == name:
			symbols = append(symbols, *s)
		}
	}
	if best != nil {
		symbols = []index.Symbol{*best}
	}
	if len(symbols) == 0 {
		if owner, member, ok := memberOf(name); ok && !numeric {
			for i := range list {
				if s := &list[i]; s.Kind.HasMembers() && (s.Name == owner || qualified(s) == owner) {
					return r.addMember(target, s, member)
				}
			}
		}
		r.unknown(target, msg.New("impact.no_symbol_in_file", file, name, op.GetSymbols))
		return nil
	}
	r.addSymbols(target, symbols)
	return nil
}

// addSymbol follows a target that is no file here as a symbol. If nothing has the name and
// it may be a path, relative to the root, the answer is about the file.
func (r *run) addSymbol(target string, mayBePath bool, rel string) error {
	q := search.DefinitionsQuery{Symbol: target, ExactMatch: true, Page: search.Page{Limit: 1}}
	found, err := r.a.e.Definitions(r.ctx, q)
	if err != nil {
		return err
	}
	if len(found.Definitions) == 0 {
		if named, _ := symbolname.FilesNamed(target, r.list); len(named) == 1 {
			return r.addFiles(target, named[0], named)
		}
	}
	if len(found.Definitions) == 0 {
		if unread, err := r.explainUnread(target); unread != nil || err != nil {
			if unread != nil {
				r.unknown(target, unread.Message)
			}
			return err
		}
	}
	if len(found.Definitions) == 0 && mayBePath {
		note := msg.New("impact.no_file_here", target)
		if n := symbolname.NearPaths(rel, r.list, 2); len(n) > 0 {
			note = msg.New("impact.no_file_here_near", target, strings.Join(n, " or "))
		}
		r.unknown(target, msg.New("impact.unwritten_file_touches_nothing", note))
		return nil
	}
	if len(found.Definitions) == 0 {
		if owner, err := r.ownerToBe(target); err != nil || owner {
			return err
		}
		note := msg.New("impact.no_file_or_symbol", target)
		if len(found.Notes) > 0 {
			note = msg.New("impact.no_file_or_symbol_because", target, found.Notes)
		}
		r.unknown(target, note)
		return nil
	}
	symbols := found.Symbols(maxFollowed)
	more := found.Total > len(symbols)
	if code := slices.DeleteFunc(slices.Clone(symbols), func(s index.Symbol) bool { return !isFollowed(s.Kind, s.Scope, s.Language) }); len(code) > 0 {
		symbols = code // a heading of a document goes by the name, too
	}
	switch {
	case more:
		r.notes = append(r.notes, msg.New("impact.first_things_followed", target, found.Total, len(symbols)))
		r.lacksSymbols(found.Symbols(found.Total)[maxFollowed:])
	case len(symbols) > 1:
		r.notes = append(r.notes, msg.New("impact.several_things_followed", target, len(symbols)))
	}
	r.addSymbols(target, symbols)
	return nil
}

// explainUnread says why nothing is known of what a target that is no file of the project has at its path, with or
// without a symbol or a line after it, or nil if nothing is there.
func (r *run) explainUnread(target string) (*problem.Problem, error) {
	for _, end := range []int{len(target), strings.LastIndex(target, "#"), strings.LastIndex(target, ":")} {
		if end > 0 {
			if unread, err := r.a.e.Unread(r.ctx, target[:end]); unread != nil || err != nil {
				return unread, err
			}
		}
	}
	return nil, nil
}

func (r *run) addSymbols(target string, symbols []index.Symbol) {
	t := Target{Target: target, Kind: symbolTarget, Places: []string{}}
	for _, s := range symbols {
		t.Places = append(t.Places, fmt.Sprintf("%s:%d-%d", s.File, s.StartLine, s.EndLine))
		r.asked[s.Name] = true
		r.symbols, t.defined = append(r.symbols, s), append(t.defined, s)
		t.Symbols++
		if !s.Kind.HasMembers() {
			continue
		}
		// What a type holds changes with it.
		list, err := r.a.x.FileSymbols(r.ctx, s.File)
		if err != nil {
			continue
		}
		for _, m := range list {
			if m.Start != s.Start && (m.Start >= s.Start && m.End <= s.End || m.Scope == qualified(&s)) &&
				isFollowed(m.Kind, m.Scope, m.Language) {
				r.symbols = append(r.symbols, m)
				t.Symbols++
			}
		}
	}
	t.Places = first(t.Places, shownPlaces)
	r.targets = append(r.targets, t)
}

func (r *run) unknown(target string, note msg.Message) {
	r.targets = append(r.targets, Target{Target: target, Kind: unknownTarget, Places: []string{}})
	r.notes = append(r.notes, note)
}

func qualified(s *index.Symbol) string { return text.Dotted(s.Scope, s.Name) }

func first[T any](list []T, n int) []T {
	return list[:min(len(list), n)]
}

// answer makes the page of the answer that is wanted, of the files inside.
func (r *run) answer(w search.Window, inside func(string) bool, e extent) *Answer {
	e.only = r.onlyTarget()
	outside := func(f Affected) bool { return !inside(f.File) }
	var must, should, all []Affected
	var musts int
	for _, of := range r.choices() {
		must, should = r.listed(e, of)
		r.sortByLikelihood(must)
		r.sortByLikelihood(should)
		asked := slices.DeleteFunc(slices.Clone(must), outside)
		musts = len(asked)
		all = append(asked, slices.DeleteFunc(slices.Clone(should), outside)...)
		if r.showCode(all, of, w.Budget()) {
			break
		}
	}
	part, coverage := search.Paged(len(all), w, func(i int) Affected { return all[i] })
	a := &Answer{
		Targets: r.targets, MustVerify: []Affected{}, ShouldVerify: []Affected{},
		TotalMust: len(must), TotalShould: len(should), Coverage: coverage,
	}
	for i, f := range part {
		if w.Offset()+i < musts {
			a.MustVerify = append(a.MustVerify, f)
		} else {
			a.ShouldVerify = append(a.ShouldVerify, f)
		}
	}
	if n := len(must) + len(should) - len(all); n > 0 {
		a.Notes = append(a.Notes, msg.New("impact.more_files_touched_outside", n, len(must)-musts))
	}
	if len(r.common) > 0 {
		some := strings.Join(first(r.common, shownPlaces), ", ")
		a.Notes = append(a.Notes, msg.New("impact.common_callers_not_followed", some))
	}
	for _, f := range must {
		a.must = append(a.must, f.File)
	}
	for _, f := range should {
		a.should = append(a.should, f.File)
	}
	a.Notes = append(a.Notes, r.notes...)
	r.ofDiff(a, inside)
	if w.Offset() == 0 && len(all) > maxLikely {
		a.Likely = slices.DeleteFunc(r.likely, func(f string) bool { return !inside(f) })
	}
	return a
}

// onlyTarget returns the name of the one thing that was asked for by it, "" if it is several.
func (r *run) onlyTarget() string {
	if len(r.targets) != 1 || len(r.symbols) == 0 {
		return ""
	}
	name := qualified(&r.symbols[0])
	if asked := r.targets[0].Target; !strings.HasSuffix(asked, name) && !strings.HasSuffix(name, "."+asked) ||
		slices.ContainsFunc(r.symbols, func(s index.Symbol) bool { return qualified(&s) != name }) {
		return ""
	}
	return name
}

// Text gives the answer for people and models.
func (a *Answer) Text() string {
	var b strings.Builder
	a.writeDiff(&b)
	for _, t := range a.Targets {
		if a.Base != "" {
			break
		}
		var about []string
		switch {
		case t.Kind == symbolTarget:
			about = t.Places
			if n := len(t.defined) - len(t.Places); n > 0 {
				about = append(slices.Clone(about), fmt.Sprintf("and %d more", n))
			}
		case t.Kind == newMember:
			about = []string{newMember + " of " + t.Places[0]}
		case t.Symbols > 0:
			about = []string{text.Counted(t.Symbols, "symbol", "s")}
		default:
			about = []string{string(t.Kind)}
		}
		fmt.Fprintf(&b, "%s: %s\n", t.Target, strings.Join(about, ", "))
		for _, line := range t.Code {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(a.Likely) > 0 {
		fmt.Fprintf(&b, "likely to change too: %s\n", strings.Join(a.Likely, ", "))
	}
	section := func(head string, total int, list []Affected) {
		fmt.Fprintf(&b, "%s: %s\n", head, text.Counted(total, "file", "s"))
		for _, f := range list {
			fmt.Fprintf(&b, "  %s: %s", f.File, f.Reason)
			if n := len(f.Lines); n > 0 && len(f.Code) == 0 {
				noun := "lines"
				if n == 1 {
					noun = "line"
				}
				fmt.Fprintf(&b, "; %s %s", noun, strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Lines), " ", ", "), "[]"))
				if f.MoreLines > 0 {
					fmt.Fprintf(&b, " and %d more", f.MoreLines)
				}
			}
			if len(f.Symbols) > 0 {
				fmt.Fprintf(&b, " [%s]", strings.Join(f.Symbols, ", "))
			}
			b.WriteByte('\n')
			for _, line := range f.Code {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	section("must verify", a.TotalMust, a.MustVerify)
	section("should verify", a.TotalShould, a.ShouldVerify)
	return b.String() + a.Coverage.Text()
}

// Observed says what the analysis covered. It names every file found, those
// on other pages too: they have to be looked at all the same.
func (a *Answer) Observed() shown.Facts {
	f := shown.Facts{MustVerify: a.must, Should: a.should}
	for _, t := range a.Targets {
		f.Asked = append(f.Asked, t.Target)
		if t.Kind == unknownTarget {
			continue
		}
		f.Targets = append(f.Targets, t.Target)
		in := &f.Targets
		if t.Kind == newMember {
			in = &f.Adds
		}
		for _, p := range t.Places {
			if file, _, _ := strings.Cut(p, ":"); !slices.Contains(*in, file) {
				*in = append(*in, file)
			}
		}
	}
	f.Empty = len(a.must)+len(a.should) == 0
	return f
}

// stem is the file name of a path without its extensions.
func stem(file string) string {
	b := path.Base(file)
	if i := strings.IndexByte(b, '.'); i > 0 {
		return b[:i]
	}
	return b
}

// RequestedNames returns the symbols that were asked for, and how many files use them.
func (a *Answer) RequestedNames() (names []string, found int) {
	for _, t := range a.Targets {
		if t.Kind == symbolTarget || t.Kind == unknownTarget {
			names = append(names, t.Target)
		}
	}
	return names, a.TotalMust
}
