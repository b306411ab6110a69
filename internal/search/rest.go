package search

// Rest lets go of what was worked out for earlier questions and may serve later
// ones: the types of Go packages, the meanings of names in other languages. It is
// for a server that nobody has asked for a while.
func (e *Engine) Rest() {
	e.names.Forget()
	e.types.letGo()
}

// letGo lets go of all packages, unless a question is under way.
func (c *goChecker) letGo() {
	select {
	case <-c.turn:
	default:
		return
	}
	fresh := newGoChecker(c.p)
	fresh.turn, fresh.patience, fresh.now = c.turn, c.patience, c.now
	*c = *fresh
	c.give()
}
