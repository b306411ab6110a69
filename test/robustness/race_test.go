//go:build race

package robustness

func init() { raced = true }
