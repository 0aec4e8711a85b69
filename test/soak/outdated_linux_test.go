package soak_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// burrows is a repository whose documents are rewritten and moved under their reader. Each
// has a word that stays, on a line that moves.
type burrows struct {
	*gitrepo.Repo

	random *rand.Rand
	at     []string // where each document is
	came   []int    // documents that were brought from outside last
	log    []string // what has happened lately
}

const (
	// The documents are in the folder memory of burrowsTop. In outsideDir are others.
	burrowsTop = "team"
	// debounce is the default of the program.
	debounce = 500 * time.Millisecond
)

// sleepers has the word of each document, which no other one has.
func sleepers() []string {
	return []string{
		"marmot", "badger", "hamster", "dormouse", "hedgehog", "weasel", "ferret", "pangolin", "wombat", "mole", "otter", "lemming",
	}
}

func newBurrows(t *testing.T, seed uint64) *burrows {
	t.Helper()
	b := &burrows{Repo: gitrepo.New(t), random: rand.New(rand.NewPCG(seed, 0))}
	b.Put(".csharp-compounding-docs/config.json",
		`{"project_name": "burrows", "documents": {"folder": "`+burrowsTop+`/memory"}}`)
	for _, folder := range []string{
		burrowsTop + "/memory/problems/east", burrowsTop + "/memory/problems/west", outsideDir + "/north",
		outsideDir + "/" + burrowsTop + "/memory/problems/south",
	} {
		for range 3 {
			i := len(b.at)
			b.at = append(b.at, fmt.Sprintf("%s/burrow-%d.md", folder, i))
			b.Put(b.at[i], b.text(i))
		}
	}
	return b
}

func (b *burrows) text(i int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "---\ntitle: Burrow %d\ndate: 2026-01-02\nsummary: A burrow\nsignificance: correctness\n"+
		"problem_type: bug\nsymptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n", i)
	for line := range b.random.IntN(5) {
		fmt.Fprintf(&text, "\n## Chamber %d\n\nNobody lives in %d.\n", line, b.random.IntN(100))
	}
	fmt.Fprintf(&text, "\n## Beds\n\nHere sleeps the %s in bed %d.\n", sleepers()[i], 100+b.random.IntN(900))
	return text.String()
}

// disturb rewrites a document, moves it, or exchanges two documents, two of their folders, or
// all documents and others, which keep their times. One of the two may be outside.
func (b *burrows) disturb() {
	i, j := b.random.IntN(len(b.at)), b.random.IntN(len(b.at))
	kind := b.random.IntN(10)
	b.notef("kind %d of %s and %s", kind, b.at[i], b.at[j])
	switch kind {
	case 0, 1: // as editors do
		b.Put("aside.md", b.text(i))
		b.Rename("aside.md", b.at[i])
	case 2, 3: // the modification time stays
		before, err := os.Stat(b.Path(b.at[i]))
		b.Must(err)
		b.Put(b.at[i], b.text(i))
		b.Must(os.Chtimes(b.Path(b.at[i]), before.ModTime(), before.ModTime()))
	case 4, 5:
		to := path.Join(path.Dir(b.at[j]), path.Base(b.at[i]))
		b.Rename(b.at[i], to)
		b.moved(b.at[i], to)
	case 6:
		b.exchange(b.at[i], b.at[j])
	case 7:
		b.exchange(path.Dir(b.at[i]), path.Dir(b.at[j]))
	case 8:
		b.exchange(burrowsTop, outsideDir+"/"+burrowsTop)
	default:
		b.Put(b.at[i], b.text(i))
	}
}

func (b *burrows) notef(format string, arguments ...any) {
	b.log = append(b.log[max(0, len(b.log)-10):], time.Now().Format("05.000 ")+fmt.Sprintf(format, arguments...))
}

func (b *burrows) exchange(one, other string) {
	if one == other {
		return
	}
	b.Must(unix.Renameat2(unix.AT_FDCWD, b.Path(one), unix.AT_FDCWD, b.Path(other), unix.RENAME_EXCHANGE))
	b.moved(one, other)
}

// moved notes that a file or folder is in the place of another, and that one in its place.
func (b *burrows) moved(one, other string) {
	b.came = nil
	for i, at := range b.at {
		if below, ok := strings.CutPrefix(at+"/", one+"/"); ok {
			b.at[i] = path.Join(other, below)
		} else if below, ok := strings.CutPrefix(at+"/", other+"/"); ok {
			b.at[i] = path.Join(one, below)
		}
		if !isPresent(at) && isPresent(b.at[i]) {
			b.came = append(b.came, i)
		}
	}
}

func isPresent(name string) bool { return strings.HasPrefix(name, burrowsTop) }

// questions chooses documents that are on disk: some that came last, and another one.
func (b *burrows) questions() (asked []int) {
	for _, i := range b.came {
		if isPresent(b.at[i]) && len(asked) < 2 {
			asked = append(asked, i)
		}
	}
	for _, i := range b.random.Perm(len(b.at)) {
		if isPresent(b.at[i]) {
			return append(asked, i)
		}
	}
	return nil // all are outside
}

// burrowAnswer is an answer of semantic_search.
type burrowAnswer struct {
	Results []struct {
		Path      string `json:"path"`
		Snippet   string `json:"snippet"`
		StartLine int    `json:"start_line"`
		EndLine   int    `json:"end_line"`
	} `json:"results"`
	Index *mcpclient.Index `json:"index"`
}

// faults says what is wrong with the answer to the question for a document: a result whose
// lines do not hold its snippet, or that the document, which is on disk, is not among them.
func (b *burrows) faults(answer burrowAnswer, asked string) (faults []string) {
	found := false
	for _, result := range answer.Results {
		found = found || result.Path == "./"+asked
		content, err := os.ReadFile(b.Path(result.Path))
		lines := strings.Split(string(content), "\n")
		if err != nil || result.EndLine > len(lines) {
			faults = append(faults, fmt.Sprintf("%s has no line %d: %v", result.Path, result.EndLine, err))
			continue
		}
		passage := strings.ReplaceAll(strings.Join(lines[result.StartLine-1:result.EndLine], " "), "## ", "") // as a snippet has it
		there := strings.Join(strings.Fields(passage), " ")
		if !strings.Contains(there, strings.Trim(result.Snippet, "…")) {
			faults = append(faults, fmt.Sprintf("%s:%d-%d is %q, not %q", result.Path, result.StartLine, result.EndLine, there, result.Snippet))
		}
	}
	if !found {
		faults = append(faults, asked+" is missing")
	}
	return faults
}

// hamper stops a server or has the stopped one go on, or kills one and starts another. It
// returns the number of the stopped server, -1 for none. The other one is asked then.
func (f *fleet) hamper(t *testing.T, random *rand.Rand, stopped int) int {
	t.Helper()
	signal := func(i int, signal syscall.Signal) {
		if err := f.servers[i].Process().Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	switch i := random.IntN(len(f.servers)); {
	case stopped >= 0:
		signal(stopped, syscall.SIGCONT)
	case random.IntN(3) > 0:
		signal(i, syscall.SIGSTOP)
		return i
	default:
		f.servers[i].kill()
		f.servers = append(f.servers[:i], f.servers[i+1:]...)
		if err := f.add(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.killed++
	}
	return -1
}

// rest waits until all servers say that the index is up to date, for some seconds at most.
func (f *fleet) rest(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Second)
	for i := 0; i < len(f.servers) && time.Now().Before(deadline); {
		switch index, err := f.servers[i].Index(t.Context()); {
		case err != nil:
			t.Fatal(err)
		case index == nil:
			i++
		default:
			time.Sleep(debounce / 10) // between two looks
		}
	}
}

// No answer names lines that do not hold its snippet, or lacks a document that is on disk,
// without saying that the index is behind. Both servers are asked, from the moment of a save or
// move on, during sync --force, and while servers are stopped and started.
func TestSoak_NoOutdatedAnswer(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "files change at random while they are asked for")
	b := newBurrows(t, chooseSeed(t, "operations"))
	in := install(t, b.Root, testenv.DatabaseURL(t), fakeollama.Start(t), int(debounce.Milliseconds()))
	fleet := startFleet(t, in, 2)
	for _, s := range fleet.servers {
		s.calls.Wait()
	}
	var reindexing sync.WaitGroup
	defer reindexing.Wait()
	current, admitted, stopped, stops := 0, 0, -1, 0
	for range max(*operations/4, 20) {
		if stopped < 0 && b.random.IntN(3) > 0 {
			fleet.rest(t)
		}
		switch b.random.IntN(8) {
		case 0:
			reindexing.Wait()
			reindexing.Go(func() {
				if out, err := in.Command("sync", "--force").CombinedOutput(); err != nil {
					t.Errorf("sync --force: %v: %s", err, out)
				}
			})
		case 1, 2, 3:
			if stopped = fleet.hamper(t, b.random, stopped); stopped >= 0 {
				stops++
			}
			b.notef("stopped is %d, %d were killed", stopped, fleet.killed)
		}
		for range 1 + b.random.IntN(2) {
			b.disturb()
		}
		if b.random.IntN(3) > 0 { // else it was saved just now
			time.Sleep(time.Duration(b.random.IntN(1500)) * time.Millisecond) // this long ago
		}
		for _, asked := range b.questions() {
			for _, server := range b.random.Perm(len(fleet.servers)) {
				if server == stopped {
					continue
				}
				var answer burrowAnswer
				if err := fleet.servers[server].Call(t.Context(), "semantic_search", map[string]any{
					"query": sleepers()[asked], "min_relevance_score": 0, "mode": "lexical",
				}, &answer); err != nil {
					t.Fatal(err)
				}
				faults := b.faults(answer, b.at[asked])
				switch behind := answer.Index != nil && (answer.Index.Pending > 0 || answer.Index.Waiting != ""); {
				case behind && len(faults) > 0:
					admitted++
				case len(faults) > 0:
					b.notef("server %d answers, with index %+v", server, answer.Index)
					t.Errorf("server %d says nothing of being behind: %s; before:\n%s",
						server, strings.Join(faults, "; "), strings.Join(b.log, "\n"))
				case !behind:
					current++
				}
			}
		}
	}
	t.Logf("%d answers were outdated and said so, %d were up to date; %d stops, %d kills", admitted, current, stops, fleet.killed)
	if admitted == 0 || current == 0 || stops == 0 {
		t.Error("no answer was outdated, none up to date, or no server was stopped: it shows nothing")
	}
}
