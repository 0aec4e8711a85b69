package quoted

import (
	"slices"
	"sync"

	"github.com/compound-docs/compound-docs/internal/codename"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Book has what the documents of a project say for hooks. It is read once to be compared often, and never changed. Names and
// Messages are made at the first act that needs them, because a command needs triggers alone.
type Book struct {
	Documents []index.CitedPlaces
	Triggers  trigger.Set
	Names     func() *codename.Names
	Messages  func() *Messages
}

// NewBook returns the book of some documents. Matches count them from 0. A document that declares triggers says itself when it
// speaks: its names and messages are not compared, since on six sets they added 17 false alarms of 532 and 2 right acts of 260.
func NewBook(documents []index.CitedPlaces) *Book {
	b := &Book{Documents: documents}
	for i, d := range documents {
		b.Triggers.Add(i, d.Triggers)
	}
	b.Names = sync.OnceValue(func() *codename.Names {
		var names codename.Names
		for _, d := range documents {
			if declares(d) {
				d.Names, d.Places = nil, nil
			}
			names.Add(d.Names, d.Places)
		}
		return &names
	})
	b.Messages = sync.OnceValue(func() *Messages {
		var messages Messages
		for i, d := range documents {
			if !declares(d) {
				messages.Add(i, d.Title, d.Messages)
			}
		}
		return &messages
	})
	return b
}

// declares reports whether a document has triggers, except scopes.
func declares(d index.CitedPlaces) bool {
	return slices.ContainsFunc(d.Triggers, func(t said.Trigger) bool { return t.Scope == "" })
}
