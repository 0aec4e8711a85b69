package recall

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// ShownDocument says how often hooks have shown a document in all sessions that are kept.
type ShownDocument struct {
	Path   string    `json:"path"`
	Times  int       `json:"times"`
	Opened int       `json:"opened"`
	At     time.Time `json:"last_shown"`
}

// Shown returns the documents of the project at root that were shown, the latest first.
func (s *Store) Shown(root string) ([]ShownDocument, error) {
	sessions, err := s.All()
	if err != nil {
		return nil, err
	}
	byPath := map[string]ShownDocument{}
	for _, session := range sessions {
		for _, one := range session.Shown {
			if one.Project != root {
				continue
			}
			document := byPath[one.Path]
			document.Path = one.Path
			document.Times++
			if one.Opened {
				document.Opened++
			}
			if one.At.After(document.At) {
				document.At = one.At
			}
			byPath[one.Path] = document
		}
	}
	documents := slices.AppendSeq([]ShownDocument{}, maps.Values(byPath))
	slices.SortFunc(documents, func(a, b ShownDocument) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Path, b.Path))
	})
	return documents, nil
}
