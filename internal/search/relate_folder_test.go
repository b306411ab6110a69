package search

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTerraform asks for addresses: a declaration is known in its folder, and by those that
// call the folder.
func TestTerraform(t *testing.T) {
	e := open(t, map[string]string{
		"variables.tf": "variable \"name\" {\n  default = \"x\"\n}\n",
		"main.tf": "locals {\n  full = \"${var.name}-${lookup(var.name, \"name\")}\"\n}\n\n" +
			"resource \"aws_vpc\" \"this\" {\n  name = local.full\n}\n\n" +
			"data \"aws_ami\" \"that\" {\n  id = aws_vpc.this[0].id\n}\n\n" +
			"output \"id\" {\n  value = data.aws_ami.that.id\n}\n\n" +
			"data \"aws_vpc\" \"this\" {\n}\n\nlocals {\n  found = data.aws_vpc.this.id\n}\n",
		"env/main.tf": "variable \"name\" {}\n\nmodule \"net\" {\n  source = \"../\"\n  name   = var.name\n}\n\n" +
			"module \"bought\" {\n  source = \"someone/net/aws\"\n  name   = \"y\"\n}\n\n" +
			"output \"id\" {\n  value = [module.net.id, module.net[0].id, module.bought.id, aws_vpc.this.id]\n}\n",
	})
	for name, want := range map[string][]string{
		"var.name": {"env/main.tf:10 possible", "env/main.tf:5 certain", "env/main.tf:5 certain", "main.tf:2 certain",
			"main.tf:2 certain"},
		"aws_vpc.this":      {"main.tf:10 certain"},
		"data.aws_ami.that": {"main.tf:14 certain"},
		"data.aws_vpc.this": {"main.tf:21 certain"},
		"local.full":        {"main.tf:6 certain"},
		"module.net":        {"env/main.tf:14 certain", "env/main.tf:14 certain"},
		"output.id":         {"env/main.tf:14 certain", "env/main.tf:14 possible", "env/main.tf:14 possible"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: name})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
