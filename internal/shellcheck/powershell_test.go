package shellcheck

import (
	"strings"
	"testing"
)

func TestPowerShell(t *testing.T) {
	for command, want := range map[string]string{
		`Get-Content .claude\settings.json 2>$null`:           "",
		`Get-ChildItem -Recurse | Select-String "a;b" | sort`: "",
		`git status; git log -1`:                              "",
		`cd lib; ls`:                                          "",
		`Set-Content a.txt x`:                                 "runs Set-Content a.txt",
		`Get-Content a | Set-Content b`:                       "runs Set-Content b",
		`del lib\a.txt`:                                       "runs del",
		`rm lib\a.txt`:                                        "removes lib/a.txt",
		`echo "\"; del a; echo "\"`:                           "runs del a",
		`echo 'it''s'; del a`:                                 "runs del",
		"ls “'” ; del a; “'”":                                 "runs what only PowerShell can tell",
		`echo "$(del a)"`:                                     "runs what only PowerShell can tell",
		`git commit -m x`:                                     "git commit",
		`& "git" commit -m x`:                                 "git\" commit",
		`code-intel.exe approve`:                              "code-intel approve",
		`pwsh -enc ZABlAGwA`:                                  "encoded",
		"ls\ndel a":                                           "runs del",
		"ls `\n del a":                                        "runs what only PowerShell can tell",
		`[IO.File]::Delete("a")`:                              "runs what only PowerShell can tell",
		`Get-Content a -OutVariable x; Invoke-Expression "del a"`: "runs Invoke-Expression",
		`Get-Content (Remove-Item a)`:                             "runs what only PowerShell can tell",
		`Select-String -Path a -Pattern “; del a; echo ”`:         "runs what only PowerShell can tell",
		`Get-Content a > b`:                                       "runs what only PowerShell can tell",
	} {
		e, err := PowerShell(command, nil)
		if got := strings.Join(e.NotReading(), "; "); err != nil || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v, want %q", command, got, err, want)
		}
	}
	if e, _ := PowerShell(`Set-Content .claude\settings.json x`, nil); strings.Join(e.Named, " ") != ".claude/settings.json" {
		t.Errorf("names %q", e.Named)
	}
}
