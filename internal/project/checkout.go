package project

import (
	"errors"
	"io/fs"
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
	if HasBranch(root, branch) {
		return Here
	}
	return BranchGone
}
