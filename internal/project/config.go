package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// InvalidConfig is the code of a Problem with a file of settings.
const InvalidConfig problem.Code = "invalid_config"

// A ChunkStrategy says how files are cut for ranking.
type ChunkStrategy string

// The chunk strategies.
const (
	ChunkAST   ChunkStrategy = "ast"   // by syntax
	ChunkLines ChunkStrategy = "lines" // by lines
)

// A Ranking says how the order of search results is made.
type Ranking string

// The rankings.
const (
	RankingLearned Ranking = "learned" // by trees over the weighed signals
	RankingPlain   Ranking = "plain"   // by the weighed signals alone
)

// A Config is what .code-intel/config.json holds.
type Config struct {
	Version         string           `json:"version"`
	EmbeddingModel  string           `json:"embedding_model"`
	VectorStore     string           `json:"vector_store"`     // "embedded", or "chroma:" and the URL of a server
	SourceDirs      []string         `json:"source_dirs"`      // relative to the root, clean; none: the whole project
	ExcludePatterns []string         `json:"exclude_patterns"` // as lines of a .gitignore in the root
	ChunkStrategy   ChunkStrategy    `json:"chunk_strategy"`
	ChunkMaxTokens  int              `json:"chunk_max_tokens"`
	Ranking         Ranking          `json:"ranking"`
	SyncTTLHours    float64          `json:"sync_ttl_hours"`
	SyncOnStart     bool             `json:"sync_on_start"`
	MaxFileBytes    int64            `json:"max_file_bytes"`  // larger files are not read; above the default only as [maxFileBytesVar] allows
	GitHubHosts     []string         `json:"github_hosts"`    // of GitHub Enterprise, beside github.com
	ParallelAgents  int              `json:"parallel_agents"` // how many agents of a pipeline work at once
	HumanGate       approval.Channel `json:"human_gate"`      // the weakest way by which a decision of the user counts: relayed, dashboard, terminal, elicited, confirmed
	Lang            string           `json:"lang"`            // of prompts and messages: en, ja
	// What a session needs before files may be written: "L1" the server's own audit,
	// "L2" hooks of the client that were heard, "L3" a write that one has denied.
	RequiredEnforcement string   `json:"required_enforcement"`
	ReadOnlyCommands    []string `json:"read_only_commands"` // commands that only read, by their first words: "go vet"

	SCIP            []string            `json:"scip"`             // indexes in SCIP format, relative to the root
	LanguageServers map[string][]string `json:"language_servers"` // commands by language; an empty one: none for that language
}

// Defaults returns the settings of a project without a config.json.
func Defaults() Config {
	return Config{
		Version:         "1.0",
		EmbeddingModel:  "builtin",
		VectorStore:     "embedded",
		SourceDirs:      []string{},
		ExcludePatterns: []string{"**/node_modules/**", "**/__pycache__/**"},
		ChunkStrategy:   ChunkAST,
		ChunkMaxTokens:  512,
		Ranking:         RankingLearned,
		SyncTTLHours:    1,
		SyncOnStart:     true,
		MaxFileBytes:    4 << 20,
		GitHubHosts:     []string{},
		ParallelAgents:  4,
		HumanGate:       approval.Relayed,
		Lang:            "en",

		RequiredEnforcement: "L1",
		ReadOnlyCommands:    []string{},

		SCIP:            []string{"index.scip"},
		LanguageServers: map[string][]string{},
	}
}

// ParseConfig reads the text of a config.json. Fields that are left out keep their
// defaults. All errors are reported in one Problem, each with its line, its field
// and what is allowed there.
func ParseConfig(data []byte) (Config, error) {
	c := Defaults()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var wrong []msg.Message
	at := func(offset int64, what msg.Message) {
		line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
		wrong = append(wrong, msg.New("project.line", line, what))
	}

	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		at(syntaxOffset(err, d), msg.New("project.file_must_hold_one_json"))
		return Defaults(), invalidConfig(wrong)
	}
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			at(syntaxOffset(err, d), msg.New("project.not_json", err))
			return Defaults(), invalidConfig(wrong)
		}
		name, offset := token.(string), d.InputOffset()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			at(syntaxOffset(err, d), msg.New("project.not_json", err))
			return Defaults(), invalidConfig(wrong)
		}
		switch f, ok := fieldNamed(name); {
		case !ok:
			at(offset, msg.New("project.no_field_fields", name, fieldNames()))
		case seen[name]:
			at(offset, msg.New("project.stands_here_second_time", name))
		case entries(value) > maxEntries:
			at(offset, msg.New("project.holds_too_many", name, maxEntries))
		case !f.set(&c, value):
			at(offset, msg.New("project.must_not", name, f.allowed, excerpt(value)))
		}
		seen[name] = true
	}
	if _, err := d.Token(); err != nil {
		at(syntaxOffset(err, d), msg.New("project.not_json", err))
	} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
		at(d.InputOffset(), msg.New("project.text_after_closing"))
	}
	if len(wrong) > 0 {
		return Defaults(), invalidConfig(wrong)
	}
	return c, nil
}

// maxEntries is how many entries one field may have. Each is checked against every path.
const maxEntries = 1000

// entries counts the entries of a list or object, those within them as well.
func entries(value json.RawMessage) int {
	return bytes.Count(value, []byte(",")) + 1
}

// maxFileBytesVar is the environment variable by which users let max_file_bytes count
// beyond its default. The file comes with the repository, the memory is the user's.
const maxFileBytesVar = "CODE_INTEL_MAX_FILE_BYTES"

// capTo takes limits that protect the machine back to what its user allows.
func (c Config) capTo(getenv func(string) string) Config {
	most := Defaults().MaxFileBytes
	if n, err := strconv.ParseInt(strings.TrimSpace(getenv(maxFileBytesVar)), 10, 64); err == nil {
		most = max(most, n)
	}
	c.MaxFileBytes = min(c.MaxFileBytes, most)
	return c
}

func invalidConfig(wrong []msg.Message) error {
	return problem.New(InvalidConfig, "project.config_json", Dir, wrong).
		Or("project.correct_file_field_left_out")
}

// syntaxOffset returns where in the text err happened.
func syntaxOffset(err error, d *json.Decoder) int64 {
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		return s.Offset
	}
	return d.InputOffset()
}

func excerpt(value json.RawMessage) string {
	return text.Clip(text.OneLine(string(value)), 40)
}

// A field is one field of config.json.
type field struct {
	name    string
	allowed msg.Message // what it may hold, after "must be"
	set     func(c *Config, value json.RawMessage) bool
}

// fields are all fields of config.json, in the order in which they are written.
var fields = []field{
	{"version", msg.New("project.the_string_1_0"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.Version, v) && c.Version == "1.0"
	}},
	{"embedding_model", msg.New("project.name_model_such_builtin"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.EmbeddingModel, v) && strings.TrimSpace(c.EmbeddingModel) != ""
	}},
	{"vector_store", msg.New("project.embedded_or_chroma_url"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.VectorStore, v) && vectorStore(c.VectorStore)
	}},
	{"source_dirs", msg.New("project.list_folders_relative_root_within"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.SourceDirs, v) && cleanDirs(c.SourceDirs)
	}},
	{"exclude_patterns", msg.New("project.list_patterns_such_build"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.ExcludePatterns, v) && !slices.ContainsFunc(c.ExcludePatterns, func(p string) bool {
			return strings.TrimSpace(p) == "" || strings.ContainsAny(p, "\n\x00")
		})
	}},
	{"chunk_strategy", msg.New("project.ast_lines"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.ChunkStrategy, v) && (c.ChunkStrategy == ChunkAST || c.ChunkStrategy == ChunkLines)
	}},
	{"chunk_max_tokens", msg.New("project.whole_number_from"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.ChunkMaxTokens, v) && c.ChunkMaxTokens >= 64 && c.ChunkMaxTokens <= 8192
	}},
	{"ranking", msg.New("project.learned_plain"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.Ranking, v) && (c.Ranking == RankingLearned || c.Ranking == RankingPlain)
	}},
	{"sync_ttl_hours", msg.New("project.number_from"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.SyncTTLHours, v) && c.SyncTTLHours >= 0 && c.SyncTTLHours <= 8760
	}},
	{"sync_on_start", msg.New("lenientjson.true_false"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.SyncOnStart, v)
	}},
	{"max_file_bytes", msg.New("project.whole_number_to_64_mib"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.MaxFileBytes, v) && c.MaxFileBytes >= 1<<10 && c.MaxFileBytes <= 64<<20
	}},
	{"github_hosts", msg.New("project.list_hosts_such_github_example"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.GitHubHosts, v) && !slices.ContainsFunc(c.GitHubHosts, func(h string) bool {
			return h == "" || strings.ContainsAny(h, "/@ \t\n\x00")
		})
	}},
	{"parallel_agents", msg.New("project.whole_number_to_16"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.ParallelAgents, v) && c.ParallelAgents >= 1 && c.ParallelAgents <= 16
	}},
	{"human_gate", msg.New("project.relayed_dashboard_terminal_elicited_confirmed"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.HumanGate, v) && c.HumanGate.Known()
	}},
	{"lang", msg.New("project.en_ja"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.Lang, v) && (c.Lang == "en" || c.Lang == "ja")
	}},
	{"required_enforcement", msg.New("project.l_l_l"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.RequiredEnforcement, v) && slices.Contains([]string{"L1", "L2", "L3"}, c.RequiredEnforcement)
	}},
	{"read_only_commands", msg.New("project.list_commands_their_first_words"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.ReadOnlyCommands, v) && !slices.ContainsFunc(c.ReadOnlyCommands,
			func(s string) bool { return strings.TrimSpace(s) == "" })
	}},
	{"scip", msg.New("project.list_of_files_within"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.SCIP, v) && cleanDirs(c.SCIP)
	}},
	{"language_servers", msg.New("project.commands_by_language"), func(c *Config, v json.RawMessage) bool {
		return decodeInto(&c.LanguageServers, v) && commands(c.LanguageServers)
	}},
}

// decodeInto decodes value as a T, and reports whether it is one. JSON's null is none:
// encoding/json would pass over it in silence.
func decodeInto[T any](to *T, value json.RawMessage) bool {
	var v T
	if bytes.Equal(bytes.TrimSpace(value), []byte("null")) || json.Unmarshal(value, &v) != nil {
		return false
	}
	*to = v
	return true
}

// vectorStore reports whether s names a place for vectors. The file is for git: a
// URL in it holds no secret.
func vectorStore(s string) bool {
	server, chroma := strings.CutPrefix(s, "chroma:")
	u, err := url.Parse(server)
	return s == "embedded" || chroma && err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Hostname() != "" && u.User == nil
}

// cleanDirs cleans dirs in place and reports whether all are within the root.
func cleanDirs(dirs []string) bool {
	for i, d := range dirs {
		clean := path.Clean(strings.ReplaceAll(d, `\`, "/"))
		if d == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			return false
		}
		dirs[i] = clean
	}
	return true
}

func fieldNamed(name string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

func fieldNames() string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// EncodeConfig returns c as the text of a config.json.
func EncodeConfig(c Config) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return nil, fmt.Errorf("project: encode config: %w", err)
	}
	return []byte(short.ReplaceAllStringFunc(b.String(), func(list string) string {
		return "[" + strings.Join(strings.Fields(list[1:len(list)-1]), " ") + "]"
	})), nil
}

// short are lists of a few strings, which formatters of JSON write in one line.
var short = lazyregexp.MustCompile(`\[\s+"[^"\s]*"(,\s+"[^"\s]*"){0,2}\s+\]`)

// commands reports whether each language has a command, word by word, or none.
func commands(by map[string][]string) bool {
	for language, words := range by {
		if strings.TrimSpace(language) == "" || len(words) > 0 && strings.TrimSpace(words[0]) == "" {
			return false
		}
	}
	return true
}
