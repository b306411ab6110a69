package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/payload"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/phase"
)

// A ThenPayload is the payload of a phase that is still to come. Beside the phase
// that it is for it is checked like any other.
type ThenPayload struct {
	Phase string          `json:"phase"`
	Data  payload.Payload `json:"data"`
}

// unreported is what the submissions of one call have left to be told, when the next
// payload of the same call is taken without an answer between them.
type unreported struct {
	phases     []msg.Message // whose payloads were taken
	warnings   []msg.Message
	overridden bool
	reason     msg.Message
	commit     string
	since      int64 // the ledger's sequence number when the phase of the first payload began
}

// note keeps what an answer to this turn would have told.
func (p *unreported) note(t *turn) {
	p.warnings = append(p.warnings, t.Warnings...)
	if t.commit != "" {
		p.commit = t.commit
	}
	if !t.reason.IsZero() {
		p.overridden, p.reason = t.overridden, t.reason
	}
}

// addTo adds what p keeps of earlier payloads to the turn that is answered.
func (p *unreported) addTo(t *turn) {
	t.Warnings = slices.Concat(p.warnings, t.Warnings)
	if t.commit == "" {
		t.commit = p.commit
	}
	if t.reason.IsZero() {
		t.overridden, t.reason = p.overridden, p.reason
	}
}

// takeUnreported returns what an earlier call took before it was refused, to be told now.
func (s *Service) takeUnreported() *unreported {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.unreported == nil {
		return new(unreported)
	}
	p := s.live.unreported
	s.live.unreported = nil
	return p
}

// keepUnreported keeps for the next answer what a call that was refused has to tell.
func (s *Service) keepUnreported(p *unreported) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.live.unreported = &unreported{warnings: p.warnings, overridden: p.overridden, reason: p.reason, commit: p.commit}
	}
}

// Submit ends the current phase with the model's payload and goes on to the
// next. A payload that does not hold changes nothing, with one exception: a
// [VerificationContradicted] counts as the failed verification that it is.
//
// Payloads of later phases may come with it. Each is taken as if it had been sent
// alone, until one is refused, or is not for the phase that the session has come to,
// or a person has to decide; those that were taken stay taken.
//
// Where commands of verifiers are to be run, it waits for them, for a while;
// other calls are not held up by that. What takes longer runs on, and a later
// Submit has its result.
func (s *Service) Submit(ctx context.Context, req SubmitRequest) (*answer.Answer, error) {
	at, err := s.currentPhase(req)
	if err != nil {
		return nil, err
	}
	p := s.takeUnreported()
	a, err := s.await(ctx, req, p, len(req.Then) > 0)
	if err != nil {
		s.keepUnreported(p)
	}
	if a != nil || err != nil {
		return s.nameUnused(a, req.Then), err
	}
	p.phases = append(p.phases, at)
	return s.followPayloads(ctx, req.Then, p)
}

// await is a submission that waits for the commands of verifiers. If more payloads
// follow and nothing speaks against taking them, there is no answer.
func (s *Service) await(ctx context.Context, req SubmitRequest, p *unreported, more bool) (*answer.Answer, error) {
	enough := time.NewTimer(s.patience)
	defer enough.Stop()
	for patient := true; ; {
		a, running, err := s.submit(ctx, req, patient, p, more)
		if len(running) == 0 {
			return a, err
		}
		if patient, err = verify.Await(ctx, running, enough.C, progressOf(ctx)); err != nil {
			return nil, err
		}
	}
}

// currentPhase names the phase that the session is in, which it takes up first if it was
// interrupted.
func (s *Service) currentPhase(req SubmitRequest) (msg.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen(req.SessionID, op.SubmitPhase); err != nil {
		return msg.Message{}, err
	}
	return s.step(s.live.st.Phase), nil
}

// followPayloads takes the payloads of the phases to come, one after the other, and answers
// where that ends.
func (s *Service) followPayloads(ctx context.Context, then []ThenPayload, p *unreported) (*answer.Answer, error) {
	for i, next := range then {
		id, ok := s.awaits(next.Phase)
		if !ok {
			a, err := s.currentAnswer(ctx, p)
			return s.nameUnused(a, then[i:]), err
		}
		name := s.step(id)
		a, err := s.await(ctx, SubmitRequest{Data: next.Data}, p, i+1 < len(then))
		if err != nil {
			s.keepUnreported(p)
		}
		if q := problem.Of(err); q != nil && len(p.phases) > 0 {
			return nil, problem.With(q.Code, msg.New("session.refused_after_others_taken",
				msg.Listed(", ", p.phases), name, q.Message), q.Next...)
		}
		if a != nil || err != nil {
			return s.nameUnused(a, then[i+1:]), err
		}
		p.phases = append(p.phases, name)
	}
	return s.currentAnswer(ctx, p)
}

// awaits reports whether the session is in the phase of that name, and a payload that
// was sent ahead may end it: what a person decides is not decided ahead.
func (s *Service) awaits(name string) (phase.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return "", false
	}
	id := s.live.st.Phase
	name = strings.ToUpper(strings.Join(strings.Fields(name), "_"))
	return id, gates[id] == nil && (name == string(id) || name == s.wire(id))
}

// currentAnswer answers where the session is, and what has happened on the way.
func (s *Service) currentAnswer(ctx context.Context, p *unreported) (*answer.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return nil, s.noneOpen()
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	p.addTo(t)
	return t.answer(ctx)
}

// nameUnused names in an answer the payloads that were sent ahead and not taken.
func (s *Service) nameUnused(a *answer.Answer, then []ThenPayload) *answer.Answer {
	if a == nil || len(then) == 0 {
		return a
	}
	var names []string
	for _, next := range then {
		names = append(names, next.Phase)
	}
	at := msg.New("session.it_has_ended")
	if a.Phase != "" {
		at = msg.New("session.it_is_in", a.Phase)
	}
	a.Warnings = append(a.Warnings, msg.New("session.payloads_sent_ahead_not_taken", msg.Listed(", ", names), at))
	return a
}
