package main_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// clockTick is the unit of /proc's times, the same on every Linux.
const clockTick = 10 * time.Millisecond

// processorTime returns the processor time of the process so far, in its own code
// and in the system's.
func (p *process) processorTime(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	must(t, err)
	// The second field is the program's name in parentheses; the times are the
	// 14th and 15th.
	_, rest, _ := strings.Cut(string(stat), ") ")
	var user, system int64
	if _, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * clockTick
}

// Waiting costs next to nothing, both without work and with work that cannot be done.
func TestServe_WaitsWithoutWork(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "memory and processor time are measured")
	watched := 4 * time.Second
	if text := os.Getenv("CDOCS_TEST_OUTAGE"); text != "" {
		var err error
		if watched, err = time.ParseDuration(text); err != nil {
			t.Fatal("CDOCS_TEST_OUTAGE:", err)
		}
	}
	takeAway := map[string]func(*testing.T, *fixture){
		"nothing": func(*testing.T, *fixture) {},
		"Ollama": func(t *testing.T, s *fixture) {
			t.Helper()
			s.fake.Close()
			write(t, s.root, "docs/late.md", "# Late\n")
		},
		"the database": func(t *testing.T, s *fixture) {
			t.Helper()
			s.database.Shut()
			write(t, s.root, "docs/late.md", "# Late\n")
		},
		"both": func(t *testing.T, s *fixture) {
			t.Helper()
			s.database.Shut()
			s.fake.Close()
			write(t, s.root, "docs/late.md", "# Late\n")
		},
		"the docs folder": func(t *testing.T, s *fixture) {
			t.Helper()
			must(t, os.RemoveAll(s.root+"/docs"))
		},
	}
	for what, take := range takeAway {
		t.Run(what+" away", func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			take(t, s)
			time.Sleep(time.Second) // what is done at first is not waiting
			before := p.processorTime(t)
			time.Sleep(watched) // the time that is measured
			used := p.processorTime(t) - before
			share := float64(used) / float64(watched)
			t.Logf("%s in %s: %.1f %% of a core", used, watched, 100*share)
			if share > 0.05 {
				t.Errorf("waiting takes %.1f %% of a core, more than 5 %%", 100*share)
			}
			p.mustEnd(t, endings()["EOF"])
		})
	}
}
