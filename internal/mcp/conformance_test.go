//go:build conformance

package mcp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeFixtures is no test: test/acceptance/conformance.py runs it for as long as the official
// conformance suite plays. It serves what the suite wants of any server it looks at: tools, resources
// and prompts of given names that do given things. They go the way of the real ones: the same
// server, the same middleware, the same transports.
func TestServeFixtures(t *testing.T) {
	more = append(more, func(s *Server, server *mcp.Server) {
		for _, f := range fixtures() {
			s.rows[f.name] = &tool{name: f.name, set: Search, hints: reads}
			server.AddTool(&mcp.Tool{Name: f.name, Description: "For the conformance suite", InputSchema: json.RawMessage(f.schema)},
				func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					if refused := turnOf(ctx).refused; refused != nil {
						return refused, nil
					}
					return f.do(ctx, r)
				})
		}
		addTestResources(s, server)
		addTestPrompts(server)
	})
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	s, err := New(Options{Root: ".", Version: "fixtures", Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := Listen(ctx, os.Getenv("FIXTURES_ADDRESS"), Local)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ServeHTTP(ctx, l, HTTPOptions{}); err != nil {
		t.Error(err)
	}
}

type fixture struct {
	name, schema string
	do           mcp.ToolHandler
}

const (
	noArguments = `{"type": "object"}`
	oneArgument = `{"type": "object", "properties": {%q: {"type": "string"}}, "required": [%[1]q]}`
)

func fixtures() []fixture {
	say := func(content ...mcp.Content) mcp.ToolHandler {
		return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		}
	}
	picture := &mcp.ImageContent{Data: testPicture(), MIMEType: "image/png"}
	return []fixture{
		{"test_simple_text", noArguments, say(words("This is a simple text response for testing."))},
		{"test_image_content", noArguments, say(picture)},
		{"test_audio_content", noArguments, say(&mcp.AudioContent{Data: testSound(), MIMEType: "audio/wav"})},
		{"test_embedded_resource", noArguments, say(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}})},
		{"test_multiple_content_types", noArguments, say(words("Multiple content types test:"), picture, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: jsonType, Text: `{"test":"data","value":123}`}})},
		{"test_error_handling", noArguments, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{words("This tool intentionally returns an error for testing")}}, nil
		}},
		{"test_tool_with_logging", noArguments, testLogging},
		{"test_logging_tool", noArguments, testLogging},
		{"test_tool_with_progress", noArguments, testProgress},
		{"test_sampling", fmt.Sprintf(oneArgument, "prompt"), testSampling},
		{"test_elicitation", fmt.Sprintf(oneArgument, "message"), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return testForm(ctx, r, "User response", argument(r, "message"), `{"type": "object", "required": ["username", "email"], "properties": {
				"username": {"type": "string", "description": "User's response"}, "email": {"type": "string", "description": "User's email address"}}}`)
		}},
		{"test_elicitation_sep1034_defaults", noArguments, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return testForm(ctx, r, "Elicitation completed", "Please look over the defaults", `{"type": "object", "properties": {
				"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
				"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": true}}}`)
		}},
		{"test_elicitation_sep1330_enums", noArguments, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return testForm(ctx, r, "Elicitation completed", "Please choose", `{"type": "object", "properties": {
				"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
				"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
				"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
				"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
				"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}}`)
		}},
		{"json_schema_2020_12_tool", `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
			"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
				"phone": {"type": "string"}, "email": {"type": "string"}},
			"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
			"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]}, "then": {"required": ["phone"]}, "else": {"required": ["email"]},
			"additionalProperties": false}`, say(words("ok"))},
		{"test_custom_header", `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}, "required": ["region"]}`, say(words("ok"))},

		{"test_missing_capability", noArguments, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if c := r.ClientCapabilities(); c == nil || c.Sampling == nil {
				data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
				if err != nil {
					return nil, err
				}
				return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "this tool needs sampling", Data: data}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{words("ok")}}, nil
		}},
		{"test_streaming_elicitation", noArguments, rounds(nil, map[string]mcp.InputRequest{"user_name": askName()})},
		{"test_input_required_result_elicitation", noArguments, rounds(nil, map[string]mcp.InputRequest{"user_name": askName()})},
		{"test_input_required_result_sampling", noArguments, rounds(nil, map[string]mcp.InputRequest{"capital_question": askModel("What is the capital of France?")})},
		{"test_input_required_result_list_roots", noArguments, rounds(nil, map[string]mcp.InputRequest{"client_roots": &mcp.ListRootsParams{}})},
		{"test_input_required_result_request_state", noArguments, rounds(newSealer(), map[string]mcp.InputRequest{"confirm": ask("Please confirm", "ok", "boolean")})},
		{"test_input_required_result_tampered_state", noArguments, rounds(newSealer(), map[string]mcp.InputRequest{"confirm": ask("Please confirm", "ok", "boolean")})},
		{"test_input_required_result_multiple_inputs", noArguments, rounds(newSealer(), map[string]mcp.InputRequest{
			"user_name": askName(), "greeting": askModel("Generate a greeting"), "client_roots": &mcp.ListRootsParams{}})},
		{"test_input_required_result_multi_round", noArguments, rounds(newSealer(),
			map[string]mcp.InputRequest{"step1": ask("Step 1: What is your name?", "name", "string")},
			map[string]mcp.InputRequest{"step2": ask("Step 2: What is your favorite color?", "color", "string")})},
		{"test_input_required_result_capabilities", noArguments, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			wanted := map[string]mcp.InputRequest{}
			if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
				wanted["greeting"] = askModel("Generate a greeting")
			}
			if showsForms(r.ClientCapabilities()) {
				wanted["user_name"] = askName()
			}
			if len(wanted) == 0 {
				return &mcp.CallToolResult{Content: []mcp.Content{words("this client can be asked nothing")}}, nil
			}
			return rounds(nil, wanted)(ctx, r)
		}},
	}
}

func words(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func argument(r *mcp.CallToolRequest, name string) string {
	var all map[string]any
	if json.Unmarshal(r.Params.Arguments, &all) != nil {
		return ""
	}
	s, _ := all[name].(string)
	return s
}

func testPicture() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 1, 1))
	m.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // it is one pixel
	}
	return b.Bytes()
}

// testSound is a WAV file without a sample.
func testSound() []byte {
	return []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")
}

func testLogging(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			time.Sleep(50 * time.Millisecond)
		}
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words("logged")}}, nil
}

func testProgress(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		turnOf(ctx).progress(progress{done: done, total: 100})
		time.Sleep(progressPause + 10*time.Millisecond)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words("done")}}, nil
}

func testSampling(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	said, err := r.Session.CreateMessage(ctx, askModel(argument(r, "prompt")))
	if err != nil {
		return nil, err
	}
	text, ok := said.Content.(*mcp.TextContent)
	if !ok {
		return nil, errors.New("the model did not answer in words")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words("LLM response: " + text.Text)}}, nil
}

func testForm(ctx context.Context, r *mcp.CallToolRequest, before, message,
	schema string) (*mcp.CallToolResult, error) {
	answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(answer.Content)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words(fmt.Sprintf("%s: action=%s, content=%s", before, answer.Action, content))}}, nil
}

func ask(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(
		fmt.Sprintf(`{"type": "object", "properties": {%q: {"type": %q}}, "required": [%[1]q]}`, field, kind))}
}

func askName() *mcp.ElicitParams { return ask("What is your name?", "name", "string") }

func askModel(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: words(prompt)}}}
}

// A sealer makes states that only it can have made.
type sealer struct{ key []byte }

func newSealer() *sealer {
	k := &sealer{make([]byte, 32)}
	rand.Read(k.key) // never fails, see crypto/rand
	return k
}

func (k *sealer) seal(state string) string {
	sum := hmac.New(sha256.New, k.key)
	sum.Write([]byte(state))
	return state + "." + hex.EncodeToString(sum.Sum(nil))
}

func (k *sealer) open(sealed string) (state string, ok bool) {
	state, _, _ = strings.Cut(sealed, ".")
	return state, hmac.Equal([]byte(k.seal(state)), []byte(sealed))
}

// rounds is a tool that asks once for each of its rounds, and then answers with what
// it heard. With a sealer it keeps in the state how far it is.
func rounds(k *sealer, all ...map[string]mcp.InputRequest) mcp.ToolHandler {
	return func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		done := 0
		if k != nil && r.Params.RequestState != "" {
			state, ok := k.open(r.Params.RequestState)
			if _, err := fmt.Sscanf(state, "round-%d", &done); err != nil || !ok || done < 0 || done >= len(all) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is none that this server gave out"}
			}
		}
		heard, complete := []string{}, true
		for id, q := range all[done] {
			text, ok := replied(q, r.Params.InputResponses[id])
			heard, complete = append(heard, text), complete && ok
		}
		if complete {
			if done++; done == len(all) {
				return &mcp.CallToolResult{Content: []mcp.Content{words("Hello, " + strings.Join(heard, ", ") + "! state-ok")}}, nil
			}
		}
		result := &mcp.CallToolResult{InputRequests: all[done]}
		if k != nil {
			result.RequestState = k.seal(fmt.Sprintf("round-%d", done))
		}
		return result, nil
	}
}

// replied returns what a client answered, if it is an answer to the request.
func replied(q mcp.InputRequest, a mcp.InputResponse) (string, bool) {
	switch a := a.(type) {
	case *mcp.ElicitResult:
		_, ok := q.(*mcp.ElicitParams)
		if a.Action != "accept" || len(a.Content) == 0 {
			return a.Action, false
		}
		for _, v := range a.Content {
			return fmt.Sprint(v), ok
		}
	case *mcp.CreateMessageResult:
		_, ok := q.(*mcp.CreateMessageParams)
		if text, isText := a.Content.(*mcp.TextContent); isText {
			return text.Text, ok
		}
	case *mcp.CreateMessageWithToolsResult:
		_, ok := q.(*mcp.CreateMessageParams)
		for _, c := range a.Content {
			if text, isText := c.(*mcp.TextContent); isText {
				return text.Text, ok
			}
		}
	case *mcp.ListRootsResult:
		_, ok := q.(*mcp.ListRootsParams)
		var uris []string
		for _, root := range a.Roots {
			uris = append(uris, root.URI)
		}
		return strings.Join(uris, " "), ok
	}
	return "", false
}

func addTestResources(s *Server, server *mcp.Server) {
	reads := func(c mcp.ResourceContents) mcp.ResourceHandler {
		return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	for _, r := range []struct{ uri, kind, text string }{
		{"test://static-text", "text/plain", "This is the content of the static text resource."},
		{"test://static-binary", "image/png", ""},
		{"test://watched-resource", "text/plain", "This one may be watched."},
	} {
		c := mcp.ResourceContents{URI: r.uri, MIMEType: r.kind, Text: r.text}
		if r.text == "" {
			c.Blob = testPicture()
		}
		server.AddResource(&mcp.Resource{URI: r.uri, Name: r.uri, Description: "For the conformance suite", MIMEType: r.kind}, reads(c))
	}
	s.told = map[string]bool{"test://watched-resource": true}
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "For the conformance suite", MIMEType: jsonType},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			u, err := url.Parse(r.Params.URI)
			if err != nil {
				return nil, mcp.ResourceNotFoundError(r.Params.URI)
			}
			id := strings.Split(u.Path, "/")[1]
			text, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI,
				Text: string(text)}}}, err
		})
}

func addTestPrompts(server *mcp.Server) {
	user := func(c mcp.Content) *mcp.PromptMessage { return &mcp.PromptMessage{Role: "user", Content: c} }
	for _, p := range []struct {
		name      string
		arguments []string
		says      func(map[string]string) []*mcp.PromptMessage
	}{
		{"test_simple_prompt", nil, func(map[string]string) []*mcp.PromptMessage {
			return []*mcp.PromptMessage{user(words("This is a simple prompt for testing."))}
		}},
		{"test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []*mcp.PromptMessage {
			return []*mcp.PromptMessage{user(words(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
		}},
		{"test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []*mcp.PromptMessage {
			return []*mcp.PromptMessage{
				user(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}}),
				user(words("Please process the embedded resource above.")),
			}
		}},
		{"test_prompt_with_image", nil, func(map[string]string) []*mcp.PromptMessage {
			return []*mcp.PromptMessage{user(&mcp.ImageContent{Data: testPicture(), MIMEType: "image/png"}), user(words("Please analyze the image above."))}
		}},
	} {
		d := &mcp.Prompt{Name: p.name, Description: "For the conformance suite"}
		for _, a := range p.arguments {
			d.Arguments = append(d.Arguments, &mcp.PromptArgument{Name: a, Required: true})
		}
		server.AddPrompt(d, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: p.says(r.Params.Arguments)}, nil
		})
	}
	server.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "For the conformance suite"},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			q := ask("What context should the prompt use?", "context", "string")
			text, ok := replied(q, r.Params.InputResponses["user_context"])
			if !ok {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": q}}, nil
			}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{user(words("Context: " + text))}}, nil
		})
}
