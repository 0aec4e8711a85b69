package hooks

// Answer is the output of a hook, in the format of Claude Code and Codex.
type Answer struct {
	Hook *Output `json:"hookSpecificOutput,omitempty"`
	// Message is a text for the user, or "".
	Message string `json:"systemMessage,omitempty"`
}

// Output is the part of an answer that the model reads.
type Output struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// ProjectFolder returns the project's folder if the assistant runs hooks in another folder, and otherwise "".
func (h Hook) ProjectFolder() string {
	if h.Client == antigravity { // Antigravity runs a hook in the folder of its hooks file
		return h.Folder
	}
	return ""
}

// Answer converts an answer to the format of the hook's assistant. The result is a value to print as JSON, a string to
// print unchanged, or nil to print nothing.
func (h Hook) Answer(answer Answer) any { return assistants()[h.Client].answer(h.name, answer) }

// said returns the answer's text for the model, which may be "", and whether the answer denies the act.
func (a Answer) said() (text string, isDenied bool) {
	if a.Hook == nil {
		return "", false
	}
	return a.Hook.Context + a.Hook.Reason, a.Hook.Decision != ""
}

// specificOutput converts an answer to the format of Claude Code, Codex and Gemini CLI.
func specificOutput(event string, a Answer) any {
	if a.Hook != nil {
		output := *a.Hook
		output.Event = event
		a.Hook = &output
	}
	return a
}

// cursorOutput converts an answer to the format of Cursor. Before a tool call the output says "allow", because Cursor
// may take silence for a denial.
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

// copilotOutput converts an answer to the format of Copilot CLI.
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

// antigravityOutput converts an answer to the format of Antigravity. If the answer denies nothing, the result before a
// tool call is nil, because an empty object would deny the call. After a tool call any field would be an error.
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
