package robustness

import (
	"testing"

	"codeintel/test/tempcache"
)

var raced bool // these tests run under the race detector

func TestMain(m *testing.M) { tempcache.Main(m) }
