package project

// A ChunkStrategy says how files are cut for ranking.
type ChunkStrategy string

// The chunk strategies.
const (
	ChunkAST   ChunkStrategy = "ast"   // by syntax
	ChunkLines ChunkStrategy = "lines" // by lines
)

// A Config is what .code-intel/config.json holds.
type Config struct {
	Version         string        `json:"version"`
	EmbeddingModel  string        `json:"embedding_model"`
	SourceDirs      []string      `json:"source_dirs"`      // none: the whole project
	ExcludePatterns []string      `json:"exclude_patterns"` // as lines of a .gitignore in the root
	ChunkStrategy   ChunkStrategy `json:"chunk_strategy"`
	ChunkMaxTokens  int           `json:"chunk_max_tokens"`
	SyncTTLHours    float64       `json:"sync_ttl_hours"`
	SyncOnStart     bool          `json:"sync_on_start"`
	MaxFileBytes    int64         `json:"max_file_bytes"` // larger files are not read
	Lang            string        `json:"lang"`           // of prompts and messages: en, ja
}

// Defaults returns the settings of a project that says nothing.
func Defaults() Config {
	return Config{
		Version:         "1.0",
		EmbeddingModel:  "builtin",
		SourceDirs:      []string{},
		ExcludePatterns: []string{"**/node_modules/**", "**/__pycache__/**"},
		ChunkStrategy:   ChunkAST,
		ChunkMaxTokens:  512,
		SyncTTLHours:    1,
		SyncOnStart:     true,
		MaxFileBytes:    4 << 20,
		Lang:            "en",
	}
}
