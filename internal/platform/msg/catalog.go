package msg

import (
	"cmp"
	"slices"
	"strings"
)

// An entry is a message in each language. Texts are formats of package fmt: one
// whose order differs from the order of the arguments numbers its verbs, %[2]s.
// {2:match|matches} is the first form if argument 2 is 1, else the second. An entry
// without a Japanese text is English for everyone.
type entry struct{ key, en, ja string }

// find returns the entry of key; nil if there is none. It reads static tables,
// because hooks are short processes: nothing is built at the start.
func find(key string) *entry {
	domain, _, dotted := strings.Cut(key, ".")
	if !dotted {
		return nil
	}
	for _, t := range tables {
		if len(t) == 0 || !strings.HasPrefix(t[0].key, domain) || t[0].key[len(domain)] != '.' {
			continue
		}
		i, found := slices.BinarySearchFunc(t, key, func(e entry, key string) int { return cmp.Compare(e.key, key) })
		if found {
			return &t[i]
		}
	}
	return nil
}

// Known reports whether the catalogue has an entry of key.
func Known(key string) bool { return find(key) != nil }

// tables are the domains, a file each; the keys of a domain begin with its name,
// and are sorted.
var tables = [...][]entry{
	catalogAgents[:],
	catalogApproval[:],
	catalogArtifact[:],
	catalogAudit[:],
	catalogCli[:],
	catalogCodediff[:],
	catalogDashboard[:],
	catalogDeadcode[:],
	catalogDependencies[:],
	catalogDoctor[:],
	catalogEmbedding[:],
	catalogEvidence[:],
	catalogExplore[:],
	catalogFilehistory[:],
	catalogFiles[:],
	catalogGit[:],
	catalogHint[:],
	catalogHistory[:],
	catalogImpact[:],
	catalogIndex[:],
	catalogInstall[:],
	catalogLenientjson[:],
	catalogList[:],
	catalogMcp[:],
	catalogMemory[:],
	catalogPhase[:],
	catalogPipeline[:],
	catalogPlanner[:],
	catalogPolicy[:],
	catalogProblem[:],
	catalogProfile[:],
	catalogProject[:],
	catalogPrompt[:],
	catalogProvider[:],
	catalogQueryframe[:],
	catalogRepofile[:],
	catalogRequest[:],
	catalogRules[:],
	catalogSearch[:],
	catalogSession[:],
	catalogSetup[:],
	catalogSlashcmd[:],
	catalogTaskbranch[:],
	catalogToolchain[:],
	catalogTrust[:],
	catalogVerify[:],
	catalogWorkspace[:],
}
