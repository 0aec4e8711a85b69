package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// shutdownTime is how long the server may take to end, whatever it is doing.
const shutdownTime = 2 * time.Second

// process is a running server whose ends a test holds itself.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	answers *bufio.Scanner
	calls   int
	ended   chan error
}

func startProcess(t *testing.T, environment ...string) *process {
	t.Helper()
	return beginProcess(t, server(t, environment...))
}

// beginProcess starts the command, and shakes hands with it.
func beginProcess(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command, ended: make(chan error, 1)}
	p.start(t)
	p.send(t, `"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	p.answer(t)
	p.send(t, `"method":"notifications/initialized"`)
	return p
}

// start starts the command without a word.
func (p *process) start(t *testing.T) {
	t.Helper()
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) })
	p.answers = bufio.NewScanner(stdout)
	p.answers.Buffer(nil, 1<<20)
}

func (p *process) send(t *testing.T, rest string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, `{"jsonrpc":"2.0",`+rest+"}\n"); err != nil {
		t.Fatal(err)
	}
}

// begin calls a tool and does not wait for its answer.
func (p *process) begin(t *testing.T, tool string, arguments map[string]any) {
	t.Helper()
	p.calls++
	encoded, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		t.Fatal(err)
	}
	p.send(t, fmt.Sprintf(`"id":%d,"method":"tools/call","params":%s`, p.calls, encoded))
}

// answer waits for the next message.
func (p *process) answer(t *testing.T) string {
	t.Helper()
	if !p.answers.Scan() {
		t.Fatal("the server has ended: ", p.answers.Err())
	}
	return p.answers.Text()
}

func (p *process) activate(t *testing.T, root string) {
	t.Helper()
	p.begin(t, "activate_project", activation(root))
	if answer := p.answer(t); !strings.Contains(answer, "activated") {
		t.Fatalf("activation: %s", answer)
	}
}

// mustEnd ends the server, and fails unless it exits with 0 in time, and with
// whatever it may have started.
func (p *process) mustEnd(t *testing.T, end func(*testing.T, *process)) {
	t.Helper()
	go func() {
		for p.answers.Scan() { // what the server still says must not keep it
		}
		p.ended <- p.command.Wait()
	}()
	started := time.Now()
	end(t, p)
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("the server ends with %v, want exit code 0", err)
		}
		if took := time.Since(started); took > shutdownTime {
			t.Errorf("the server took %s to end, more than %s", took, shutdownTime)
		}
	case <-time.After(10 * shutdownTime):
		t.Fatal("the server does not end")
	}
	if err := syscall.Kill(-p.command.Process.Pid, 0); err == nil {
		t.Error("a process that the server has started goes on")
	}
}

// endings are the ways to end a server.
func endings() map[string]func(*testing.T, *process) {
	signal := func(signal syscall.Signal) func(*testing.T, *process) {
		return func(t *testing.T, p *process) {
			t.Helper()
			if err := p.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	return map[string]func(*testing.T, *process){
		"EOF": func(t *testing.T, p *process) {
			t.Helper()
			if err := p.stdin.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"SIGINT": signal(syscall.SIGINT), "SIGTERM": signal(syscall.SIGTERM),
	}
}

// scene is a project with the services of its own that a server runs on.
type scene struct {
	root        string
	fake        *fakeollama.Server
	database    *testenv.FaultProxy // between the server and its database
	pool        *pgxpool.Pool       // which does not go through it
	environment []string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	s := &scene{root: newProject(t, manyDocuments()), fake: fakeollama.Start(t), pool: openPool(t, databaseURL)}
	var throughProxy string
	s.database, throughProxy = testenv.NewDatabaseProxy(t, databaseURL)
	s.environment = []string{"CDOCS_DATABASE_URL=" + throughProxy, "CDOCS_OLLAMA_HOST=" + s.fake.URL(), "CDOCS_LOG_LEVEL=error"}
	return s
}

func count(t *testing.T, pool *pgxpool.Pool, query string, args ...any) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// leases is how many servers hold the lease of a tenant of the scene.
func (s *scene) leases(t *testing.T) int {
	t.Helper()
	return count(t, s.pool, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, db.LockIndexer)
}

func until(t *testing.T, what string, within time.Duration, holds func() bool) {
	t.Helper()
	deadline := time.After(within)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", within, what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// situations bring a server into the middle of something.
func situations() map[string]func(t *testing.T, s *scene) *process {
	embedding := func(s *scene) bool { return len(s.fake.Requests("/api/embed")) > 0 }
	return map[string]func(t *testing.T, s *scene) *process{
		"nothing to do": func(t *testing.T, s *scene) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			return p
		},
		"sync with a slow Ollama": func(t *testing.T, s *scene) *process {
			t.Helper()
			s.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			until(t, "it embeds", time.Minute, func() bool { return embedding(s) })
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			return p
		},
		"sync at full speed": func(t *testing.T, s *scene) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			until(t, "a document is there", time.Minute, func() bool { return count(t, s.pool, "SELECT count(*) FROM documents") > 0 })
			return p
		},
		"write that waits for a lock": func(t *testing.T, s *scene) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			tx, err := s.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tx.Rollback(t.Context()) })
			if _, err := tx.Exec(t.Context(), "LOCK TABLE document_links IN EXCLUSIVE MODE"); err != nil {
				t.Fatal(err)
			}
			p.begin(t, "activate_project", activation(s.root))
			until(t, "a write waits", time.Minute, func() bool {
				return count(t, s.pool, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'document_links'::regclass") > 0
			})
			return p
		},
		"database that hangs": func(t *testing.T, s *scene) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			s.database.Stall()
			write(t, s.root, "docs/late.md", "# Late\n")
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			p.begin(t, "activate_project", activation(s.root))
			return p
		},
		"database that has never answered": func(t *testing.T, s *scene) *process {
			t.Helper()
			s.database.Stall()
			p := startProcess(t, s.environment...)
			p.begin(t, "activate_project", activation(s.root))
			p.begin(t, "activate_project", activation(s.root))
			return p
		},
		"everything away": func(t *testing.T, s *scene) *process {
			t.Helper()
			p := startProcess(t, s.environment...)
			p.activate(t, s.root)
			s.database.Shut()
			s.fake.SetFaults(fakeollama.Faults{HangUp: true})
			write(t, s.root, "docs/late.md", "# Late\n")
			p.begin(t, "search_external_docs", map[string]any{"query": "words"})
			return p
		},
	}
}

func TestServe_EndsWhateverItIsDoing(t *testing.T) {
	t.Parallel()
	reference := newScene(t)
	syncWhole(t, reference.root, reference.environment...)
	whole := map[string]bool{}
	for _, line := range snapshot(t, reference.pool) {
		whole[line] = true
	}
	for what, begin := range situations() {
		for how, end := range endings() {
			t.Run(what+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				p := begin(t, s)
				p.mustEnd(t, end)
				s.database.Shut() // PostgreSQL cannot know before, if the proxy stalls
				until(t, "the lease is free", time.Second, func() bool { return s.leases(t) == 0 })
				for _, line := range snapshot(t, s.pool) {
					if !whole[line] && !strings.Contains(line, "late.md") {
						t.Errorf("a document is not whole: %s", line)
					}
				}
			})
		}
	}
}

// Another server need not wait for a connection to time out.
func TestServe_HandsOverAtOnce(t *testing.T) {
	t.Parallel()
	for how, end := range endings() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			first, second := startProcess(t, s.environment...), startProcess(t, s.environment...)
			first.activate(t, s.root)
			second.activate(t, s.root)
			first.mustEnd(t, end)
			until(t, "the other server leads", 3*time.Second, func() bool { return s.leases(t) == 1 })
			write(t, s.root, "docs/late.md", "# Late\n\nAfter the hand-over.\n")
			until(t, "it indexes", time.Minute, func() bool {
				return count(t, s.pool, "SELECT count(*) FROM documents WHERE relative_path = 'docs/late.md'") == 1
			})
			second.mustEnd(t, end)
			until(t, "the lease is free", time.Second, func() bool { return s.leases(t) == 0 })
		})
	}
}
