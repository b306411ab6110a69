package silencers

import "testing"

// TestAdded has each silencer come, stay and move.
func TestAdded(t *testing.T) {
	for _, c := range []struct{ path, line, want string }{
		{"a.ts", "// @ts-ignore\n", "@ts-ignore"},
		{"a.ts", "const x = (y as any).z;\n", "as any"},
		{"a.vue", "<!-- eslint-disable vue/x -->\n", "eslint-disable"},
		{"a.py", "x = f()  # type: ignore[arg-type]\n", "# type: ignore[arg-type]"},
		{"a.py", "x = f()  # noqa: E501\n", "# noqa"},
		{"a.kt", "@Suppress(\"UNCHECKED_CAST\")\n", "@Suppress"},
		{"A.java", "@SuppressWarnings(\"x\")\n", "@SuppressWarnings"},
		{"a.scala", "@nowarn\n", "@nowarn"},
		{"a.swift", "// swiftlint:disable:next force_try\n", "swiftlint:disable:next"},
		{"a.rs", "#[allow(dead_code)]\n", "#[allow("},
		{"a.go", "x() //nolint:errcheck\n", "//nolint:errcheck"},
		{"a.rb", "def a # rubocop:disable Metrics/AbcSize\n", "rubocop:disable"},
		{"a.ex", "# credo:disable-for-next-line\n", "credo:disable-for-next-line"},
		{"bin/a", "# shellcheck disable=SC2086\n", "shellcheck disable="},
		{"a.cs", "#pragma warning disable CS0168\n", "#pragma warning disable"},
		{"a.cpp", "x(); // NOLINT\n", "// NOLINT"},
		{"a.php", "/** @phpstan-ignore-next-line */\n", "@phpstan-ignore-next-line"},
		{"a.dart", "// ignore: unused_element\n", "// ignore:"},
		{"a.lua", "---@diagnostic disable-next-line\n", "---@diagnostic disable-next-line"},
		{"a.tf", "# tfsec:ignore:x\n", "tfsec:ignore"},
		{"a.ts", "const x = y as anything;\n", ""},
		{"a.md", "// @ts-ignore\n", ""},
	} {
		text := []byte(c.line)
		if got := Added([]File{{Path: c.path, New: text}})[c.path]; got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.path, c.line, got, c.want)
		}
		if got := Added([]File{{Path: c.path, Base: text, New: text}}); len(got) > 0 {
			t.Errorf("%s: %q is not new: %v", c.path, c.line, got)
		}
		if got := Added([]File{{Path: c.path, New: text}, {Path: "old/" + c.path, Base: text}}); len(got) > 0 {
			t.Errorf("%s: %q has moved: %v", c.path, c.line, got)
		}
	}
}

// TestSwapped has one silencer come where another goes: it counts unless both silence the same tool.
func TestSwapped(t *testing.T) {
	for _, c := range []struct{ path, was, is, want string }{
		{"a.ts", "const x = y as any;\n", "// @ts-ignore\nconst x = y;\n", "@ts-ignore"},
		{"a.py", "x = f()  # noqa\n", "x = f()  # type: ignore\n", "# type: ignore"},
		{"A.java", "@SuppressWarnings(\"x\")\n", "x(); // NOSONAR\n", "// NOSONAR"},
		{"a.ts", "// @ts-ignore\n", "// @ts-expect-error\n", ""},
		{"a.ts", "const x = y as any;\n", "const x = y as unknown as Z;\n", ""},
		{"a.go", "x() //nolint\n", "x() //nolint:errcheck\n", ""},
		{"a.kt", "@Suppress(\"X\")\n", "@file:Suppress(\"X\")\n", ""},
	} {
		if got := Added([]File{{Path: c.path, Base: []byte(c.was), New: []byte(c.is)}})[c.path]; got != c.want {
			t.Errorf("%s: %q for %q: %q, want %q", c.path, c.is, c.was, got, c.want)
		}
	}
}
