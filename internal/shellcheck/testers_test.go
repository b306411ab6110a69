package shellcheck

import (
	"strings"
	"testing"
)

// TestTesters tells calls that run tests from others: each call of the table counts, and
// what is written besides is said besides.
func TestTesters(t *testing.T) {
	only := func(command string) bool {
		e, err := Inspect(command, nil)
		return err == nil && len(e.Tests) > 0 && len(e.NotReading()) == len(e.Tests)
	}
	for _, call := range testers() {
		command := strings.ReplaceAll(strings.Join(call, " "), "*", "")
		if only(command) {
			continue
		}
		if e, err := Inspect(command, nil); err != nil || len(e.NotReading()) > 0 { // some only read
			t.Errorf("%q is not taken for tests: %+v, %v", command, e, err)
		}
	}
	for _, command := range []string{
		"go test -run TestA -count=1 ./... 2>&1 | tail -20", "PYTHONPATH=src python3 -m pytest -q tests -k edit", "cd sub && npm test -- --watch=false",
		"./gradlew -q :core:test", "vendor/bin/phpunit --filter Cart", "npm run test:unit", "mvn -q test", "timeout 60 cargo test --all",
	} {
		if !only(command) {
			e, err := Inspect(command, nil)
			t.Errorf("%q is not taken for tests: %+v, %v", command, e, err)
		}
	}
	for _, command := range []string{
		"pip install pytest", "npm install", "python3 -c 'import pytest'", "go run ./cmd", "npm run build", "make", "python3 tests.py", "sh test.sh",
		"go test ./... > out.txt", "go test ./... && touch a.go", "pytest; git commit -am x", "cargo run test", "echo pytest | sh", "go generate test",
	} {
		if only(command) {
			t.Errorf("%q is taken for tests alone", command)
		}
	}
}
