package artifact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

// TestFindings checks what is below "## Findings" against what is found: a
// line for each, the severity's letter first (C, J, N for MINOR).
func TestFindings(t *testing.T) {
	letters := map[string]string{"C ": Critical, "J ": Major, "N ": Minor}
	for _, tt := range []struct{ name, text, want string }{
		{"bold", "- **[CRITICAL]** It crashes.\n- **[MINOR]** A name.", "C It crashes.\nN A name."},
		{"plain", "- [CRITICAL] It crashes.\n- [MAJOR] It is slow.", "C It crashes.\nJ It is slow."},
		{"any case", "- [Critical] It crashes.\n- [minor] A name.", "C It crashes.\nN A name."},
		{"numbered", "1. **[CRITICAL]** It crashes.\n2. **[MINOR]** A name.\n10) [MAJOR] Slow.", "C It crashes.\nN A name.\nJ Slow."},
		{"numbers of their own", "F1. [CRITICAL] a\n\nF-2: [MINOR] b\n\n#3 [MAJOR] c\n\nFinding 4: [MINOR] d", "C a\nN b\nJ c\nN d"},
		{"paragraphs", "[CRITICAL] It crashes.\n\n[MINOR] A name.", "C It crashes.\nN A name."},
		{"colons", "- [CRITICAL]: a\n- **[MAJOR]:** b\n- **[MINOR]**: c\n- **MINOR:** d\n- MAJOR: e\n- Minor issue 2: f", "C a\nJ b\nN c\nN d\nJ e\nN f"},
		{"dashes", "- [CRITICAL] - a\n- [MINOR] — b", "C a\nN b"},
		{"whole item bold", "- **[CRITICAL] Lost update.** Two writers at once.", "C Lost update. Two writers at once."},
		{"in back-ticks", "- `[MINOR]` a", "N a"},
		{"next to back-ticks", "- **[MINOR]**`a.go` b\n- 【MAJOR】`c.go`：d", "N `a.go` b\nJ `c.go`：d"},
		{"with more in the brackets", "- [CRITICAL - security] a\n- [MINOR/style] b", "C a\nN b"},
		{"full-width", "- 【CRITICAL】ログインで落ちる。\n- ［MINOR］名前。", "C ログインで落ちる。\nN 名前。"},
		{"Japanese", "指摘事項：[CRITICAL] 排他制御がない。\n[MINOR]：命名を直す", "C 排他制御がない。\nN 命名を直す"},
		{"several on a line", "[CRITICAL] a; [MAJOR] b [MINOR] c", "C a\nJ b\nN c"},
		{"several on an item", "- **[CRITICAL]** a **[MINOR]** b", "C a\nN b"},
		{"after prose", "I read it all. **[MINOR]** A name.", "N A name."},
		{"over lines", "- **[CRITICAL]** The lock is not held\n  while the file is\nwritten.\n- **[MINOR]** b", "C The lock is not held while the file is written.\nN b"},
		{"with paragraphs", "- [CRITICAL] a\n\n  More of it.\n\n- [MINOR] b\n\nWhat follows is no part of it.", "C a More of it.\nN b"},
		{"with bullets", "- [CRITICAL] a\n  - File: `x.go:12`\n  - Why: it races\n- [MINOR] b", "C a File: `x.go:12` Why: it races\nN b"},
		{"with code", "- [CRITICAL] a\n  ```go\n  // [MINOR] no finding\n  ```\n  and so on\n- [MINOR] b", "C a and so on\nN b"},
		{"paragraph with bullets", "**[MAJOR]** a:\n- here\n- there\n\nThe end.", "J a: here there"},
		{"headings", "### [CRITICAL] Lost update\n\nTwo writers.\n\n- one\n- two\n\n### 2. [MINOR] Name\n\nIt lies.\n\n## Summary\n\nFine.", "C Lost update Two writers. one two\nN Name It lies."},
		{"sections", "### Critical\n\n1. a\n   more\n2. b\n\n### Minor issues (1)\n\n- c\n\n## Summary\n\n- d", "C a more\nC b\nN c"},
		{"sections with markers", "### [MAJOR]\n\n- [MINOR] a\n- b", "N a\nJ b"},
		{"section of prose", "### 🔴 Critical Issues\n\nIt crashes\nat once.\n\nAlways.\n", "C It crashes at once. Always."},
		{"label of a list", "**Critical:**\n- a\n- b\n\nThe rest is fine.", "C a\nC b"},
		{"marker alone", "**[CRITICAL]**\n\nIt crashes.", "C It crashes."},
		{"empty sections", "### Critical\n\nNone.\n\n### Major\n\nNo major issues found.\n\n### Minor\n\n- N/A", ""},
		{"none", "None.", ""},
		{"none of each", "- [CRITICAL] None\n- [MAJOR]: none found.\n- [MINOR] N/A\n- **[MINOR]** -", ""},
		{"none in words", "- [CRITICAL] No critical issues found.\n- [MAJOR] There are no major findings in this review.\n- [MINOR] Nothing", ""},
		{"none in Japanese", "- [CRITICAL] なし\n- 【MAJOR】特になし。\n- [MINOR] 該当なし\n- [MINOR] 指摘事項はありません。", ""},
		{"not none", "- [CRITICAL] No error of Close is handled.\n- [MAJOR] None of the callers checks it.\n- [MINOR] no test, and no issue for it", "C No error of Close is handled.\nJ None of the callers checks it.\nN no test, and no issue for it"},
		{"counts", "- Critical: 0, Major: 2, Minor: 1\n- [CRITICAL]: 0\n- [MINOR]: 2 findings", ""},
		{"spoken of", "There are no [CRITICAL] findings. I looked for [MAJOR] ones, too.", ""},
		{"spoken of in a finding", "- [MINOR] It does not reach [CRITICAL] level, but is near the [MAJOR] findings above.", "N It does not reach [CRITICAL] level, but is near the [MAJOR] findings above."},
		{"a legend", "Severities: [CRITICAL] blocks, [MINOR] does not.", ""},
		{"quoted", "> [CRITICAL] as was said before\n\n```\n[CRITICAL] an example\n```\n\n<!-- [CRITICAL] hidden -->", ""},
		{"struck out", "- ~~[CRITICAL] a~~\n- [MINOR] b", "N b"},
		{"boxes", "- [ ] [CRITICAL] a\n- [ ] **[MINOR]** b", "C a\nN b"},
		{"table", "| # | Finding |\n|---|---|\n| 1 | [CRITICAL] a |\n| 2 | [MINOR] b |", "C a\nN b"},
		{"words without a colon", "Critical parts are tested.\nMinor details are not.", ""},
		{"a blocker, and no severity of ours", "- [BLOCKER] a\n- [CRITICALLY] b\n- [x] c", "C a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := []Finding{}
			for l := range strings.SplitSeq(tt.want, "\n") {
				if l != "" {
					want = append(want, Finding{letters[l[:2]], msg.Literal(l[2:])})
				}
			}
			r := ParseReview(CodeVerdict, "# Review\n\n## Verdict: FAIL\n\n## Findings\n\n"+tt.text+"\n")
			if diff := cmp.Diff(want, r.Findings); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if r.Verdict != Fail {
				t.Errorf("verdict %s", r.Verdict)
			}
		})
	}
}

// TestVerdictEndsFinding asserts that a finding does not swallow the verdict.
func TestVerdictEndsFinding(t *testing.T) {
	r := ParseReview(CodeVerdict, "- [MINOR] A name\nVerdict: PASS_WITH_NOTES\nand so on")
	want := Review{PassWithNotes, []Finding{{Minor, msg.Literal("A name")}}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("review (-want +got):\n%s", diff)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	r := ParseReview(CodeVerdict, "Verdict: PASS\n"+strings.Repeat("- [MINOR] a\n", 300)+"- [CRITICAL] "+strings.Repeat("長い", 3000)+"\n")
	if len(r.Findings) != maxFindings+1 || r.Verdict != Fail {
		t.Errorf("%d findings, %s", len(r.Findings), r.Verdict)
	}
	if last := r.Findings[maxFindings]; last.Severity != Critical || last.Description.String() != "and 101 more, in the review" {
		t.Errorf("the last is %v", last)
	}
	r = ParseReview(CodeVerdict, "- [CRITICAL] "+strings.Repeat("長い", 3000))
	said := r.Findings[1].Description.String()
	if n := len(said); n > maxDescription+len("…") || !strings.HasSuffix(said, "い…") && !strings.HasSuffix(said, "長…") {
		t.Errorf("%d bytes: %q", n, said)
	}
}
