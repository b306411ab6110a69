package workflow

import (
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
)

// A Turn holds the state of one call on a session or a pipeline.
type Turn struct {
	Repo     *git.Repo     // sees the files as they are at one moment; nil until it is opened
	Warnings []msg.Message // for the answer to this call alone
}

// Warn adds a warning: the message of key.
func (t *Turn) Warn(key string, args ...any) { t.Warnings = append(t.Warnings, msg.New(key, args...)) }
