package index

import (
	"strings"
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	thousand := make([]unembedded, 1000)
	for i := range thousand {
		thousand[i].Content = strings.Repeat("x", 1000)
	}
	for _, tt := range []struct {
		name         string
		perPassage   time.Duration
		batch, fetch int
	}{
		{"slower than a batch may take", time.Second, 1, 32},
		{"a laptop", 20 * time.Millisecond, 5, 500},
		{"as fast as it may be", 10 * time.Microsecond, 32, 2000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p pace
			if got := p.batch(thousand); got != 4 {
				t.Errorf("the first batch has %d passages, want 4", got)
			}
			p.note(1, 1000, tt.perPassage)
			if got := p.batch(thousand); got != tt.batch {
				t.Errorf("a batch has %d passages, want %d", got, tt.batch)
			}
			if got := p.passages(10*time.Second, 2000); int(got) != tt.fetch {
				t.Errorf("%d passages are read at a time, want %d", got, tt.fetch)
			}
		})
	}
}

// Ollama may take as long for a short text as for a long one.
func TestPace_CountsPassages(t *testing.T) {
	t.Parallel()
	short := make([]unembedded, 100)
	for i := range short {
		short[i].Content = "x"
	}
	var p pace
	for range 5 {
		p.note(1, 1000, 100*time.Millisecond)
	}
	if got := p.batch(short); got != 1 {
		t.Errorf("where a passage takes 100 ms a batch has %d, want 1", got)
	}
}
