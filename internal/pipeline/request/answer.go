package request

import (
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// questions are asked before the work is planned, if --discuss is given.
var questions = []msg.Message{
	msg.New("request.what_main_goal_change"),
	msg.New("request.any_constraints_dependencies"),
	msg.New("request.what_expected_scope_changes"),
}

// Errors is the answer to what cannot be understood.
type Errors struct {
	Errors []msg.Message `json:"errors"`
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
	name := r.specName()
	return Init{
		Workspace: specs + WorkspaceName(day, "", name), SpecName: name,
		SourceType: r.Source.Type, SourceURL: r.Source.URL, SourceID: r.Source.ID,
		CoreText: r.Text, Flags: r.Flags, FetchNeeded: r.Source.fetch(),
	}
}

// Resume is the answer to a request that names a workspace that is there.
type Resume struct {
	ResumeMode  string      `json:"resume_mode"`
	Workspace   string      `json:"workspace"`
	Instruction msg.Message `json:"instruction"`
	Warning     msg.Message `json:"warning,omitzero"`
}

// ResumeOf answers a request to go on in a workspace.
func ResumeOf(workspace string) Resume {
	return Resume{ResumeMode: "auto", Workspace: workspace,
		Instruction: msg.New("request.call_for_resume_info", op.StateResumeInfo)}
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
		return "", msg.Err("request.ambiguous_send_discussion_answers_user")
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
	PhaseID string      `json:"phase_id"`
	Label   msg.Message `json:"label"`
}

// An EffortOption is what choosing an effort means.
type EffortOption struct {
	SkippedPhases []Skip `json:"skipped_phases"`
	Recommended   bool   `json:"recommended"`
}

// EffortOptions are the efforts to choose from. The data contract knows no XS: it is there
// where the request is small.
type EffortOptions struct {
	XS *EffortOption `json:"XS,omitempty"`
	S  EffortOption  `json:"S"`
	M  EffortOption  `json:"M"`
	L  EffortOption  `json:"L"`
}

// A Confirmation is what the user is asked to confirm.
type Confirmation struct {
	DetectedEffort      Effort        `json:"detected_effort"`
	EffortOptions       EffortOptions `json:"effort_options"`
	CurrentBranch       string        `json:"current_branch"`
	IsMainBranch        bool          `json:"is_main_branch"`
	EnrichedRequestBody string        `json:"enriched_request_body"`
	Message             msg.Message   `json:"message"`
}

// NeedsConfirmation is the answer of the first call, or of the one that brings
// answers to the questions.
type NeedsConfirmation struct {
	NeedsUserConfirmation Confirmation `json:"needs_user_confirmation"`
}

// Confirm makes the question to the user of what was detected; skips are the
// phases that each effort leaves out.
func Confirm(detected Effort, reasons []msg.Message, skips map[Effort][]Skip, f Flags, isMain bool,
	body string) NeedsConfirmation {
	option := func(e Effort) EffortOption {
		return EffortOption{SkippedPhases: append([]Skip{}, skips[e]...), Recommended: e == detected}
	}
	options := EffortOptions{S: option(S), M: option(M), L: option(L)}
	if detected == XS || detected == S {
		smallest := option(XS)
		options.XS = &smallest
	}
	next := msg.New("request.show_user_effort_request_branch")
	if f.Auto {
		next = msg.New("request.auto_confirm_without_asking")
	}
	return NeedsConfirmation{Confirmation{
		DetectedEffort: detected,
		EffortOptions:  options,
		CurrentBranch:  f.CurrentBranch, IsMainBranch: isMain, EnrichedRequestBody: body,
		Message: msg.New("request.detected_effort_reasons", string(detected), msg.Listed("; ", reasons), next),
	}}
}

// A Discussion is what the user is asked before effort is detected.
type Discussion struct {
	Questions []msg.Message `json:"questions"`
	Message   msg.Message   `json:"message"`
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
		Questions: questions,
		Message:   msg.New("request.please_answer_following_questions_send"),
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
