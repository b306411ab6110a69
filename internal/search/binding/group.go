package binding

// A Group says through what a method is reached, or instead of what.
type Group string

// Groups of references to methods.
const (
	GroupInterface      Group = "interface"
	GroupImplementation Group = "implementation"
)
