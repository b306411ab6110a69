package hookproof

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/clients/transcript"
)

// Anybody may start the hook's command and give it a payload: a model with a shell as well
// as the client. What an event denies is denied whoever sent it. What it gains, explored
// files and a level of enforcement, counts once something shows that the client sent it: a
// call of one of our own tools came with the same ID, which no model knows beforehand, or
// the conversation that the client keeps holds the call with these arguments.

// Names of details of an event.
const (
	unproven = "unproven" // the client is to be found to have sent it
	claims   = "claims"   // what it gains once it is, a claimed in JSON
	proves   = "proves"   // the ID of the call that this entry says was found
)

// claimed is what an event says of a call, and what it would gain.
type claimed struct {
	transcript.Call
	Transcript string            `json:"transcript"`
	Observed   shown.Facts       `json:"observed,omitzero"`
	Hashes     map[string]string `json:"hashes,omitempty"`
}

// Confirms reports whether an entry records nothing new, only that an earlier event was
// the client's.
func Confirms(e audit.Entry) bool { return e.Detail[proves] != "" }

// Doubtful reports whether an event is to be checked against what the client keeps. A client
// that keeps nothing is believed, unless the one that makes the calls keeps something.
func Doubtful(e clients.Event, entries []audit.Entry) bool {
	return e.Unproven || slices.ContainsFunc(entries, named)
}

// named reports whether the client gave a call of one of our tools the ID that its hooks
// give it: only those do that keep conversations.
func named(e audit.Entry) bool { return e.Kind == audit.Tool && e.Detail["call"] != "" }

// Claim takes from the entry of an event what it would gain, and keeps it until it is proven.
// reason is what the model was told if the event was denied.
func Claim(e clients.Event, started time.Time, entries []audit.Entry, reason string, entry *audit.Entry) error {
	entry.Detail[unproven] = "yes"
	gains := len(entry.Observed.Lines) > 0 || e.Name == clients.Before && entry.Outcome == audit.Blocked
	if clients.IsOwnServer(e.Server) { // our own calls show it, where they have IDs
		gains = e.Name == clients.Before && !slices.ContainsFunc(entries, named)
	}
	if !gains {
		return nil
	}
	c := claimed{Transcript: e.Transcript, Observed: entry.Observed, Hashes: entry.Hashes,
		Call: transcript.Call{ID: e.Call, Since: started, Denied: reason}}
	if e.Kind == clients.Shell {
		c.Command = e.Command
	}
	if e.Kind == clients.Read {
		for _, f := range e.Files {
			if !slices.Contains(c.Files, f.Path) {
				c.Files = append(c.Files, f.Path)
			}
		}
		for _, l := range entry.Observed.Lines {
			c.Lines += l.End - l.Start + 1
		}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("hookproof: keep an event: %w", err)
	}
	entry.Detail[claims] = string(data)
	if len(entry.Observed.Lines) > 0 {
		entry.Observed, entry.Hashes, entry.Outcome = shown.Facts{}, nil, audit.Unproven
	}
	return nil
}

// provenCalls returns the calls of which something shows that the client made them, each
// with the number of the entry that does: those of our own tools by their ID, others by
// event and ID.
func provenCalls(entries []audit.Entry) map[string]int64 {
	calls := make(map[string]int64)
	for _, e := range entries {
		if named(e) {
			calls[e.Detail["call"]] = e.Seq
		}
		if id := e.Detail[proves]; e.Kind == audit.Event && id != "" {
			calls[e.Name+" "+id] = e.Seq
		}
	}
	return calls
}

// isBelieved reports whether an event counts. That one of our own tools was about to be
// called is not news once it was.
func isBelieved(e audit.Entry, calls map[string]int64) bool {
	id := e.Detail["call"]
	return e.Detail[unproven] == "" || e.Detail[proves] != "" || id != "" &&
		(clients.IsOwnServer(clients.ServerOf(e.Detail["tool"])) && calls[id] > e.Seq || calls[e.Name+" "+id] > 0)
}

// LookUp returns the entries of events that have turned out to be the client's since.
func LookUp(entries []audit.Entry) (found []audit.Entry, err error) {
	calls := provenCalls(entries)
	read := make(map[string]*transcript.Conversation)
	for _, e := range entries {
		if e.Kind != audit.Event || e.Detail[claims] == "" || isBelieved(e, calls) {
			continue
		}
		var c claimed
		if err := json.Unmarshal([]byte(e.Detail[claims]), &c); err != nil {
			return nil, fmt.Errorf("hookproof: an event in the ledger: %w", err)
		}
		key := e.Detail["client"] + " " + c.Transcript
		if _, ok := read[key]; !ok {
			read[key] = nil
			if conversation, ok := transcript.Of(registry.All.Find(clients.ID(e.Detail["client"])), c.Transcript); ok {
				read[key] = &conversation
			}
		}
		if read[key] == nil || !read[key].Contains(c.Call) {
			continue
		}
		calls[e.Name+" "+c.ID] = e.Seq
		proof := audit.Entry{Kind: audit.Event, Session: e.Session, Phase: e.Phase, Name: e.Name, Outcome: e.Outcome,
			Observed: c.Observed, Hashes: c.Hashes,
			Detail: audit.Details(proves, c.ID, "client", e.Detail["client"], "tool", e.Detail["tool"], "kind", e.Detail["kind"], "agent", e.Detail["agent"])}
		if e.Outcome == audit.Unproven {
			proof.Outcome = audit.OK
		}
		found = append(found, proof)
	}
	return found, nil
}
