package syntax

// readBlade reads a Blade template.
func readBlade(src []byte) *File { return readHTML(src) }
