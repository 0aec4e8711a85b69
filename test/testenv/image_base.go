package testenv

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/moby/moby/client"

	"github.com/compound-docs/compound-docs/deploy"
)

const baseScript = "base.sh"

// ensureBase returns the name of the image that others are built on.
func ensureBase(ctx context.Context, docker *client.Client, logf Logf) (string, error) {
	script, err := deploy.Files.ReadFile(baseScript)
	if err != nil {
		return "", fmt.Errorf("read what images are built from: %w", err)
	}
	sum := sha256.Sum256(script)
	name := "compound-docs/debian:" + shortSum(sum[:])
	if ok, err := hasImage(ctx, docker, name); ok || err != nil {
		return name, err
	}
	logf("building the image %s from Debian's packages", name)
	if err := importBase(ctx, docker, name, string(script)); err != nil {
		// What was imported may not be whole.
		_, _ = docker.ImageRemove(context.WithoutCancel(ctx), name, client.ImageRemoveOptions{})
		return "", fmt.Errorf("make a Debian to build on: %w", err)
	}
	return name, nil
}

// importBase makes an image of the archive that a script writes.
func importBase(ctx context.Context, docker *client.Client, name, script string) error {
	messages := &tail{}
	debootstrap := exec.CommandContext(ctx, "sh", "-c", script) //nolint:gosec // ours
	debootstrap.Stderr = messages
	debootstrap.SysProcAttr = childAttributes(nil, syscall.SIGTERM) // upon which it cleans up
	debootstrap.Cancel = func() error { return syscall.Kill(-debootstrap.Process.Pid, syscall.SIGTERM) }
	archive, err := debootstrap.StdoutPipe()
	if err == nil {
		err = debootstrap.Start()
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", baseScript, err)
	}
	source := client.ImageImportSource{Source: archive, SourceName: "-"}
	imported, err := docker.ImageImport(ctx, source, name, client.ImageImportOptions{})
	if err == nil {
		err = errors.Join(readProgress(imported), imported.Close())
	}
	// The script ends when nobody reads what it writes any more.
	_ = archive.Close()
	if failure := debootstrap.Wait(); failure != nil {
		return errors.Join(fmt.Errorf("%w\n%s", failure, messages.last()), err)
	}
	return err
}
