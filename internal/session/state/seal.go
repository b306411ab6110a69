package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
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

// Write keeps the state as the session's checkpoint. It is refused if another
// process has written one since.
func (f Folder) Write(st *State, l *audit.Ledger) error {
	counted, err := l.Saves()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if counted > st.Saves {
		return problem.New(Forged, "session.session_written_another_process_since", st.ID, counted, st.Saves).
			Or("session.tell_user_two_servers_lead")
	}
	st.Saves++
	data, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	sealed := Sealed(l, bytes.TrimSuffix(data, []byte("\n}")))
	err = f.Under(func() error { return atomicfile.WriteBytes(f.Checkpoint(st.ID), sealed) })
	if err != nil {
		return err
	}
	if err := l.Saved(st.Saves); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// Sealed closes a checkpoint, of which the body is all but the seal.
func Sealed(l *audit.Ledger, body []byte) []byte {
	return append(bytes.Clone(body), sealMember+l.Seal(body)+sealEnd...)
}

// OpenLedger opens the ledger of a session, if ledger and checkpoint are what the server
// wrote last.
func OpenLedger(st *State, ledger, checkpoint string) (*audit.Ledger, error) {
	l, err := audit.Open(ledger)
	if err != nil {
		return nil, err
	}
	return l, errors.Join(l.CheckHead(audit.Head{Seq: st.LedgerSeq, MAC: st.LedgerMAC}), Genuine(checkpoint, l))
}

// Genuine returns a Problem unless the checkpoint is the last one that a server
// wrote for the session of the ledger.
func Genuine(checkpoint string, l *audit.Ledger) error {
	data, err := repofile.At(checkpoint).Read(repofile.Records)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	var st struct {
		ID    string `json:"session_id"`
		Saves int64  `json:"saves"`
	}
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("checkpoint %s: %w", filepath.Base(checkpoint), err)
	}
	var why msg.Message
	counted, err := l.Saves()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	body, seal, sealed := bytes.Cut(data, []byte(sealMember))
	seal, ended := bytes.CutSuffix(seal, []byte(sealEnd))
	switch {
	case !sealed || !ended || !l.Sealed(body, string(seal)):
		why = msg.New("session.changed_another_hand")
	case st.Saves < counted:
		why = msg.New("session.old_one_number", st.Saves, counted)
	default:
		return nil
	}
	return problem.New(Forged, "session.checkpoint_session_not_what_server", st.ID, why).
		Or("audit.tell_user_session_cannot_go").
		Or("session.code_intel_session_abandon_start", st.ID, msg.CallOf(op.StartSession, "flags", []string{"--clean"}))
}
