package impact

import "testing"

// TestTerraform asks for a file of resources and for one resource: the other files of the
// folder name both by their address, and a file of another folder that has a resource of the
// same name names neither.
func TestTerraform(t *testing.T) {
	a := open(t, map[string]string{
		"main.tf": "locals {\n  name = \"x\"\n}\n\nresource \"aws_vpc\" \"this\" {\n  cidr = local.name\n}\n",
		"outputs.tf": "output \"id\" {\n  value = aws_vpc.this.id\n}\n\n" +
			"output \"name\" {\n  value = local.name\n}\n",
		"README.md":     "| [aws_vpc.this](https://example.com) | resource |\n\nuse this\n",
		"other/main.tf": "resource \"aws_subnet\" \"this\" {\n}\n\noutput \"o\" {\n  value = aws_subnet.this.id\n}\n",
	})
	for _, c := range []struct {
		target, must, should string
	}{
		{"main.tf", "outputs.tf:2", "README.md:1"},
		{"aws_vpc.this", "outputs.tf:2", "README.md:1"},
		{"local.name", "main.tf:6 outputs.tf:6", ""},
	} {
		got, err := a.Analyze(t.Context(), Query{Targets: []string{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if must, should := places(got.MustVerify), places(got.ShouldVerify); must != c.must || should != c.should {
			t.Errorf("%s: must %q, want %q; should %q, want %q", c.target, must, c.must, should, c.should)
		}
	}
}
