package stringnames

import (
	"testing"

	"codeintel/test/tempcache"
)

func TestMain(m *testing.M) { tempcache.Main(m) }
