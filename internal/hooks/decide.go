package hooks

import (
	"slices"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// decision is what a hook says.
type decision struct {
	text string // "" to say nothing
	deny bool   // the assistant must read text before it may act
	// shown lists the documents to which text points. It is nil for other texts, such as a reminder.
	shown []Shown
}

// decide chooses what to say and changes nothing. The first choice is a shortlist for a new task. The second is a
// pointer to the best candidate that is new to the session. The last is a reminder, or the text for a new subagent.
func decide(s Session, p Project, e Event, found []candidate) decision {
	act, task := e.act(), e.task()
	var said decision
	found = slices.DeleteFunc(slices.Clone(found), func(c candidate) bool { return s.knows(p.Root, c) })
	var fitting []candidate
	if !s.Listed && task != "" {
		fitting = forTask(task, found)
	}
	if len(fitting) > 0 {
		text, listed := shortlist(fitting)
		said.text = text
		for _, c := range listed {
			shown := s.shown(p, e, c, text)
			shown.Call = 0 // a shortlist does not count against a budget
			said.shown = append(said.shown, shown)
		}
		return said
	}
	for _, c := range found[:min(len(found), maxCandidates)] {
		if c.Score < p.Settings.RecallThreshold {
			continue
		}
		text := c.line
		deny := p.allowed() == project.RecallGuard && c.Level == catalog.Critical && (act == running || act == writing) && !e.Late
		switch {
		case deny:
			text += " Read it first. If the act still applies, repeat it: it is allowed then."
		case act == delegating: // a subagent does not know the search tools
			text += " Search for more with semantic_search, or ask rag_query."
		}
		shown := s.shown(p, e, c, text)
		if s.admits(shown) {
			said.text, said.deny, said.shown = text, deny, []Shown{shown}
			return said
		}
	}
	switch {
	case act == asking && s.RemindDue && p.allowed() != project.RecallPrompt:
		said.text = reminder
	case act == succeeding && slices.Contains(s.Failed, cutCommand(e.Command)) && !s.Asked && !s.Wrote:
		said.text = solved
	case act == beginning && s.taskOf(e.Agent) >= 0:
		said.text = s.Tasks[s.taskOf(e.Agent)].Text
	}
	return said
}

// note records an event, and the decision about the event, in the session.
func (s *Session) note(p Project, e Event, said decision) {
	if e.Event == Before || e.Late {
		s.Calls++
	}
	s.Shown = append(s.Shown, said.shown...)
	switch e.act() {
	case asking:
		s.Listed = s.Listed || e.task() != ""
		s.RemindDue = s.RemindDue && said.text != reminder
	case writing:
		if e.FilePath != "" && p.IsDocument(e.FilePath) {
			s.Wrote, s.RemindDue = true, false
		}
	case failing:
		command := cutCommand(e.Command)
		s.Failed = last(append(without(s.Failed, command), command))
	case succeeding:
		command := cutCommand(e.Command)
		s.Failed, s.Asked = without(s.Failed, command), s.Asked || said.text == solved
	case delegating:
		s.Tasks = last(append(s.Tasks, Task{Agent: e.Agent, Text: said.text}))
	case beginning:
		if i := s.taskOf(e.Agent); i >= 0 {
			s.Tasks = slices.Delete(s.Tasks, i, i+1)
		}
	case nothing, running, reading:
	}
	if e.Resumes {
		s.Waiting = ""
	}
	if e.Waits && !said.deny && said.text != "" {
		s.Waiting = said.text
	}
}
