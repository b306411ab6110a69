package request

import (
	"errors"
	"fmt"
	"strings"
)

// Questions are asked before the work is planned, if --discuss is given.
var Questions = []string{
	"What is the main goal of this change?",
	"Are there any constraints or dependencies?",
	"What is the expected scope of changes?",
}

// Errors is the answer to what cannot be understood.
type Errors struct {
	Errors []string `json:"errors"`
}

// Init is the answer to a new request.
type Init struct {
	Workspace   string `json:"workspace"`
	SpecName    string `json:"spec_name"`
	SourceType  string `json:"source_type"`
	SourceURL   string `json:"source_url"`
	SourceID    string `json:"source_id"`
	CoreText    string `json:"core_text"`
	Flags       Flags  `json:"flags"`
	FetchNeeded *Fetch `json:"fetch_needed"`
}

// Init answers a new request, made on a day such as 20260401.
func (r Request) Init(day string) Init {
	name := r.SpecName()
	return Init{
		Workspace: specs + WorkspaceName(day, "", name), SpecName: name,
		SourceType: r.Source.Type, SourceURL: r.Source.URL, SourceID: r.Source.ID,
		CoreText: r.Text, Flags: r.Flags, FetchNeeded: r.Source.Fetch(),
	}
}

// Resume is the answer to a request that names a workspace that is there.
type Resume struct {
	ResumeMode  string `json:"resume_mode"`
	Workspace   string `json:"workspace"`
	Instruction string `json:"instruction"`
	Warning     string `json:"warning,omitempty"`
}

// ResumeOf answers a request to go on in a workspace.
func ResumeOf(workspace string) Resume {
	return Resume{ResumeMode: "auto", Workspace: workspace, Instruction: "call state_resume_info"}
}

// UserConfirmation is what the user decided about a request.
type UserConfirmation struct {
	Effort              string `json:"effort"`
	WorkspaceSlug       string `json:"workspace_slug,omitempty"`
	UseCurrentBranch    bool   `json:"use_current_branch,omitempty"`
	EnrichedRequestBody string `json:"enriched_request_body,omitempty"`
}

// A Call says which of the handshake's calls one is.
type Call string

// The calls of the handshake.
const (
	DetectCall  Call = "detect"
	DiscussCall Call = "discuss"
	ConfirmCall Call = "confirm"
)

// CallOf tells the calls apart by what they bring.
func CallOf(answers string, c *UserConfirmation) (Call, error) {
	answered := strings.TrimSpace(answers) != ""
	switch {
	case answered && c != nil:
		return "", errors.New("ambiguous: send discussion_answers or user_confirmation, not both")
	case answered:
		return DiscussCall, nil
	case c != nil:
		return ConfirmCall, nil
	}
	return DetectCall, nil
}

// IsMain says that a branch is one that work must not be done on.
func IsMain(branch, defaultBranch string) bool {
	return branch == "main" || branch == "master" || branch != "" && branch == defaultBranch
}

// A Skip is a phase that an effort leaves out.
type Skip struct {
	PhaseID string `json:"phase_id"`
	Label   string `json:"label"`
}

// An EffortOption is what choosing an effort means.
type EffortOption struct {
	SkippedPhases []Skip `json:"skipped_phases"`
	Recommended   bool   `json:"recommended"`
}

// EffortOptions are the efforts to choose from.
type EffortOptions struct {
	S EffortOption `json:"S"`
	M EffortOption `json:"M"`
	L EffortOption `json:"L"`
}

// A Confirmation is what the user is asked to confirm.
type Confirmation struct {
	DetectedEffort      Effort        `json:"detected_effort"`
	EffortOptions       EffortOptions `json:"effort_options"`
	CurrentBranch       string        `json:"current_branch"`
	IsMainBranch        bool          `json:"is_main_branch"`
	EnrichedRequestBody string        `json:"enriched_request_body"`
	Message             string        `json:"message"`
}

// NeedsConfirmation is the answer of the first call, or of the one that brings
// answers to the questions.
type NeedsConfirmation struct {
	NeedsUserConfirmation Confirmation `json:"needs_user_confirmation"`
}

// Confirm makes the question to the user of what was detected; skips are the
// phases that each effort leaves out.
func Confirm(detected Effort, reasons []string, skips map[Effort][]Skip, f Flags, isMain bool, body string) NeedsConfirmation {
	option := func(e Effort) EffortOption {
		return EffortOption{SkippedPhases: append([]Skip{}, skips[e]...), Recommended: e == detected}
	}
	next := "Show the user the effort, the request and the branch, and send what he decides as user_confirmation."
	if f.Auto {
		next = "--auto: send this as user_confirmation without asking."
	}
	return NeedsConfirmation{Confirmation{
		DetectedEffort: detected,
		EffortOptions:  EffortOptions{option(S), option(M), option(L)},
		CurrentBranch:  f.CurrentBranch, IsMainBranch: isMain, EnrichedRequestBody: body,
		Message: fmt.Sprintf("Detected effort=%q. Reasons: %s. %s", string(detected), strings.Join(reasons, "; "), next),
	}}
}

// A Discussion is what the user is asked before effort is detected.
type Discussion struct {
	Questions []string `json:"questions"`
	Message   string   `json:"message"`
}

// NeedsDiscussion is the answer of the first call with --discuss.
type NeedsDiscussion struct {
	NeedsDiscussion Discussion `json:"needs_discussion"`
}

// Discusses says that the questions are asked: of a text, unless nobody is there
// to answer.
func (f Flags) Discusses(sourceType string) bool {
	return f.Discuss && !f.Auto && sourceType == Text
}

// Discuss asks the questions.
func Discuss() NeedsDiscussion {
	return NeedsDiscussion{Discussion{
		Questions: Questions,
		Message:   "Please answer the following questions. Send the answers as discussion_answers, in one text.",
	}}
}

// Ready is the answer of the call that confirms.
type Ready struct {
	Ready            bool     `json:"ready"`
	Workspace        string   `json:"workspace"`
	Effort           Effort   `json:"effort"`
	FlowTemplate     string   `json:"flow_template"`
	SkippedPhases    []string `json:"skipped_phases"`
	RequestMDContent string   `json:"request_md_content"`
	Branch           string   `json:"branch"`
	CreateBranch     bool     `json:"create_branch"`
}
