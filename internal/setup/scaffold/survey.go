package scaffold

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// maxEntries bounds the look into a large repository.
const maxEntries = 200_000

// maxPlaces is how many entries documents.folders may have.
const maxPlaces = 100

// generated is why a folder is left out that would have documents if a place covered it.
const generated = "generated, or material for tests and sites"

// survey is the markdown of a repository, by the names of its files.
type survey struct {
	markdown []string
	// files and notes count the files and the markdown of each folder with those below, without pictures.
	files, notes map[string]int
	vaults       map[string]bool // folders that an app for notes has its settings in
	left         []LeftOut
	// ignored reports whether git ignores a file or a folder.
	ignored func(name string, folder bool) bool
}

// take looks at everything in a repository that is neither hidden nor ignored.
func take(root *contain.Root, ignored func(name string, folder bool) bool) survey {
	s := survey{ignored: ignored, files: map[string]int{}, notes: map[string]int{}, vaults: map[string]bool{}}
	entries := 0
	_ = root.Walk(func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			s.left = append(s.left, LeftOut{name, "the repository has too many files to look at them all"})
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return fs.SkipDir // doctor names folders that cannot be read
		case d.IsDir():
			return s.enter(root, name)
		case d.Type().IsRegular() && !ignored(name, false):
			s.add(name)
		}
		return nil
	})
	return s
}

// enter decides whether the survey looks into a folder.
func (s *survey) enter(root *contain.Root, name string) error {
	base := strings.ToLower(path.Base(name))
	why := project.LeftOut(name, true)
	switch {
	case why != "", name == ".":
	case s.ignored(name, true):
		why = "git ignores it"
	case topmost(name, s.isDocumentation) != "":
	case root.Exists(path.Join(name, ".git")):
		why = "another git repository"
	case slices.Contains(generatedFolders, base):
		why = generated
	}
	if why != "" {
		if hasMarkdown(root, name) {
			s.left = append(s.left, LeftOut{name, why})
		}
		return fs.SkipDir
	}
	s.vaults[name] = isVault(root, name)
	return nil
}

func (s *survey) add(name string) {
	if project.IsPicture(name) || strings.EqualFold(path.Ext(name), ".pdf") {
		return
	}
	isNote := project.IsMarkdown(name)
	if isNote {
		s.markdown = append(s.markdown, name)
	} else if slices.Contains([]string{".rst", ".adoc", ".asciidoc"}, strings.ToLower(path.Ext(name))) {
		s.left = append(s.left, LeftOut{name, "no markdown"})
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		s.files[dir]++
		if isNote {
			s.notes[dir]++
		}
		if dir == "." {
			return
		}
	}
}

var (
	// vaultFolders have the settings of apps for notes.
	vaultFolders = []string{".obsidian", ".foam", ".dendron", ".zk", "logseq"}
	// generatedFolders have no knowledge unless they are inside a folder of documentation.
	generatedFolders = []string{
		"target", "dist", "build", "out", "coverage", "testdata", "fixtures", "__fixtures__", "__snapshots__", "themes", "archetypes",
	}
	// documentationFolders are the names that teams give to folders of what they write down.
	documentationFolders = []string{
		"docs", "doc", "documentation", "adr", "adrs", "decisions", "decision-records", "rfc", "rfcs", "wiki", "notes", "handbook",
		"guide", "guides", "runbook", "runbooks", "playbook", "playbooks", "postmortem", "postmortems", "incidents", "knowledge",
		"knowledge-base", "kb", "content", "blog", "posts", "_posts", "_docs", "architecture", "design", "specs", "proposals",
		"solutions", "learnings", "manual", "howto", "faq", "tutorials", "journal", "research",
	}
)

func isVault(root *contain.Root, folder string) bool {
	return slices.ContainsFunc(vaultFolders, func(name string) bool { return root.Exists(path.Join(folder, name)) })
}

// hasMarkdown reports whether a folder has markdown among its first files. Folders such as node_modules are large.
func hasMarkdown(root *contain.Root, folder string) (found bool) {
	opened, err := root.Sub(folder)
	if err != nil {
		return false
	}
	defer opened.Close() //nolint:errcheck // opened for reading only
	const enough = 1000
	entries := 0
	_ = opened.Walk(func(name string, _ fs.DirEntry, _ error) error {
		entries++
		found = project.IsMarkdown(name)
		if found || entries > enough {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isDocumentation reports whether a folder has documentation, by its name or as a vault.
func (s *survey) isDocumentation(folder string) bool {
	return s.vaults[folder] || slices.Contains(documentationFolders, strings.ToLower(path.Base(folder)))
}

// isMostlyMarkdown reports whether at least half of a folder's files are markdown, once all are counted.
func (s *survey) isMostlyMarkdown(folder string) bool {
	const several = 2
	return s.notes[folder] >= several && s.files[folder] <= 2*s.notes[folder]
}

// isAllDocuments reports whether a repository has many documents and little else.
func (s *survey) isAllDocuments() bool {
	const many = 10
	return s.notes["."] >= many && s.isMostlyMarkdown(".") && !s.hasGenerated("")
}

// anchor returns the topmost folder of a path that has documentation, or "" for none.
func (s *survey) anchor(name string) string {
	return topmost(name, func(folder string) bool {
		return s.isDocumentation(folder) || folder != "." && s.isMostlyMarkdown(folder)
	})
}

// topmost returns the first folder of a path, from the top, that is as wanted, or "" for none.
func topmost(name string, wanted func(folder string) bool) string {
	for i := range len(name) + 1 {
		if (i == len(name) || name[i] == '/') && wanted(name[:i]) {
			return name[:i]
		}
	}
	return ""
}

// severalPlaces is how many places of one kind become one.
const severalPlaces = 3

// places returns entries of documents.folders that have the given files. A folder of documentation is taken whole,
// and similar paths by one pattern, such as packages/*/docs. A vault in the root is the repository itself.
func (s *survey) places(files []string) []string {
	if s.vaults["."] && len(files) > 0 {
		return []string{"."}
	}
	groups := map[string]string{} // by the pattern that would have several: a single place, or the pattern
	var order []string
	for _, file := range files {
		place, last := s.anchor(path.Dir(file)), ""
		if place == "" {
			place, last = file, "*"+path.Ext(file)
		}
		pattern := starred(place, cmp.Or(last, path.Base(place)))
		switch known, seen := groups[pattern]; {
		case !seen:
			order, groups[pattern] = append(order, pattern), place
		case known != place:
			groups[pattern] = pattern
		}
	}
	var places []string
	for _, pattern := range order {
		if place := groups[pattern]; strings.Contains(place, "/") {
			pattern = place
		}
		places = append(places, pattern)
	}
	places = s.merged(places)
	return places[:min(len(places), maxPlaces)]
}

// instructions returns the AGENTS.md and CLAUDE.md of folders below the root, or patterns if there are many.
func (s *survey) instructions() []string {
	const many = 20
	found := slices.DeleteFunc(slices.Clone(s.markdown), func(name string) bool { return !project.IsNestedInstruction(name) })
	if len(found) > many {
		return []string{"**/AGENTS.md", "**/CLAUDE.md"}
	}
	return found
}

// hasGenerated reports whether a folder with generated files is left out below a prefix.
func (s *survey) hasGenerated(prefix string) bool {
	return slices.ContainsFunc(s.left, func(left LeftOut) bool {
		return left.Why == generated && strings.HasPrefix(left.Path, prefix)
	})
}

// merged replaces several places in one folder by the folder, unless generated files lie below it, and several files
// that are each alone in a folder of the root by one pattern.
func (s *survey) merged(places []string) []string {
	inFolder := func(place string) string {
		folder, rest, _ := strings.Cut(place, "/")
		if rest == "" || s.hasGenerated(folder+"/") {
			return place
		}
		return folder
	}
	inRoot := func(place string) string {
		if strings.Count(place, "/") == 1 && project.IsMarkdown(place) {
			return "*/*" + path.Ext(place)
		}
		return place
	}
	for _, merge := range []func(string) string{inFolder, inRoot} {
		count := map[string]int{}
		for _, place := range places {
			count[merge(place)]++
		}
		var all []string
		for _, place := range places {
			if wider := merge(place); count[wider] >= severalPlaces {
				place = wider
			}
			if !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
		places = all
	}
	return places
}

// starred returns a path with its last element replaced and with * for those between the first and the last.
func starred(name, last string) string {
	elements := strings.Split(name, "/")
	for i := 1; i < len(elements)-1; i++ {
		elements[i] = "*"
	}
	elements[len(elements)-1] = last
	return strings.Join(elements, "/")
}
