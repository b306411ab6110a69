package source

// Strict makes Guard let panics pass, so that tests see them.
var Strict bool

// Guard calls do and reports whether it returned. A bug of ours that panics at one odd file must not stop a session.
func Guard(do func()) (ok bool) {
	defer func() {
		if !Strict && recover() != nil {
			ok = false
		}
	}()
	do()
	return true
}
