package resolve

// Forget lets go of everything that was read and inferred, unless a question is
// under way. The next question reads again what it needs.
func (r *Resolver) Forget() {
	select {
	case <-r.turn:
	default:
		return
	}
	r.files, r.parsed = nil, map[string]*parsed{}
	r.manifests, r.modules, r.nodes = nil, nil, 0
	r.reset()
	r.turn <- struct{}{}
}
