package search

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a class declares is called by its bare name in Haskell, and by a message to any object in
// Objective-C, whatever the class around the call declares itself.
func TestMembersWithoutDots(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree map[string]string
		file string
		line int
		want []string
	}{
		{"method of a class", haskellTree, "src/Pot.hs", 4, []string{
			"src/Cup.hs:5 certain", "src/Pot.hs:10 certain", "src/Tray.hs:7 certain",
		}},
		{"method of an instance", haskellTree, "src/Pot.hs", 7, []string{
			"src/Cup.hs:5 possible", "src/Pot.hs:10 possible", "src/Tray.hs:7 possible",
		}},
		{"message", map[string]string{
			"Pot.h": "#import <Foundation/Foundation.h>\n\n@interface Pot : NSObject\n- (void)fill:(int)cups;\n- (void (^)(int cups))lid;\n@end\n",
			"Pot.m": "#import \"Pot.h\"\n@implementation Pot\n- (void)fill:(int)cups { }\n@end\n",
			"Tray.m": "#import \"Pot.h\"\n@implementation Tray\n- (void)fill:(int)cups {\n  [self.pot fill:cups];\n" +
				"  [[Pot new] fill:2];\n}\n@end\n",
		}, "Pot.h", 4, []string{"Tray.m:4 possible", "Tray.m:5 possible"}},
	} {
		e := open(t, tt.tree)
		name := "fill"
		answer, err := e.References(t.Context(), ReferencesQuery{Symbol: name, FilePath: tt.file, Line: tt.line, Page: Page{Limit: 100}})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(answer.References)
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

var haskellTree = map[string]string{
	"src/Pot.hs": "module Pot where\n\nclass Vessel v where\n  fill :: v -> Int\n\ninstance Vessel Int where\n  fill n = n + 1\n\n" +
		"twice :: Vessel v => v -> Int\ntwice v = fill v + fill v\n",
	"src/Cup.hs":  "module Cup where\n\nimport Pot\n\nsip v = fill v\n",
	"src/Tray.hs": "module Tray where\n\nimport qualified Pot as P\n\ndata Tray = Tray\n\nserve v = P.fill v\n",
}
