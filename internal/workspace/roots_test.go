package workspace_test

import "testing"

// A client that is in another worktree when the server starts may name the main worktree
// as the project. Another repository that it names is meant.
func TestFollow_AtTheStart(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	f.Git("init", "-q", "-b", "main")
	f.Commit()
	linked, other := f.Path("linked"), setupOn(t, f.databaseURL, nil)
	f.Git("worktree", "add", "-q", "-b", "linked", linked)
	for folder, want := range map[string]string{f.Root: f.Root, linked: linked, other.Root: f.Root} {
		s := f.serverFor(t, f.Root)
		s.SetClientFolders(t.Context(), []string{folder})
		active, err := s.Active(t.Context())
		f.Must(err)
		if active.Definition.Root != want {
			t.Errorf("with the client in %s the project is %s, want %s", folder, active.Definition.Root, want)
		}
	}
}
