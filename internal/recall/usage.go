package recall

import (
	"path/filepath"
	"strings"
	"time"
)

// Usage is what the searches of one project have returned.
type Usage struct {
	// Since is when counting began.
	Since time.Time `json:"since"`
	// Returned counts documents, by their paths in the index, and Questions what found
	// nothing.
	Returned  map[string]Count `json:"returned"`
	Questions map[string]Count `json:"questions"`
}

// Count says how often something was seen, and when last.
type Count struct {
	Times int       `json:"times"`
	Last  time.Time `json:"last"`
}

// maxCounted bounds how many documents, and how many questions, are counted: of more those
// seen longest ago are forgotten.
const maxCounted = 2000

// usageExtension ends the names of the files of projects.
const usageExtension = ".usage"

func usageName(project string) string {
	return strings.TrimSuffix(fileName(project), extension) + usageExtension
}

// Usage returns what was counted of the project at root.
func (s *Store) Usage(root string) Usage {
	usage, _ := readFile[Usage](filepath.Join(s.dir, usageName(root)))
	return usage
}

// Add adds what was seen to the counts of the project at root.
func (s *Store) Add(root string, seen Usage) error {
	return rewrite(s, usageName(root), func(kept *Usage) error {
		kept.Add(seen)
		return nil
	})
}

// Add adds what was seen.
func (u *Usage) Add(seen Usage) {
	if u.Since.IsZero() {
		u.Since = seen.Since
	}
	u.Returned = merged(u.Returned, seen.Returned)
	u.Questions = merged(u.Questions, seen.Questions)
}

// merged adds counts to others, which it may change.
func merged(kept, seen map[string]Count) map[string]Count {
	if kept == nil {
		kept = map[string]Count{}
	}
	for name, count := range seen {
		count.Times += kept[name].Times
		kept[name] = count
	}
	for len(kept) > maxCounted {
		oldest := ""
		for name, count := range kept {
			if oldest == "" || count.Last.Before(kept[oldest].Last) {
				oldest = name
			}
		}
		delete(kept, oldest)
	}
	return kept
}
