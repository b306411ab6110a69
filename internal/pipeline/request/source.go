package request

import (
	"net/url"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// Types of sources.
const (
	GitHubIssue = "github_issue"
	GitHubPull  = "github_pull_request"
	JiraIssue   = "jira_issue"
	LinearIssue = "linear_issue"
	Text        = "text"
	Workspace   = "workspace"
)

// A Source is where a request comes from.
type Source struct {
	Type string
	URL  string // of an issue: as typed, without query and fragment
	ID   string // of an issue: "42", "SOA-123"; of a workspace: its path

	Host, Owner, Repo string // of an issue or a pull request of GitHub
}

// Tracked says that the source is an issue that somebody else reads too.
func (s Source) Tracked() bool {
	return s.Type == GitHubIssue || s.Type == JiraIssue || s.Type == LinearIssue
}

// ParseSource returns the source that text names as a whole; a text that names
// none is its own source. An address of no known source is an error, and so is a
// workspace that is not under .specs/.
func ParseSource(text string, o Options) (Source, error) {
	s, err := parseSource(text, o)
	if err == nil && slices.ContainsFunc(o.StrangeHosts, func(h string) bool { return strings.EqualFold(h, s.Host) }) {
		return Source{}, msg.Err("request.host_that_the_project_alone_names", s.Host)
	}
	return s, err
}

func parseSource(text string, o Options) (Source, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, " \t\n\u3000") {
		return Source{Type: Text}, nil
	}
	if path, ok := specsPath(text); ok {
		return workspace(path)
	}
	if strings.Count(text, "/") == 3 && strings.Contains(text, "/pull/") {
		if s, ok := issue(&url.URL{Scheme: "https", Host: gitHub, Path: "/" + text}, o); ok { // owner/repo/pull/42
			return s, nil
		}
	}
	link := strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
	if s, ok := shorthand(link, o); ok {
		return s, nil
	}
	if !scheme.MatchString(link) {
		host, _, _ := strings.Cut(strings.ToLower(link), "/")
		if !known(host, o) {
			return Source{Type: Text}, nil
		}
		link = "https://" + link
	}
	u, err := url.Parse(link)
	if err != nil {
		return Source{}, msg.Err("request.unknown_source_address_cannot_read")
	}
	if s, ok := issue(u, o); ok {
		return s, nil
	}
	return Source{}, msg.Err("request.unknown_source_no_issue", u.Redacted())
}

var (
	scheme = lazyregexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	short  = lazyregexp.MustCompile(`^(?:([A-Za-z0-9.-]+(?::[0-9]+)?)/)?([^/#]+)/([^/#]+)#([^/#]+)$`)

	ownerName = lazyregexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
	repoName  = lazyregexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	number    = lazyregexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	issueKey  = lazyregexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}-[1-9][0-9]{0,17}$`)
)

// shorthand reads owner/repo#42, with or without a host before it.
func shorthand(text string, o Options) (Source, bool) {
	m := short.FindStringSubmatch(text)
	if m == nil {
		return Source{}, false
	}
	host := strings.ToLower(m[1])
	if host == "" {
		host = gitHub
	}
	if !gitHubHost(host, o) {
		return Source{}, false
	}
	return onGitHub(GitHubIssue, "https", host, m[2], m[3], m[4])
}

const gitHub = "github.com"

func gitHubHost(host string, o Options) bool {
	same := func(h string) bool { return strings.EqualFold(h, host) }
	return host == gitHub || slices.ContainsFunc(o.GitHubHosts, same) || slices.ContainsFunc(o.StrangeHosts, same)
}

func jiraHost(host string) bool {
	site, ok := strings.CutSuffix(host, ".atlassian.net")
	return ok && site != "" && !strings.HasPrefix(site, ".")
}

// known says that a host keeps issues, with or without "www." before it.
func known(host string, o Options) bool {
	host = strings.TrimPrefix(host, "www.")
	return gitHubHost(host, o) || jiraHost(host) || host == "linear.app"
}

// issue returns the issue whose address is u.
func issue(u *url.URL, o Options) (Source, bool) {
	if u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return Source{}, false
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	host = strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
	path := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	switch {
	case gitHubHost(host, o):
		if len(path) == 4 && path[2] == "issues" {
			return onGitHub(GitHubIssue, u.Scheme, host, path[0], path[1], path[3])
		}
		if len(path) >= 4 && path[2] == "pull" && (len(path) == 4 || slices.Contains(pullPages, path[4])) {
			return onGitHub(GitHubPull, u.Scheme, host, path[0], path[1], path[3])
		}
	case jiraHost(host):
		if len(path) == 2 && path[0] == "browse" && issueKey.MatchString(path[1]) {
			return Source{Type: JiraIssue, URL: u.Scheme + "://" + host + "/browse/" + path[1], ID: strings.ToUpper(path[1])}, true
		}
	case host == "linear.app":
		if (len(path) == 3 || len(path) == 4) && path[1] == "issue" && ownerName.MatchString(path[0]) && issueKey.MatchString(path[2]) {
			return Source{Type: LinearIssue, URL: u.Scheme + "://" + host + "/" + strings.Join(path, "/"), ID: strings.ToUpper(path[2])}, true
		}
	}
	return Source{}, false
}

// pullPages are the pages of a pull request besides the first.
var pullPages = []string{"files", "changes", "commits", "checks"}

// AsPull is the pull request of the number of an issue, and AsIssue the reverse: GitHub counts
// both in one row, and takes either address for either.
func (s Source) AsPull() Source { return s.withKind(GitHubPull, "/issues/", "/pull/") }

// AsIssue is the issue of the number of a pull request.
func (s Source) AsIssue() Source { return s.withKind(GitHubIssue, "/pull/", "/issues/") }

func (s Source) withKind(kind, from, to string) Source {
	s.Type = kind
	s.URL = strings.TrimSuffix(s.URL, from+s.ID) + to + s.ID
	return s
}

func onGitHub(kind, scheme, host, owner, repo, id string) (Source, bool) {
	if !ownerName.MatchString(owner) || !repoName.MatchString(repo) || repo == "." || repo == ".." || !number.MatchString(id) {
		return Source{}, false
	}
	part := "issues"
	if kind == GitHubPull {
		part = "pull"
	}
	return Source{
		Type: kind, ID: id, Host: host, Owner: owner, Repo: repo,
		URL: scheme + "://" + host + "/" + owner + "/" + repo + "/" + part + "/" + id,
	}, true
}

// specs is the folder of all workspaces.
const specs = ".specs/"

// specsPath returns text with slashes, if it is a path that begins at .specs.
func specsPath(text string) (string, bool) {
	path := strings.ReplaceAll(text, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = strings.TrimLeft(path[2:], "/")
	}
	return path, strings.HasPrefix(path+"/", specs)
}

// workspace returns the workspace that path leads to or into.
func workspace(path string) (Source, error) {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	if len(parts) < 2 || slices.Contains(parts, "..") {
		return Source{}, msg.Err("pipeline.workspace_not_found", path)
	}
	return Source{Type: Workspace, ID: specs + parts[1]}, nil
}

// A Fetch says what to get from an issue before work on it is confirmed.
type Fetch struct {
	Type        string            `json:"type"`
	Fields      []string          `json:"fields"`
	Instruction msg.Message       `json:"instruction"`
	Argv        []string          `json:"argv,omitempty"`    // a command that prints the fields as JSON, where there is one
	Mapping     map[string]string `json:"mapping,omitempty"` // field → key of external_context
}

// trackers says what is fetched from one kind of issue, in order: a field and the
// key it gets in external_context.
var trackers = map[string]struct {
	name   string
	fields [][2]string
}{
	GitHubIssue: {"github", [][2]string{{"labels", "github_labels"}, {"title", "github_title"}, {"body", "github_body"}}},
	JiraIssue: {"jira", [][2]string{{"issuetype", "jira_issue_type"}, {"story_points", "jira_story_points"},
		{"summary", "jira_summary"}, {"description", "jira_description"}}},
	LinearIssue: {"linear", [][2]string{{"labels", "linear_labels"}, {"title", "linear_title"},
		{"description", "linear_description"}, {"estimate", "linear_estimate"}}},
}

// fetch returns what to fetch, or nil for a source that has nothing more to say.
func (s Source) fetch() *Fetch {
	t, ok := trackers[s.Type]
	if !ok {
		return nil
	}
	f := &Fetch{
		Type:        t.name,
		Instruction: msg.New("request.fetch_issue_fields_before_calling", t.name, op.PipelineInitWithContext),
		Mapping:     make(map[string]string),
	}
	for _, field := range t.fields {
		f.Fields = append(f.Fields, field[0])
		f.Mapping[field[0]] = field[1]
	}
	if s.Type == GitHubIssue {
		f.Argv = []string{"gh", "issue", "view", s.ID, "--repo", s.Host + "/" + s.Owner + "/" + s.Repo, "--json", strings.Join(f.Fields, ",")}
	}
	return f
}
