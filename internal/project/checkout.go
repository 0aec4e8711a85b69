package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckoutState is what the disk of this machine says of a checkout on a branch.
type CheckoutState int

const (
	// NotHere says that at the checkout's path is no repository of the project. It may be on another
	// machine.
	NotHere CheckoutState = iota
	// Here says that the repository is there, and has the branch, as far as can be read.
	Here
	// BranchGone says that the repository is there and does not have the branch any more.
	BranchGone
)

// CheckoutStateOf looks for the repository of a project at root, as it was registered by some machine,
// and for a branch in it. Where something cannot be read the answer is Here.
func CheckoutStateOf(root, projectName, branch string) CheckoutState {
	if !filepath.IsAbs(root) { // it is of a machine with another system
		return NotHere
	}
	config, err := loadConfig(root)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return NotHere
	case err == nil && config.ProjectName != projectName:
		return NotHere
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

// hasBranch reports whether there is a branch of the short name. Packing writes packed-refs before
// it removes the file, so that looking in this order misses nothing.
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
