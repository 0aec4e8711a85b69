package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProvenTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 500_000_000, time.UTC)
	for name, test := range map[string]struct {
		age    time.Duration
		proven bool
	}{
		"of this tick":                  {time.Millisecond, false},
		"of an earlier tick":            {30 * time.Millisecond, true},
		"in the future":                 {-time.Minute, false},
		"of this whole second":          {500 * time.Millisecond, false},
		"of the whole second before":    {1500 * time.Millisecond, false},
		"of an earlier whole second":    {2500 * time.Millisecond, true},
		"of long ago, in whole seconds": {1000*time.Hour + 500*time.Millisecond, true},
	} {
		changeTime := now.Add(-test.age)
		want := time.Time{}
		if test.proven {
			want = changeTime
		}
		if got := provenTime(changeTime, now); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// offline is a folder that changes while nobody watches it.
type offline struct {
	dir    string
	random *rand.Rand
}

// write saves a text of always the same size, often with the time that the file had before, and sometimes
// with one of 20 years ago or ahead.
func (o *offline) write(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join(o.dir, name)
	before, statErr := os.Stat(file)
	must(t, os.WriteFile(file, fmt.Appendf(nil, "text %016x", o.random.Uint64()), 0o600))
	at := time.Now().AddDate(40*o.random.IntN(2)-20, 0, 0)
	switch kind := o.random.IntN(4); {
	case kind == 0 || statErr != nil:
		return
	case kind < 3:
		at = before.ModTime()
	}
	must(t, os.Chtimes(file, at, at))
}

func (o *offline) swap(t *testing.T, a, b string) {
	t.Helper()
	for _, step := range [][2]string{{a, "aside"}, {b, a}, {"aside", b}} {
		must(t, os.Rename(filepath.Join(o.dir, step[0]), filepath.Join(o.dir, step[1])))
	}
}

func (o *offline) link(t *testing.T, name, target string) {
	t.Helper()
	if err := os.Remove(filepath.Join(o.dir, name)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must(t, os.Symlink(target, filepath.Join(o.dir, name)))
}

// change does one thing to the folder that keeps the sizes of all files.
func (o *offline) change(t *testing.T, names []string) {
	t.Helper()
	name := names[o.random.IntN(len(names))]
	switch o.random.IntN(6) {
	case 0, 1, 2:
		o.write(t, name)
	case 3:
		o.swap(t, "one", "two")
	case 4:
		if other := names[o.random.IntN(len(names))]; other != name {
			o.swap(t, name, other)
		}
	case 5:
		o.link(t, "link.md", names[o.random.IntN(len(names))])
	}
}

// texts returns what the files hold, by path.
func (o *offline) texts(t *testing.T, names []string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range append([]string{"link.md"}, names...) {
		content, err := os.ReadFile(filepath.Join(o.dir, name))
		must(t, err)
		texts[name] = string(content)
	}
	return texts
}

// The next walk finds any change of files that keep their size, and often their modification time.
func TestSync_FindsEditsThatKeepSizeAndTime(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	o := &offline{dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 0))}
	names := []string{}
	for _, folder := range []string{"one", "two"} {
		must(t, os.Mkdir(filepath.Join(o.dir, folder), 0o750))
		for i := range 3 {
			names = append(names, path.Join(folder, fmt.Sprintf("%d.md", i)))
		}
	}
	hourAgo := time.Now().Add(-time.Hour)
	for _, name := range names {
		o.write(t, name)
		must(t, os.Chtimes(filepath.Join(o.dir, name), hourAgo, hourAgo))
	}
	o.link(t, "link.md", names[0])
	folder := Folder{Dir: o.dir, Match: func(name string) bool { return path.Ext(name) == ".md" }}
	index := newTexts()
	for round := range 300 {
		for range 1 + o.random.IntN(3) {
			o.change(t, names)
		}
		// Sometimes the stamps are of long ago, and sometimes of this very tick.
		if o.random.IntN(4) == 0 {
			time.Sleep(30 * time.Millisecond) // lets the clock of the file system move on
		}
		if _, err := Sync(t.Context(), folder, index, alwaysReady, noReport); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o.texts(t, names), index.contents()); diff != "" {
			t.Fatalf("round %d of seed %d (-want +got):\n%s", round, seed, diff)
		}
	}
}

// A stamp without proof is read again; a stamp with proof is not.
func TestSync_ReadsOnlyWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	folder := Folder{Dir: t.TempDir(), Match: func(string) bool { return true }}
	must(t, os.WriteFile(filepath.Join(folder.Dir, "a.md"), []byte("text"), 0o600))
	index := newTexts()
	for index.stamps["a.md"].ChangeTime.IsZero() {
		if _, err := Sync(t.Context(), folder, index, alwaysReady, noReport); err != nil {
			t.Fatal(err)
		}
	}
	if index.indexed != 1 {
		t.Errorf("indexed %d times, want once and then the stamp alone", index.indexed)
	}
	root, err := folder.Open()
	must(t, err)
	defer root.Close() //nolint:errcheck // opened for reading
	e, err := folder.entryOf(root, "a.md", folder.rules())
	if err != nil || !index.stamps["a.md"].Proves(e.stamp) {
		t.Errorf("stamp %+v does not prove %+v (%v)", index.stamps["a.md"], e.stamp, err)
	}
}
