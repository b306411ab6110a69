package impact

import (
	"strings"
	"testing"
)

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

// TestElements asks for components that no import names: their element uses them, unless an
// import binds its name.
func TestElements(t *testing.T) {
	card := "<script setup>\nconst account = now()\n</script>\n<template><b :x=\"account\" /></template>\n"
	a := open(t, map[string]string{
		"components/status/StatusCard.vue":  card,
		"components/base/Button.client.vue": card,
		"pages/list.vue":                    "<template>\n<status-card />\n<BaseButton/>\n<StatusCards />\n</template>\n",
		"pages/menu.vue":                    "<script setup>\nconst x = status.account\n</script>\n<template><button :y=\"status.account\"/></template>\n",
		"pages/other.vue":                   "<script setup>\nimport StatusCard from \"other\"\n</script>\n<template><StatusCard /></template>\n",
		"status/b.js":                       "export function f(status) { return status.account }\n",
	})
	for _, c := range []struct{ target, should string }{
		{"components/status/StatusCard.vue", "pages/list.vue:2"},
		{"StatusCard", "pages/list.vue:2"},
		{`components\status\StatusCard.vue`, "pages/list.vue:2"},
		{"components/base/Button.client.vue", "pages/list.vue:3"},
	} {
		answer, err := a.Analyze(t.Context(), Query{Targets: []string{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if must, should := places(answer.MustVerify), places(answer.ShouldVerify); must != "" || should != c.should {
			t.Errorf("%s: must %q, should %q, want %q", c.target, must, should, c.should)
		}
	}
}

// TestNamesakes takes the name of a file that other folders have, too, for that of the nearest file.
func TestNamesakes(t *testing.T) {
	a := open(t, map[string]string{
		"values.yaml":                     "a: 1\n",
		"charts/one/values.yaml":          "a: 1\n",
		"charts/one/README.md":            "See values.yaml.\n",
		"charts/one/docs/more.md":         "See values.yaml.\n",
		"charts/two/values.yaml":          "a: 1\n",
		"charts/two/README.md":            "See values.yaml, unlike one/values.yaml\n",
		"charts/two/extra/README.md":      "See values.yaml.\n",
		"charts/README.md":                "Each has a values.yaml.\n",
		"charts/two/ci/special.yaml":      "a: 1\n",
		"charts/one/templates/README.md":  "See special.yaml and config.md.\n",
		"charts/three/templates/index.md": "There is charts/two/values.yaml.\n",
	})
	for target, want := range map[string]string{
		"charts/one/values.yaml":     "charts/one/README.md:1 charts/one/docs/more.md:1 charts/two/README.md:1",
		"charts/two/values.yaml":     "charts/three/templates/index.md:1 charts/two/README.md:1 charts/two/extra/README.md:1",
		"values.yaml":                "charts/README.md:1",
		"charts/two/ci/special.yaml": "charts/one/templates/README.md:1", // nothing else has the name
	} {
		answer, err := a.Analyze(t.Context(), Query{Targets: []string{target}})
		if err != nil {
			t.Fatal(err)
		}
		var docs []string
		for _, p := range strings.Fields(places(answer.ShouldVerify)) {
			if strings.Contains(p, ".md") {
				docs = append(docs, p)
			}
		}
		if got := strings.Join(docs, " "); got != want {
			t.Errorf("%s is mentioned in %s, want %s", target, got, want)
		}
	}
}
