package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/pipeline/service"
)

// englishWords finds English that was left: three words in a row.
var englishWords = regexp.MustCompile(`\b[a-z]+ [a-z]+ [a-z]+\b`)

func isJapanese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
}

// TestPipelineInTheLanguage leads a pipeline of a Japanese project to its first
// checkpoint and beyond: what the server says is Japanese there, and what others
// wrote, agents are told and the disk holds is what it was.
func TestPipelineInTheLanguage(t *testing.T) {
	for _, shows := range []bool{false, true} {
		for era, revision := range eras {
			t.Run(fmt.Sprintf("%s, forms %t", era, shows), func(t *testing.T) {
				t.Setenv("XDG_STATE_HOME", t.TempDir())
				t.Setenv("XDG_CONFIG_HOME", t.TempDir())
				root, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				g := &gate{T: t, root: root}
				write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"))
				write(t, filepath.Join(root, ".code-intel", "config.json"), []byte(`{"lang": "ja"}`))
				g.git("init", "-q", "-b", "main")
				g.git("add", "main.go")
				g.git("commit", "-q", "-m", "first")
				form := ""
				var o mcp.ClientOptions
				if shows {
					o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						form = r.Params.Message
						return &mcp.ElicitResult{Action: "cancel"}, nil
					}
				}
				server, err := open(t, root, slog.New(slog.DiscardHandler)).MCP()
				if err != nil {
					t.Fatal(err)
				}
				near, far := mcp.NewInMemoryTransports()
				if _, err := server.Connect(t.Context(), far, nil); err != nil {
					t.Fatal(err)
				}
				g.client, err = mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, &o).
					Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: revision})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { g.client.Close() })
				says := func(what string, text any, want ...string) {
					t.Helper()
					s := fmt.Sprint(text)
					if left := englishWords.FindString(s); left != "" || !isJapanese(s) {
						t.Errorf("%s: %q is left in English: %s", what, left, s)
					}
					for _, w := range want {
						if !strings.Contains(s, w) {
							t.Errorf("%s: no %q in: %s", what, w, s)
						}
					}
				}
				call := func(tool string, args map[string]any) (map[string]any, string) {
					t.Helper()
					data, err := json.Marshal(args)
					if err != nil {
						t.Fatal(err)
					}
					r := g.call(tool, string(data))
					m, ok := r.StructuredContent.(map[string]any)
					if r.IsError || !ok {
						t.Fatalf("%s: %v", tool, r.StructuredContent)
					}
					return m, r.Content[0].(*mcp.TextContent).Text
				}

				prompt, err := g.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "forge", Arguments: map[string]string{"request": "$ARGUMENTS"}})
				if err != nil {
					t.Fatal(err)
				}
				skill, err := prompts.SkillPrompt("forge", "ja")
				if err != nil {
					t.Fatal(err)
				}
				if text := prompt.Messages[0].Content.(*mcp.TextContent).Text; text != skill.Body {
					t.Errorf("the prompt is not the skill: %s", text)
				}

				wrong, _ := call("pipeline_init", map[string]any{"arguments": "--effort=XL x"})
				says("errors", wrong["errors"], "--effort", `"XL"`, "3 文字")
				init, _ := call("pipeline_init", map[string]any{"arguments": "--nopr say goodbye"})
				with := map[string]any{"workspace": init["workspace"], "flags": init["flags"], "task_text": "say goodbye"}
				asked, _ := call("pipeline_init_with_context", with)
				confirm := asked["needs_user_confirmation"].(map[string]any)
				says("confirmation", confirm["message"], `effort="M"`)
				if said := fmt.Sprint(confirm["effort_options"]); !strings.Contains(said, "label:設計レビュー phase_id:phase-3b") || strings.Contains(said, "Design") || confirm["enriched_request_body"] != "say goodbye" {
					t.Errorf("confirmation: %v", confirm)
				}
				with["user_confirmation"] = map[string]any{"effort": "S"}
				ready, _ := call("pipeline_init_with_context", with)
				ws := ready["workspace"].(string)
				next := func(more map[string]any) map[string]any {
					t.Helper()
					more["workspace"] = ws
					m, text := call("pipeline_next_action", more)
					if d, _ := m["display_message"].(string); !isJapanese(d) || !strings.Contains(text, d) {
						t.Errorf("display_message: %q, in %s", d, text)
					}
					return m
				}
				done := map[string]any{"previous_action_complete": true}
				next(map[string]any{})
				says("another branch", next(done)["warning"], "feature/say-goodbye", `"main"`)
				g.git("switch", "-q", "-c", "feature/say-goodbye")
				a := next(done)
				if a["display_message"] != "フェーズ 1: 現状分析" || isJapanese(a["prompt"].(string)) {
					t.Errorf("%v", a)
				}
				target, _ := call("check_write_target", map[string]any{"file_path": "main.go"})
				says("a file that may not be written", fmt.Sprint(target["files"]), "spawn_agent", "phase-1", "アクションの出力ファイルだけに書き込む")
				says("no artifact", next(done)["warning"], ws+"/analysis.md がない。")
				write(t, filepath.Join(root, ws, "analysis.md"), []byte("# Analysis\n\nIt is so.\n"))
				a = next(done)
				report := a["report_result"].(map[string]any)
				if report["display_message"] != "現状分析: 完了" {
					t.Errorf("report: %v", report)
				}
				const design = "# Design\n\n## Changes\n\n- `main.go` and `gone.go`: say it.\n\nVerdict: this line is the design's own.\n"
				write(t, filepath.Join(root, ws, "design.md"), []byte("# Design\n\n<what changes>\n"))
				a = next(done)
				says("check", fmt.Sprint(a["report_result"].(map[string]any)["findings"]), "design.md: 設計に節がない", "CRITICAL")
				if prompt := a["prompt"].(string); isJapanese(prompt) || !strings.Contains(prompt, "the design has no section") {
					t.Errorf("the agent is told: %s", prompt)
				}
				write(t, filepath.Join(root, ws, "design.md"), []byte(design))
				a = next(done)
				quoted := "> " + strings.ReplaceAll(strings.TrimSpace(design), "\n", "\n> ")
				text := a["present_to_user"].(string)
				if !strings.Contains(text, quoted) || fmt.Sprint(a["type"], a["name"], a["options"]) != "checkpointcheckpoint-a[approve reject]" {
					t.Errorf("%v", a)
				}
				says("checkpoint", strings.Replace(text, quoted, "", 1), "## 設計の確認", "判断が必要: "+ws+"/design.md", "**[MINOR]** design.md にある gone.go は存在せず", "次のどれかの語で答える: approve, reject。")
				if shows {
					says("form", strings.Replace(form, quoted, "", 1), "エージェントではなく、あなたに", ws, "判断が必要")
					says("nobody answers", a["warning"], "判断は得られなかった")
				}
				says("no option", next(map[string]any{"user_response": "hm"})["warning"], "approve, reject")

				r := g.call("pipeline_report_result", `{"workspace":"`+ws+`","phase":"phase-3"}`)
				refusal := r.StructuredContent.(map[string]any)
				if !r.IsError || refusal["error"] != string(service.PhaseMismatch) {
					t.Errorf("%v", refusal)
				}
				says("refusal", refusal["message"], `"phase-3"`, "checkpoint-a")
				says("legal_next", refusal["legal_next"], "pipeline_next_action")
				info, infoText := call("state_resume_info", map[string]any{"workspace": ws})
				if info["label"] != "設計の確認" || info["phase"] != "checkpoint-a" {
					t.Errorf("%v", info)
				}
				says("where it stands", info["instruction"], "pipeline_next_action")
				says("where it stands, as text", strings.Replace(infoText, "say goodbye", "", 1), "フェーズ: checkpoint-a、設計の確認", "省略: phase-2")
				if v := readJSON(t, g.client, pipelineURI+path.Base(ws)); v["label"] != "設計の確認" {
					t.Errorf("resource: %v", v)
				}
				end := next(map[string]any{"user_response": "abandon 飽きた"})
				if end["summary"] != "パイプラインを放棄した。フェーズ checkpoint-a: hm\n  飽きた" {
					t.Errorf("%v", end)
				}

				for _, name := range []string{"state.json", "journal.jsonl"} {
					kept, err := os.ReadFile(filepath.Join(root, ws, name))
					if err != nil {
						t.Fatal(err)
					}
					if s := strings.ReplaceAll(string(kept), "飽きた", ""); isJapanese(s) {
						t.Errorf("%s: %s", name, s)
					}
				}
			})
		}
	}
}
