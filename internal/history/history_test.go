package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// cited is a place of a document, with what truly became of it.
type cited struct {
	document int
	place    document.Place
	lines    []string // that the place names
	whole    string   // the text of a file that is cited as a whole, "" for lines
}

// replay is a repository with a history, and the truth about it.
type replay struct {
	random    *rand.Rand
	repo      *gitrepo.Repo
	files     map[string][]string
	documents []history.CitingDocument
	cited     []cited
	renamed   map[string]string // to the present path of a file that was moved
	next      int
}

// line returns a line that no other is like.
func (r *replay) line() string {
	r.next++
	return fmt.Sprintf("\tresult%d := compute(%d, %q)", r.next, r.random.IntN(1000), strings.Repeat("x", 1+r.random.IntN(9)))
}

func (r *replay) put(name string) { r.repo.Put(name, strings.Join(r.files[name], "\n")+"\n") }

func (r *replay) anyFile() string {
	names := make([]string, 0, len(r.files))
	for name := range r.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names[r.random.IntN(len(names))]
}

// step makes one change that people make, and commits it.
func (r *replay) step(i int) {
	name := r.anyFile()
	lines := r.files[name]
	at := r.random.IntN(len(lines))
	switch kind := r.random.IntN(10); {
	case kind < 3:
		r.files[name] = slices.Insert(slices.Clone(lines), at, r.line(), r.line())
	case kind < 5:
		lines = slices.Clone(lines)
		lines[at] = r.line()
		r.files[name] = lines
	case kind == 5 && len(lines) > 20:
		r.files[name] = slices.Delete(slices.Clone(lines), at, min(at+3, len(lines)))
	case kind == 6:
		to := fmt.Sprintf("src/moved%d.go", i)
		r.files[to] = lines
		delete(r.files, name)
		r.repo.Remove(name)
		for old, now := range r.renamed {
			if now == name {
				r.renamed[old] = to
			}
		}
		r.renamed[name] = to
		name = to
	case kind == 7 && len(r.files) > 10:
		delete(r.files, name)
		r.repo.Remove(name)
		r.repo.Commit()
		return
	default:
		r.write(name)
		return
	}
	r.put(name)
	r.repo.Commit()
}

// write writes a document that cites some places of a file.
func (r *replay) write(name string) {
	d := history.CitingDocument{Path: fmt.Sprintf("docs/%d.md", len(r.documents))}
	lines := r.files[name]
	for range 1 + r.random.IntN(4) {
		place := document.Place{Path: name}
		c := cited{document: len(r.documents), whole: strings.Join(lines, "\n")}
		if r.random.IntN(4) > 0 {
			place.First = 1 + r.random.IntN(len(lines))
			place.Last = min(place.First+r.random.IntN(4), len(lines))
			c.lines, c.whole = slices.Clone(lines[place.First-1:place.Last]), ""
		}
		c.place = place
		d.Places = append(d.Places, place)
		r.cited = append(r.cited, c)
	}
	r.documents = append(r.documents, d)
	r.repo.Put(d.Path, fmt.Sprintf("# %s\n\n%v\n", d.Path, d.Places))
	r.repo.Commit()
}

// truth returns what became of a place.
func (r *replay) truth(c cited) history.State {
	name, moved := c.place.Path, false
	if to, ok := r.renamed[name]; ok && r.files[name] == nil {
		name, moved = to, true
	}
	lines, there := r.files[name]
	switch {
	case !there:
		return history.Gone
	case c.lines == nil && strings.Join(lines, "\n") != c.whole:
		return history.Changed
	case c.lines != nil:
		at := slices.Index(lines, c.lines[0]) + 1
		if at == 0 || at+len(c.lines)-1 > len(lines) || !slices.Equal(lines[at-1:at-1+len(c.lines)], c.lines) {
			return history.Changed
		}
		moved = moved || at != c.place.First
	}
	if moved {
		return history.Moved
	}
	return history.Same
}

// In a history of 200 commits, places that changed are found, those that did not are left
// alone, and those that moved are followed.
func TestPlaceChecker_FollowsAHistory(t *testing.T) {
	t.Parallel()
	const seed = 20261123
	r := &replay{
		random: rand.New(rand.NewPCG(seed, 1)), repo: gitrepo.New(t), files: map[string][]string{}, renamed: map[string]string{},
	}
	r.repo.Git("init", "-q", "-b", "main")
	for i := range 20 {
		name := fmt.Sprintf("src/%d.go", i)
		for range 30 + r.random.IntN(60) {
			r.files[name] = append(r.files[name], r.line())
		}
		r.put(name)
	}
	r.repo.Commit()
	for i := range 200 {
		r.step(i)
	}
	found, err := history.NewPlaceChecker(r.repo.Root).Check(t.Context(), r.documents)
	if err != nil {
		t.Fatal(err)
	}
	got := map[[2]int]history.State{}
	for _, f := range found {
		got[[2]int{f.Document, f.Place}] = f.State
	}
	type count struct{ right, all int }
	var changed, same, moved count
	place := map[int]int{}
	for _, c := range r.cited {
		state := got[[2]int{c.document, place[c.document]}]
		place[c.document]++
		stale := state == history.Changed || state == history.Gone
		switch r.truth(c) {
		case history.Changed, history.Gone:
			changed.all++
			if stale {
				changed.right++
			}
		case history.Moved:
			moved.all++
			if state == history.Moved {
				moved.right++
			}
		case history.Unknown:
			t.Errorf("the truth of %v is unknown", c.place)
		case history.Same:
			same.all++
			if !stale {
				same.right++
			}
		}
	}
	t.Logf("of %d places: changed %d of %d named, same %d of %d left alone, moved %d of %d followed",
		len(r.cited), changed.right, changed.all, same.right, same.all, moved.right, moved.all)
	part := func(c count) float64 { return float64(c.right) / float64(max(c.all, 1)) }
	if min(changed.all, same.all, moved.all) < 10 || part(changed) < .95 || part(same) < .97 || part(moved) < .9 {
		t.Errorf("changed %v of at least .95, same %v of at least .97, moved %v of at least .9", changed, same, moved)
	}
}
