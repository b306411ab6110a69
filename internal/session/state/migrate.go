package state

import (
	"encoding/json"
	"errors"
	"fmt"

	"codeintel/internal/platform/repofile"
)

// Schema is the version of [State] on disk.
//
//	1  the first
//	2  compact_seen: how far the ledger was searched for compactions
const Schema = 2

// migrations bring a checkpoint from the version that is their key to the next.
var migrations = map[int]func(*State){
	1: func(st *State) { st.CompactSeen = st.LedgerSeq },
}

// Read reads a checkpoint of this or an older version. One that is of a newer
// version, or of none, is an error.
func Read(file string) (*State, error) {
	data, err := repofile.At(file).Read(repofile.Records)
	if err != nil {
		return nil, err
	}
	st := new(State)
	if err := json.Unmarshal(data, st); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	for st.Schema != Schema {
		migrate, ok := migrations[st.Schema]
		if !ok {
			return nil, fmt.Errorf("state: schema %d, want %d or older", st.Schema, Schema)
		}
		migrate(st)
		st.Schema++
	}
	if st.ID == "" {
		return nil, errors.New("state: it names no session")
	}
	return st, nil
}
