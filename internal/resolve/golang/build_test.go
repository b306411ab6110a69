package golang

import (
	"go/build"
	"testing"
)

func TestGoName(t *testing.T) {
	ctx := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc"}
	for name, want := range map[string]bool{
		"a.go": true, "a_linux.go": true, "a_windows.go": false, "a_linux_arm64.go": false, "linux.go": true, "a_test.go": true,
		"a_windows_test.go": false, "_a.go": false, "a_b_amd64.go": true,
	} {
		if goodName(&ctx, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	for text, want := range map[string]bool{
		"//go:build linux\n\npackage a": true, "//go:build !linux\npackage a": false, "/* x\n y */ //\n//go:build windows\npackage a": false,
		"package a\n//go:build windows\n": true, "//go:build (unix && amd64) || x\npackage a": true,
	} {
		if matchesBuild(&ctx, []byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
