package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/problem"
)

// Forged is the code of a checkpoint that is not the last one the server wrote.
const Forged problem.Code = "checkpoint_forged"

// A checkpoint is the State as JSON, and its last member a seal over all bytes
// before that: an HMAC with the key of the ledger.
//
//	{
//	 "schema": 1,
//	 …
//	 "seal": "<64 hex digits>"
//	}
const (
	sealMember = ",\n \"seal\": \""
	sealEnd    = "\"\n}\n"
)

// write keeps the state as the session's checkpoint. It is refused if another
// process has written one since.
func (s *Service) write(st *State, l *audit.Ledger) error {
	counted, err := l.Saves()
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if counted > st.Saves {
		return problem.Newf(Forged, "Session %s was written by another process since: %d times, %d of them from here.", st.ID, counted, st.Saves).
			Or("Tell the user that two servers lead the same session, and end one of them: nothing was changed by this call.")
	}
	st.Saves++
	data, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	body := bytes.TrimSuffix(data, []byte("\n}"))
	sealed := append(bytes.Clone(body), sealMember+l.Seal(body)+sealEnd...)
	err = s.underLock(func() error { return atomicfile.WriteBytes(s.sessions(st.ID+".json"), sealed) })
	if err != nil {
		return err
	}
	if err := l.Saved(st.Saves); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Genuine returns a Problem unless the checkpoint is the last one that a server
// wrote for the session of the ledger.
func Genuine(checkpoint string, l *audit.Ledger) error {
	data, err := os.ReadFile(checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	var st struct {
		ID    string `json:"session_id"`
		Saves int64  `json:"saves"`
	}
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("checkpoint %s: %w", filepath.Base(checkpoint), err)
	}
	why := ""
	counted, err := l.Saves()
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	body, seal, sealed := bytes.Cut(data, []byte(sealMember))
	seal, ended := bytes.CutSuffix(seal, []byte(sealEnd))
	switch {
	case !sealed || !ended || !l.Sealed(body, string(seal)):
		why = "it was changed by another hand"
	case st.Saves < counted:
		why = fmt.Sprintf("it is an old one: number %d of %d", st.Saves, counted)
	default:
		return nil
	}
	return problem.Newf(Forged, "The checkpoint of session %s is not what the server wrote last: %s.", st.ID, why).
		Or("Tell the user. The session cannot go on; its branch and files are untouched.").
		Or(fmt.Sprintf("code-intel session abandon %s, or start_session(flags=[\"--clean\"]), puts it away.", st.ID))
}
