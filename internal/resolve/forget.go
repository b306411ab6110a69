package resolve

// Forget lets go of everything that was read and inferred, unless a question is
// under way. The next question reads again what it needs.
func (r *Resolver) Forget() {
	if !r.turn.TryAcquire(1) {
		return
	}
	r.Files, r.parsed = nil, map[string]*Parsed{}
	r.Manifests, r.Crates, r.Builds, r.Modules, r.nodes = nil, nil, nil, nil, 0
	r.reset()
	r.turn.Release(1)
}
