package install

// Entries returns what is written at a place.
func Entries(p Place) ([]Entry, error) { return p.entries() }
