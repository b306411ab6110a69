package impact

import "testing"

// TestNamedFiles asks for files that no import names: a script that another one runs, a page
// that code renders, a partial, and a file whose name another folder has too.
func TestNamedFiles(t *testing.T) {
	a := open(t, map[string]string{
		"libexec/pkg-clone":                    "#!/bin/bash\ngit clone \"$1\"\n",
		"libexec/pkg-install":                  "#!/bin/bash\n# pkg-clone is run below\npkg-clone \"$1\"\npkg-clone-all\n",
		"app/templates/users/setup.html":       "<p>Hello</p>\n",
		"tests/fixtures/pkg-clone":             "#!/bin/bash\n",
		"app/views.py":                         "def view(request):\n    return render(request, \"users/setup.html\")\n",
		"app/views/messages/_message.html.erb": "<p></p>\n",
		"app/views/rooms/show.html.erb":        "<%= render partial: \"messages/message\" %>\n",
		"app/models/room.rb":                   "class Room\n  def draw = render(\"messages/message\")\n  def label = \"messages/messages\"\nend\n",
		"one/gen.py":                           "print(1)\n",
		"two/gen.py":                           "print(2)\n",
		"build.rb":                             "system(\"python one/gen.py\")\nsystem(\"python two/gen.py\")\n",
		"web/api.js":                           "export const get = 1\n",
		"web/page.js":                          "import { get } from \"./api.js\"\nconsole.log(get)\n",
	})
	for _, c := range []struct{ target, must, should string }{
		{"libexec/pkg-clone", "", "libexec/pkg-install:3 tests/fixtures/pkg-clone"},
		{"app/templates/users/setup.html", "", "app/views.py:2"},
		{"app/views/messages/_message.html.erb", "", "app/models/room.rb:2 app/views/rooms/show.html.erb:1"},
		{"two/gen.py", "", "build.rb:2"},
		{"web/api.js", "web/page.js:1", ""},
	} {
		answer, err := a.Analyze(t.Context(), Query{Targets: []string{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if must, should := places(answer.MustVerify), places(answer.ShouldVerify); must != c.must || should != c.should {
			t.Errorf("%s: must %q, want %q; should %q, want %q", c.target, must, c.must, should, c.should)
		}
	}
}
