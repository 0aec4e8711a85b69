package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// nobody may write nowhere; root may write anywhere.
const nobody = 65534

func TestPromote_InAFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": withLevel("standard")})
	active := f.activate(t, f.server(t), "main")
	folder := filepath.Join(f.Root, docs)
	for path, mode := range map[string]os.FileMode{
		filepath.Dir(f.Root): 0o755, f.Root: 0o755, filepath.Dir(folder): 0o755, folder: 0o555, filepath.Join(folder, "a.md"): 0o666,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	files, index := f.files(t), f.columns(t)
	promoted := make(chan error, 1)
	go func() {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // and never unlocked: the thread ends with its goroutine
			if err := syscall.Setfsuid(nobody); err != nil {
				promoted <- err
				return
			}
		}
		_, _, err := active.Promote(t.Context(), "problems/a.md", catalog.Critical)
		promoted <- err
	}()
	err := <-promoted
	if e := apierror.AsError(err); err == nil || e.Code != apierror.FileSystemError || !strings.Contains(e.Error(), ".compound-docs-") {
		t.Errorf("got %v, want FILE_SYSTEM_ERROR for the new file", err)
	}
	if diff := cmp.Diff(files, f.files(t)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(index, f.columns(t)); diff != "" {
		t.Errorf("index (-before +after):\n%s", diff)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
}
