package recall

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxQuestions bounds the questions of a project. Of more, those asked longest ago are forgotten.
const maxQuestions = 500

// Questions returns the questions of the project at root that found nothing, with when each was asked last.
func (s *Store) Questions(root string) map[string]time.Time {
	questions, _ := readFile[map[string]time.Time](filepath.Join(s.dir, questionsName(root)))
	return questions
}

// AddQuestion keeps a question of the project at root that found nothing.
func (s *Store) AddQuestion(ctx context.Context, root, question string, asked time.Time) error {
	return rewrite(ctx, s, questionsName(root), func(kept *map[string]time.Time) error {
		if *kept == nil {
			*kept = map[string]time.Time{}
		}
		(*kept)[question] = asked
		if len(*kept) > maxQuestions {
			byAge := func(a, b string) int { return (*kept)[a].Compare((*kept)[b]) }
			delete(*kept, slices.MinFunc(slices.Collect(maps.Keys(*kept)), byAge))
		}
		return nil
	})
}

// questionsName returns the name of a project's file. It differs from those of sessions, which
// are removed after a month.
func questionsName(root string) string {
	return strings.TrimSuffix(fileName(root), extension) + ".questions"
}
