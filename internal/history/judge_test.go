package history

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
)

const pool = `package db

// NewPool opens a pool.
func NewPool(size int) *Pool {
	if size < 1 {
		size = 1
	}
	return &Pool{size: size}
}

func (p *Pool) Close() {
	p.closed = true
}

type Pool struct {
	size   int
	closed bool
}
`

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestJudge(t *testing.T) {
	t.Parallel()
	inserted := strings.Replace(pool, "package db\n", "package db\n\nimport \"sync\"\n", 1)
	edited := strings.Replace(pool, "size < 1", "size < 4", 1)
	indented := strings.ReplaceAll(pool, "\t", "    ")
	for _, tt := range []struct {
		name, place, now string
		want             State
		at               string
	}{
		{"nothing changed", "pool.go:4-9", pool, Same, "pool.go:4-9"},
		{"other lines changed", "pool.go:11-13", edited, Same, "pool.go:11-13"},
		{"the lines changed", "pool.go:4-9", edited, Changed, "pool.go:4-9"},
		{"one of them", "pool.go:5", edited, Changed, "pool.go:5"},
		{"lines above were added", "pool.go:4-9", inserted, Moved, "pool.go:6-11"},
		{"one line", "pool.go:12", inserted, Moved, "pool.go:14"},
		{"a bracket, which stands everywhere", "pool.go:9", inserted, Moved, "pool.go:11"},
		{"a bracket of what was removed", "pool.go:9", strings.Replace(pool, lines(pool)[3]+"\n"+strings.Join(lines(pool)[4:9], "\n")+"\n", "", 1), Changed, "pool.go:9"},
		{"indented in another way", "pool.go:4-9", indented, Same, "pool.go:4-9"},
		{"a symbol that moved", "pool.go#NewPool", inserted, Same, "pool.go#NewPool"},
		{"a symbol that changed", "pool.go#NewPool", edited, Changed, "pool.go#NewPool"},
		{"another symbol changed", "pool.go#Pool.Close", edited, Same, "pool.go#Pool.Close"},
		{"a type", "pool.go#Pool", strings.Replace(pool, "closed bool", "closed atomic.Bool", 1), Changed, "pool.go#Pool"},
		{"a symbol that is gone", "pool.go#NewPool", strings.ReplaceAll(pool, "NewPool", "Open"), Changed, "pool.go#NewPool"},
		{"a whole file", "pool.go", edited, Changed, "pool.go"},
		{"a line that never was is the whole file", "pool.go:900", edited, Changed, "pool.go:900"},
		{"a line that never was, in the same file", "pool.go:900", pool, Same, "pool.go:900"},
	} {
		got, at := judge(document.ParsePlace(tt.place), lines(pool), lines(tt.now))
		if got != tt.want || at.String() != tt.at {
			t.Errorf("%s: %v at %s, want %v at %s", tt.name, got, at, tt.want, tt.at)
		}
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		symbol, text string
		first, last  int
	}{
		{"close", "class Pool:\n    def open(self):\n        pass\n\n    def close(self):\n        self.x = 1\n        return\n\nclass Other:\n    pass\n", 5, 7},
		{"makePool", "const a = 1;\nexport const makePool = (n) => {\n  return n;\n};\nmakePool(3)\n", 2, 4},
		{"timeout", "pool:\n  size: 3\n  timeout: 5\nother: 1\n", 3, 3},
		{"retry", "def other\n  x\nend\ndef retry(n)\n  n + 1\nend\n", 4, 6},
		{"nothing", "a\nb\n", 0, 0},
	} {
		if first, last := definition(lines(tt.text), tt.symbol); first != tt.first || last != tt.last {
			t.Errorf("%s: lines %d to %d, want %d to %d", tt.symbol, first, last, tt.first, tt.last)
		}
	}
}
