package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckoutState says whether a checkout and its branch exist on this machine.
type CheckoutState int

const (
	// NotHere says that the path holds no repository. The checkout may be on another machine.
	NotHere CheckoutState = iota
	// Here says that the repository has the branch, or cannot be read.
	Here
	// BranchGone says that the repository is there and no longer has the branch.
	BranchGone
	// Renamed says that the repository at the path has another project's name: its config has changed,
	// or the checkout is on another machine.
	Renamed
)

// CheckoutStateOf looks for the project's repository at root, a path that this or another machine
// registered, and for the branch in it. It returns Here if something cannot be read, so that
// callers delete nothing by mistake.
func CheckoutStateOf(root, projectName, branch string) CheckoutState {
	if !filepath.IsAbs(root) { // a machine with another operating system registered it
		return NotHere
	}
	config, err := loadConfig(root)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return NotHere
	case err == nil && config.ProjectName != projectName:
		return Renamed
	}
	head, err := Head(root)
	if err != nil || !head.InRepository || head.Branch == branch {
		return Here
	}
	dirs, found, err := findGit(root)
	if err != nil || !found {
		return Here
	}
	if has, err := dirs.hasBranch(branch); err != nil || has {
		return Here
	}
	return BranchGone
}

// hasBranch reports whether the branch with a short name exists. git writes packed-refs before it
// removes the branch's own file, so the file has to be looked for first.
func (d gitDirs) hasBranch(name string) (bool, error) {
	ref := branchPrefix + name
	if !isRefName(ref) {
		return false, nil
	}
	info, err := os.Stat(filepath.Join(d.common, filepath.FromSlash(ref)))
	switch {
	case err == nil && info.Mode().IsRegular():
		return true, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return false, fmt.Errorf("look for branch %s: %w", name, err)
	}
	found := false
	err = d.packedRefs(func(packed string) bool {
		found = packed == ref
		return !found
	})
	return found, err
}
