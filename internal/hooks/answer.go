package hooks

// Answer is what a hook prints, in the form of Claude Code and Codex.
type Answer struct {
	Hook *Output `json:"hookSpecificOutput,omitempty"`
	// Message is for the person.
	Message string `json:"systemMessage,omitempty"`
}

// Output is what the model reads of an answer.
type Output struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// ProjectFolder returns the folder of the project if the hook's program runs elsewhere, "" for where it runs.
func (h Hook) ProjectFolder() string {
	if h.Client == antigravity { // beside its file of hooks
		return h.Folder
	}
	return ""
}

// Answer puts an answer into the form of the assistant that asked: a value for JSON, a text, or nil for nothing at all.
func (h Hook) Answer(answer Answer) any { return assistants()[h.Client].answer(h.name, answer) }

// said returns what an answer says, and whether it denies the act.
func (a Answer) said() (text string, isDenied bool) {
	if a.Hook == nil {
		return "", false
	}
	return a.Hook.Context + a.Hook.Reason, a.Hook.Decision != ""
}

// specificOutput is the form of Claude Code, Codex and Gemini CLI.
func specificOutput(event string, a Answer) any {
	if a.Hook != nil {
		output := *a.Hook
		output.Event = event
		a.Hook = &output
	}
	return a
}

// cursorOutput is the form of Cursor, which may take silence before a tool for a denial.
func cursorOutput(event string, a Answer) any {
	said, isDenied := a.said()
	var answer struct {
		Permission string `json:"permission,omitempty"`
		Agent      string `json:"agent_message,omitempty"`
		Context    string `json:"additional_context,omitempty"`
		Message    string `json:"user_message,omitempty"`
	}
	answer.Message = a.Message
	if event == "preToolUse" {
		answer.Permission, answer.Agent = "allow", said
	}
	if isDenied {
		answer.Permission = "deny"
	} else {
		answer.Context = said
	}
	return answer
}

// copilotOutput is the form of Copilot CLI.
func copilotOutput(_ string, a Answer) any {
	said, isDenied := a.said()
	if isDenied {
		return map[string]string{"permissionDecision": "deny", "permissionDecisionReason": said}
	}
	if said == "" {
		return map[string]string{}
	}
	return map[string]string{"additionalContext": said}
}

// antigravityOutput is the form of Antigravity. Before a tool an empty object denies the call, and behind one any field is an
// error.
func antigravityOutput(event string, a Answer) any {
	said, isDenied := a.said()
	switch {
	case isDenied:
		return map[string]string{"decision": "deny", "reason": said}
	case event == Before:
		return nil
	case event == After || said == "":
		return map[string]string{}
	default:
		return map[string]any{"injectSteps": []map[string]string{{"ephemeralMessage": said}}}
	}
}

// plainOutput is the form of Kiro: what is printed is read.
func plainOutput(_ string, a Answer) any {
	said, _ := a.said()
	return said
}
