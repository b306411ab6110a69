package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/provider"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/syntax"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// trustOptions is what the flags of trust say.
type trustOptions struct {
	all, list, yes bool
	revoke         []string
}

func (a *app) trust() *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust [NAME…]",
		Short: "Let the server run this project's programs and follow its prompts",
		Long: strings.TrimSpace(`
A file in .code-intel/verifiers may name a command that verifies a change. The server
runs it only while you trust exactly the bytes of that file. A language server makes
references exact, and may run code of the project, such as its build; it is started only
while you trust its command. Filters, hooks and other programs that the repository's own
git configuration names run only while you trust them. Prompts, rules and other texts that
tell agents what to do are followed only while you trust them, if they came with the
repository. The same holds for agreements that answer questions alone, and for
read_only_commands of config.json. What you wrote or committed in this checkout is yours.
Your trust is stored in your own configuration folder, for this project only.

With names, these are trusted; without, you are asked about each one that is not trusted
or has changed since.`),
		Example: "  code-intel trust                 # look at each one, and answer yes or no\n  code-intel trust backend gopls\n  code-intel trust CLAUDE.md\n  code-intel trust --list\n  code-intel trust --revoke backend",
		RunE:    func(cmd *cobra.Command, names []string) error { return a.trustSubjects(cmd.Context(), o, names) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "everything that can be trusted; asks about each unless --yes is given")
	f.BoolVar(&o.list, "list", false, "only list them, with their trust")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.StringSliceVar(&o.revoke, "revoke", nil, "no longer trust what has this `name`")
	_ = cmd.RegisterFlagCompletionFunc("revoke", a.completeFrom(a.trustNames)) // it is there
	cmd.MarkFlagsMutuallyExclusive("list", "revoke", "all")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke", "yes")
	return a.withJSON(cmd)
}

func (a *app) trustSubjects(ctx context.Context, o trustOptions, names []string) error {
	if len(names) > 0 && (o.all || o.list || len(o.revoke) > 0) {
		return problem.New(problem.InvalidArgument, "cli.names_go_none_all_list").
			Or("cli.code_intel_trust_help")
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	store, err := trust.Open()
	if err != nil {
		return environment{err}
	}
	if len(o.revoke) > 0 {
		if err := revoke(p, store, o.revoke); err != nil {
			return err
		}
	}
	refused := false
	if !o.list && len(o.revoke) == 0 {
		if refused, err = a.takeTrust(ctx, p, store, o, names); err != nil {
			return err
		}
	}
	subjects, gone, broken := trustable(ctx, p, store)
	if nothingUsable(broken) {
		return environment{broken}
	}
	if err := a.print(newTrustList(p, store, subjects, gone)); err != nil {
		return err
	}
	if broken == nil && refused {
		return errNo
	}
	return broken
}

// nothingUsable tells an error that leaves nothing to be shown from a verifier file
// that cannot be read beside others that can.
func nothingUsable(err error) bool {
	p := problem.Of(err)
	return err != nil && (p == nil || p.Code == trust.Unusable)
}

// takeTrust trusts the named verifiers, or those that the user says yes to. It
// reports whether the user said no to one.
func (a *app) takeTrust(ctx context.Context, p *project.Project, store *trust.Store, o trustOptions,
	names []string) (refused bool, err error) {
	all, err := savedsessions.List(p)
	if err != nil {
		return false, err
	}
	for _, r := range append(all, &savedsessions.Record{}) { // whom a verifier binds does not trust one
		if err := outsideAgent(r.Holder, msg.New("cli.run_in_terminal_of_your_own")); err != nil {
			return false, err
		}
	}
	subjects, _, broken := trustable(ctx, p, store)
	if nothingUsable(broken) {
		return false, environment{broken}
	}
	if len(names) > 0 {
		chosen, err := subjectsNamed(subjects, names)
		for _, v := range chosen {
			err = errors.Join(err, v.trust(ctx, store))
		}
		return false, err
	}
	subjects = slices.DeleteFunc(subjects, func(v subject) bool { return v.needsNoQuestion() })
	if len(subjects) > 0 && !o.yes && !isTerminal(a.in) {
		return false, problem.New(problem.InvalidArgument, "cli.standard_input_is_no_terminal").
			Or("cli.name_what_you_trust_code").
			Or("cli.code_intel_trust_list_shows").
			Or("cli.trust_everything_unseen_code_intel")
	}
	in := bufio.NewReader(a.in)
	for _, v := range subjects {
		if !o.yes {
			a.note("%sTrust this %s? [y/N] ", describeSubject(v), v.description())
			yes, err := answeredYes(in)
			if err != nil {
				return refused, err
			}
			if !yes {
				refused = true
				continue
			}
		}
		// What is trusted is what was read and shown, whatever the file holds by now.
		if err := v.trust(ctx, store); err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// subjectsNamed returns the verifiers of these names. If one is not there, there are none.
func subjectsNamed(subjects []subject, names []string) (chosen []subject, err error) {
	for _, name := range names {
		plain := strings.TrimSuffix(name, ".md")
		i := slices.IndexFunc(subjects, func(v subject) bool {
			return v.Name == plain && v.kind != trust.Text ||
				v.kind == trust.Text && v.Name == filepath.ToSlash(filepath.Clean(name))
		})
		if i < 0 {
			return nil, problem.New(problem.NotFound, "cli.no_verifier_command_code_intel", name).
				Or("cli.code_intel_trust_list_shows")
		}
		chosen = append(chosen, subjects[i])
	}
	return chosen, nil
}

func revoke(p *project.Project, store *trust.Store, names []string) error {
	for _, name := range names {
		had, err := verify.Revoke(p, store, strings.TrimSuffix(name, ".md"))
		if err != nil {
			return err
		}
		server, err := store.Revoke(p.Root, trust.LanguageServer, name)
		if err != nil {
			return err
		}
		text, err := revokeTexts(p, store, name)
		if err != nil {
			return err
		}
		program := false
		if r, err := git.Open(context.Background(), p.Root); err == nil {
			if program, err = store.Revoke(r.CommonDir, trust.GitProgram, name); err != nil {
				return err
			}
		}
		if !had && !server && !text && !program {
			return problem.New(problem.NotFound, "cli.no_verifier_project_trusted", name).
				Or("cli.code_intel_trust_list_shows")
		}
	}
	return nil
}

// revokeTexts takes trust back from a text, or from all that were trusted in a folder.
func revokeTexts(p *project.Project, store *trust.Store, name string) (had bool, err error) {
	texts, err := store.Names(p.Root, trust.Text)
	for _, text := range texts {
		if text == name || path.Dir(text) == name {
			_, revoked := store.Revoke(p.Root, trust.Text, text)
			had, err = true, errors.Join(err, revoked)
		}
	}
	return had, err
}

// describeSubject shows what is to be trusted. It comes from a repository that nobody
// vouches for, so it is quoted: nothing of it reaches the terminal as it is.
func describeSubject(v subject) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", quoteWord(v.title()))
	if v.kind != trust.Text {
		fmt.Fprintf(&b, "  command  %s\n", commandLine(v.Command))
	}
	fmt.Fprintf(&b, "  for      %s\n", v.usedFor())
	fmt.Fprintf(&b, "  state    %s\n", v.State)
	switch {
	case v.kind == trust.Verifier:
		if len(v.around) > 0 {
			fmt.Fprintf(&b, "  reads    %s\n", globs(v.around))
		}
		b.WriteString("  note     it also runs tests and other code of the project, as they are at that moment\n")
	case v.kind == trust.Text:
		b.WriteString(excerpt(string(v.content)))
	case v.kind == trust.GitProgram && v.File != "":
		fmt.Fprintf(&b, "  file     %s\n", quoteWord(v.File))
		_, text, isSetting := strings.Cut(string(v.content), "\x00")
		if !isSetting {
			text = string(v.content)
		}
		b.WriteString(excerpt(text))
	}
	return b.String()
}

// excerpt shows the beginning of a file.
func excerpt(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range lines[:min(len(lines), shownLines)] {
		fmt.Fprintf(&b, "    | %s\n", quote.Text(line))
	}
	if len(lines) > shownLines {
		fmt.Fprintf(&b, "    | … %d more lines\n", len(lines)-shownLines)
	}
	return b.String()
}

// shownLines is how much of a file the question shows.
const shownLines = 40

// commandLine writes an argument vector so that its words can be told apart.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = quoteWord(w)
	}
	return strings.Join(words, " ")
}

// quoteWord returns a word as it is if it is plain, else in quotation marks.
func quoteWord(w string) string {
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'\\`$", r) }) < 0 {
		return w
	}
	return strconv.Quote(w)
}

func globs(list []string) string {
	if len(list) == 0 {
		return "files that no other verifier is for"
	}
	const most = 4
	text := make([]string, 0, most)
	for _, g := range list[:min(most, len(list))] {
		text = append(text, quoteWord(g))
	}
	if len(list) > most {
		text = append(text, fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(text, ", ")
}

// A subject is something that may be trusted: a program, or a text that agents follow.
type subject struct {
	kind    trust.Kind
	root    string // whose it is
	Name    string
	File    string // of a verifier
	Command []string
	Globs   []string // of the files that a verifier is for
	State   trust.State

	languages []syntax.Language // of a language server
	content   []byte            // what is trusted

	sums map[string][sha256.Size]byte // of a folder: what is trusted of it

	verifier        *verify.Verifier
	steering        *verify.Steering
	around          []string // of a verifier that is not trusted: the files that its command is known to read
	changedByOthers []string // of one that is: those of them that others have changed since
}

// trust notes that the user trusts it.
func (s subject) trust(ctx context.Context, store *trust.Store) error {
	if s.sums != nil {
		return store.TrustAll(s.root, s.kind, s.sums)
	}
	if s.verifier != nil {
		return s.steering.Trust(ctx, store, *s.verifier)
	}
	return store.Trust(s.root, s.kind, s.Name, s.content)
}

// needsNoQuestion reports whether the user need not be asked about it.
func (s subject) needsNoQuestion() bool { return s.State == trust.Trusted || s.State == trust.Own }

// description names what trust is in.
func (s subject) description() string {
	if s.kind == trust.Text {
		return "text"
	}
	return "command"
}

// title returns what a person knows a subject by.
func (s subject) title() string {
	if s.kind == trust.GitProgram {
		return s.Name
	}
	return cmp.Or(s.File, s.Name)
}

func (s subject) usedFor() string {
	switch s.kind {
	case trust.Verifier:
		return globs(s.Globs)
	case trust.GitProgram:
		return "git, which runs it when it reads, commits, merges or sends files"
	case trust.Text:
		if s.sums != nil {
			return "questions, which these agreements then answer alone"
		}
		if s.Name == trustedtexts.Settings {
			return "hooks, which let these commands and tools pass while nothing may be written"
		}
		return "agents, who are told to do what it says"
	}
	names := make([]string, len(s.languages))
	for i, l := range s.languages {
		names[i] = string(l)
	}
	return "references in " + strings.Join(names, ", ")
}

// trustable returns what may be trusted in a project, and the names of what was
// trusted and is gone. The error is that of [verify.TrustStates].
func trustable(ctx context.Context, p *project.Project, store *trust.Store) (all []subject, gone []string, err error) {
	verifiers, gone, err := verify.TrustStates(p, store)
	if nothingUsable(err) {
		return nil, nil, err
	}
	steering := verify.NewSteering(p)
	for _, v := range verifiers {
		s := subject{kind: trust.Verifier, root: p.Root, Name: v.Name, File: v.File(), Command: v.Command,
			Globs: v.Globs, State: v.State, content: v.Content, verifier: &v.Verifier, steering: steering}
		if s.needsNoQuestion() {
			s.changedByOthers = steering.ChangedByOthers(ctx, store, v.Verifier)
		} else {
			s.around = steering.Of(ctx, v.Verifier)
		}
		all = append(all, s)
	}
	servers, away, broken := provider.TrustStates(ctx, p, store)
	for _, s := range servers {
		all = append(all, subject{kind: trust.LanguageServer, root: p.Root, Name: s.Name, Command: s.Command,
			State: s.State, languages: s.Languages, content: s.Content()})
	}
	programs, lost, failed := gitPrograms(ctx, p, store)
	all = append(all, programs...)
	for _, g := range trustedtexts.Of(ctx, p) {
		all = append(all, subject{kind: trust.Text, root: p.Root, Name: g.File, File: g.File, State: g.State,
			content: g.Content, sums: g.Sums})
	}
	return all, slices.Concat(gone, away, lost), errors.Join(err, broken, failed)
}

// gitPrograms returns what a repository has git run, and the names of what was trusted
// and is gone.
func gitPrograms(ctx context.Context, p *project.Project, store *trust.Store) (all []subject, gone []string,
	err error) {
	r, err := git.Open(ctx, p.Root)
	if err != nil {
		return nil, nil, nil // without a repository, or without git, nothing is run
	}
	programs, err := r.Programs(ctx)
	if err != nil {
		return nil, nil, err
	}
	gone, err = store.Names(r.CommonDir, trust.GitProgram)
	for _, g := range programs {
		state, stateErr := store.State(r.CommonDir, trust.GitProgram, g.Name, g.Content)
		err = errors.Join(err, stateErr)
		s := subject{kind: trust.GitProgram, root: r.CommonDir, Name: g.Name, Command: strings.Fields(g.Command),
			State: state, content: g.Content}
		if rel, relErr := filepath.Rel(p.Root, g.File); g.File != "" && relErr == nil {
			s.File = filepath.ToSlash(rel)
		}
		if len(s.Command) == 0 {
			s.Command = []string{s.File}
		}
		all = append(all, s)
		gone = slices.DeleteFunc(gone, func(name string) bool { return name == g.Name })
	}
	return all, gone, err
}

// trustList is how the verifiers and language servers of a project stand.
type trustList struct {
	Project   string      `json:"project"`
	Store     string      `json:"store"` // the file that says what is trusted
	Verifiers []trustLine `json:"verifiers"`
	Servers   []trustLine `json:"language_servers"`
	Programs  []trustLine `json:"git_programs"` // that the repository has git run
	Texts     []trustLine `json:"texts"`        // that tell agents what to do
	Gone      []string    `json:"gone"`         // trusted, and not there any more

	all []subject
}

type trustLine struct {
	Name    string      `json:"name"`
	File    string      `json:"file,omitempty"`
	Command []string    `json:"command,omitempty"`
	Globs   []string    `json:"globs,omitempty"`
	State   trust.State `json:"state"`
	Changed []string    `json:"changed_around,omitempty"` // what it reads, and others changed since it was trusted
}

func newTrustList(p *project.Project, store *trust.Store, subjects []subject, gone []string) *trustList {
	l := &trustList{Project: p.Root, Store: store.Path(), Verifiers: []trustLine{}, Servers: []trustLine{},
		Programs: []trustLine{}, Texts: []trustLine{},
		Gone: append([]string{}, gone...), all: subjects}
	for _, v := range subjects {
		line := trustLine{v.Name, v.File, v.Command, v.Globs, v.State, v.changedByOthers}
		switch v.kind {
		case trust.Verifier:
			l.Verifiers = append(l.Verifiers, line)
		case trust.GitProgram:
			l.Programs = append(l.Programs, line)
		case trust.Text:
			l.Texts = append(l.Texts, line)
		default:
			l.Servers = append(l.Servers, line)
		}
	}
	return l
}

// Text shows each of them, and what may be done.
func (l *trustList) Text() string {
	var b strings.Builder
	if len(l.all) == 0 {
		b.WriteString("Nothing in this project needs trust.\n")
	}
	open := false
	for _, v := range l.all {
		open = open || !v.needsNoQuestion()
		state := string(v.State)
		switch v.State {
		case trust.Changed:
			state = "changed since it was trusted"
		case trust.Own:
			state = "yours"
		}
		if len(v.changedByOthers) > 0 {
			state += "; others have changed what it reads since: " + globs(v.changedByOthers)
		}
		fmt.Fprintf(&b, "%-12s %s\n", quoteWord(v.Name), state)
		if v.kind == trust.Text {
			continue
		}
		fmt.Fprintf(&b, "  %s\n  ", commandLine(v.Command))
		if v.File != "" {
			fmt.Fprintf(&b, "%s, ", quoteWord(v.File))
		}
		fmt.Fprintf(&b, "for %s\n", v.usedFor())
	}
	for _, name := range l.Gone {
		fmt.Fprintf(&b, "%-12s trusted, but it is gone\n", quoteWord(name))
	}
	if open {
		b.WriteString("The server runs and follows those that you trust: code-intel trust NAME\n")
	}
	return b.String()
}
