package artifact

import (
	"strings"
	"testing"
)

// TestCriticalSpellings checks each way to write a critical finding against an approval:
// it becomes a rejection, and the finding says what it is about.
func TestCriticalSpellings(t *testing.T) {
	for _, text := range []string{
		"1. **CRITICAL** - Lost update",
		"- **[重要度：致命]** Lost update",
		"1. **CRITICAL** Lost update",
		"- **CRITICAL**: Lost update",
		"- **CRITICAL:** Lost update",
		"- **Critical** – Lost update",
		"- **Critical issue**: Lost update",
		"- **Critical Issue 1:** Lost update",
		"- __CRITICAL__ Lost update",
		"- *Critical*: Lost update",
		"- `CRITICAL` Lost update",
		"- `CRITICAL`: Lost update",
		"- CRITICAL: Lost update",
		"- CRITICAL - Lost update",
		"- CRITICAL — Lost update",
		"- CRITICAL → Lost update",
		"- CRITICAL | Lost update",
		"- CRITICAL Lost update",
		"- Critical - Lost update",
		"- critical: Lost update",
		"CRITICAL: Lost update",
		"[CRITICAL] Lost update",
		"- [CRITICAL] Lost update",
		"- \\[CRITICAL\\] Lost update",
		"- [critical] Lost update",
		"- [CRIT] Lost update",
		"- [BLOCKER] Lost update",
		"- **[BLOCKER]** Lost update",
		"- **BLOCKER** Lost update",
		"- Blocker: Lost update",
		"- Blocking: Lost update",
		"- [Blocking issue] Lost update",
		"- [MUST FIX] Lost update",
		"- **Must-fix:** Lost update",
		"- SHOWSTOPPER: Lost update",
		"- [FATAL] Lost update",
		"- Severe: Lost update",
		"- P0: Lost update",
		"- [P0] Lost update",
		"- **P0** Lost update",
		"- (P0) Lost update",
		"- P0 - Lost update",
		"- SEV-1: Lost update",
		"- [SEV0] Lost update",
		"- (CRITICAL) Lost update",
		"- **(Critical)** Lost update",
		"- <CRITICAL> Lost update",
		"- {CRITICAL} Lost update",
		"1. (CRITICAL): Lost update",
		"- Lost update (CRITICAL)",
		"- Lost update [critical]",
		"- Lost update **[CRITICAL]**",
		"- Lost update — critical",
		"- Lost update – **CRITICAL**",
		"- Lost update (severity: critical)",
		"- Lost update. Severity: critical.",
		"- Lost update; **Severity:** Critical",
		"- **Lost update** (Critical): two writers",
		"### Finding 1 (CRITICAL)\n\nLost update",
		"### Finding 1 (CRITICAL): Lost update",
		"### Finding 1: Lost update (CRITICAL)",
		"### 1. [CRITICAL] Lost update",
		"### 1. CRITICAL — Lost update",
		"### CRITICAL-1: Lost update",
		"### Issue #3 [BLOCKER] Lost update",
		"### C1 (Critical) Lost update",
		"#### 🔴 Lost update",
		"### 🔴 Critical\n\n- Lost update",
		"### Blockers\n\n1. Lost update",
		"### Must fix\n\n- Lost update",
		"### Critical Issues:\n\nLost update",
		"**Critical**\n\n- Lost update",
		"**Blocking issues:**\n- Lost update",
		"- 🔴 Lost update",
		"- 🔴 **Lost update**: two writers",
		"- 🔴 CRITICAL: Lost update",
		"- 🚨 Lost update",
		"🛑 Lost update",
		"- :red_circle: Lost update",
		"- :rotating_light: **Lost update**",
		"Severity: CRITICAL\nLost update",
		"- Severity: CRITICAL\n  Lost update",
		"- **Severity**: Critical — Lost update",
		"### Lost update\n\nSeverity: CRITICAL\n\nTwo writers.",
		"### Lost update\n\n- **Severity:** Critical\n- **File:** `a.go:1`",
		"### Lost update\n\n**Severity:** 🔴 Critical",
		"1. **Lost update**\n   - Severity: Critical\n   - Where: `a.go:1`",
		"1. Lost update\n\n   Severity: `CRITICAL`",
		"Lost update in `a.go`.\nPriority: P0",
		"- Title: Lost update\n- Severity: critical",
		"- Lost update\n  - Level: blocker",
		"- Lost update\n  - Impact: critical",
		"| Severity | Finding |\n|---|---|\n| CRITICAL | Lost update |",
		"| # | Severity | Finding |\n|---|:---:|---|\n| 1 | **Critical** | Lost update |",
		"| Finding | Severity |\n|---|---|\n| Lost update | critical |",
		"Severity | Finding\n---|---\nCritical | Lost update",
		"| Finding | Priority |\n|---|---|\n| Lost update | P0 |",
		"| Finding | Level |\n|---|---|\n| Lost update | 🔴 |",
		"| Finding | Level |\n|---|---|\n| Lost update | 🔴 Critical |",
		"| 1 | CRITICAL | Lost update |",
		"| Type | What |\n|---|---|\n| Blocker | Lost update |",
		"| Severity | Critical |\n|---|---|\n| Finding | Lost update |",
		"| 重大度 | 指摘 |\n|---|---|\n| 重大 | Lost update |",
		"| ID | Severity |\n|---|---|\n| 1 | Critical |",
		"- ![critical](https://img.shields.io/badge/severity-critical-red) Lost update",
		"- ![](https://img.shields.io/badge/CRITICAL-red) Lost update",
		"![Severity: Critical](https://example.com/b.svg) Lost update",
		"- <kbd>CRITICAL</kbd> Lost update",
		"- <b>Critical:</b> Lost update",
		"<span style=\"color:red\">CRITICAL</span> Lost update",
		"<details><summary>CRITICAL: Lost update</summary>",
		"<tr><td>CRITICAL</td><td>Lost update</td></tr>",
		"- 【重大】Lost update",
		"- [重大] Lost update",
		"- （重大）Lost update",
		"- **重大**：Lost update",
		"- 重大：Lost update",
		"- 重大な問題：Lost update",
		"- 【致命的】Lost update",
		"- 致命的：Lost update",
		"- [クリティカル] Lost update",
		"- 重大度：重大 — Lost update",
		"- Lost update（重大）",
		"- Lost update\n  - 深刻度：致命的",
		"### 指摘1（重大）：Lost update",
		"### 重大な指摘\n\n- Lost update",
		"### 致命的な問題点\n\n1. Lost update",
		"- 優先度：P0、Lost update",
		"- [ ] **CRITICAL** Lost update",
		"- [MINOR] a name\n- CRITICAL – Lost update",
		"None of the names is wrong. [CRITICAL] Lost update",
		"- [CRITICAL] Lost update, fixed size or not",
		"- [CRITICAL] Lost update: it must be fixed",
		"- [CRITICAL] Lost update (not fixed)",
	} {
		r := ParseReview(CodeVerdict, "# Review\n\n## Verdict: PASS\n\nThe change was read.\n\n## Findings\n\n"+text+"\n\n## Summary\n\nAll of it was read.\n")
		if r.Verdict != Fail || !Blocks(r.Findings) {
			t.Errorf("%q: %s %v", text, r.Verdict, r.Findings)
			continue
		}
		said := ""
		for _, f := range r.Findings {
			if f.Severity == Critical {
				said += f.Description.String()
			}
		}
		if !strings.Contains(said, "Lost update") && !strings.Contains(said, "#1") {
			t.Errorf("%q: the finding says only %q", text, said)
		}
	}
}

// TestNoCriticalFinding holds texts that speak of critical findings and make none.
func TestNoCriticalFinding(t *testing.T) {
	for _, text := range []string{
		"None.",
		"No critical issues.",
		"No critical issues were found.",
		"No CRITICAL or MAJOR findings.",
		"There are no critical or blocking issues.",
		"There is nothing critical here.",
		"Nothing critical, nothing major.",
		"- Critical: none",
		"- **Critical:** None",
		"- CRITICAL - none",
		"- **CRITICAL** — none found",
		"- [CRITICAL] None.",
		"- [BLOCKER] N/A",
		"- Critical: 0\n- Major: 0\n- Minor: 0",
		"- 🔴 Critical: 0",
		"- 🔴 None",
		"- P0: none",
		"### Critical\n\nNone.\n\n### Minor\n\nNone.",
		"### 🔴 Blockers\n\nNone",
		"### Must fix\n\n- nothing",
		"| Severity | Count |\n|---|---|\n| Critical | 0 |\n| Major | 0 |",
		"| Severity | Finding |\n|---|---|\n| CRITICAL | None |",
		"| Severity | Findings |\n|---|---|\n| Critical | - |\n| Minor | - |",
		"| Finding | Severity |\n|---|---|\n| A name | MINOR |",
		"- [MINOR] The critical section is long.",
		"- [MINOR] Critical paths are tested twice.",
		"- [MINOR] `critical.go` has a long name.",
		"- [MINOR] This is not critical.",
		"- [MINOR] It does not reach [CRITICAL] level.",
		"- **[MINOR]** Say why `severity: critical` is parsed so.",
		"- [MINOR] The constant `CRITICAL` is unused.",
		"Severity: Minor\nA name.",
		"- Lost update\n  - Severity: low",
		"- Lost update (minor)",
		"- 🟡 A name",
		"- ~~[CRITICAL] Lost update~~\n- [MINOR] b",
		"- [CRITICAL] Lost update (fixed)",
		"- [CRITICAL] Lost update — resolved in abc1234",
		"- [CRITICAL] ✅ Lost update",
		"- [CRITICAL] 排他制御がない（対応済み）",
		"### Resolved\n\n- [CRITICAL] Lost update\n\n### Open\n\nNone.",
		"重大な指摘はありません。",
		"- 重大：なし",
		"- 【重大】なし",
		"致命的な問題は見当たらない。",
		"指摘なし",
		"> [CRITICAL] as the last review said\n\nNone any more.",
		"All critical issues of the last review have been fixed; no others.",
		"I looked for [CRITICAL] problems and found none.",
		"LGTM",
		"The change looks good.",
		"<!-- [CRITICAL] an example -->\nNone.",
		"",
	} {
		r := ParseReview(CodeVerdict, "# Review\n\n## Verdict: PASS\n\nThe change was read.\n\n## Findings\n\n"+text+"\n\n## Summary\n\nAll of it was read.\n")
		if r.Verdict != Pass || Blocks(r.Findings) {
			t.Errorf("%q: %s %v", text, r.Verdict, r.Findings)
		}
	}
	for _, text := range []string{
		"Critical parts of the lock are tested, and the CRITICAL path is short.", "CRITICAL_SECTION is held.",
		"- The critical path: parse, then print", "Severities: [CRITICAL] blocks, [MINOR] does not.",
		"A CRITICAL finding would be one that loses data; see the legend.", "The change is not critical.",
	} {
		if r := ParseReview(CodeVerdict, "## Verdict: PASS\n\n"+text+"\n"); r.Verdict != Pass {
			t.Errorf("%q: %s %v", text, r.Verdict, r.Findings)
		}
	}
}

// TestUnreadableFindings holds sections of findings of which nobody can say what they
// mean: they approve nothing.
func TestUnreadableFindings(t *testing.T) {
	for _, text := range []string{
		"- Two writers lose an update.",
		"Two writers lose an update.",
		"1. Lost update\n2. A name",
		"```\n[CRITICAL] Lost update\n```",
		"```json\n[{\"severity\": \"CRITICAL\", \"what\": \"lost update\"}]\n```",
		"> **[CRITICAL]** Lost update",
		"    [CRITICAL] Lost update",
		"- [ERROR] Lost update",
		"- [MINOR] A name\n- [SECURITY] Lost update",
		"- Critical: 2",
		"- [MINOR] A name\n- Critical: 1, Minor: 1",
		"| Severity | Count |\n|---|---|\n| Critical | 1 |\n| Minor | 0 |",
		"| Severity | Finding |\n|---|---|\n| Grave | Lost update |",
		"| Finding |\n|---|\n| Lost update |",
		"### Data\n\nTwo writers lose an update.",
		"二人が書くと更新が失われる。",
		"❌ Lost update",
	} {
		for _, tail := range []string{"\n", "\n\n## Summary\n\nAll of it was read.\n"} {
			r := ParseReview(CodeVerdict, "# Review\n\n## Verdict: PASS\n\n## Findings\n\n"+text+tail)
			if r.Verdict != Unknown || !r.Findings[0].Description.Is("artifact.findings_cannot_read") {
				t.Errorf("%q: %s %v", text, r.Verdict, r.Findings)
			}
			r = ParseReview(CodeVerdict, "# Review\n\n## Verdict: FAIL\n\n## Findings\n\n"+text+tail)
			if r.Verdict != Fail {
				t.Errorf("a rejection with %q: %s %v", text, r.Verdict, r.Findings)
			}
		}
	}
}
