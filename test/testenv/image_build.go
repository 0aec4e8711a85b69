package testenv

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/moby/moby/client"

	"github.com/compound-docs/compound-docs/deploy"
)

// builtName names the image after what it is built from.
func (i serviceImage) builtName() (string, error) {
	hash := sha256.New()
	for _, root := range []string{baseScript, i.folder} {
		err := fs.WalkDir(deploy.Files, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := deploy.Files.ReadFile(name)
			fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
			return err //nolint:wrapcheck // the caller does
		})
		if err != nil {
			return "", fmt.Errorf("read what images are built from: %w", err)
		}
	}
	return "compound-docs/" + i.folder + ":" + i.variant + "-" + shortSum(hash.Sum(nil)), nil
}

func shortSum(sum []byte) string {
	const enough = 6 // bytes
	return hex.EncodeToString(sum[:enough])
}

// build builds the image on top of the base.
func (i serviceImage) build(ctx context.Context, docker *client.Client, name string, logf Logf) error {
	base, err := ensureBase(ctx, docker, logf)
	if err != nil {
		return err
	}
	program := ""
	if i.program != nil {
		if program, err = i.program(ctx, logf); err != nil {
			return err
		}
	}
	arguments := map[string]*string{"BASE": &base}
	for name, value := range i.arguments {
		if value == "" {
			return fmt.Errorf("no Debian is known to have version %s", i.variant)
		}
		arguments[name] = &value
	}
	logf("building the image %s", name)
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(i.writeContext(writer, program)) }()
	built, err := docker.ImageBuild(ctx, reader, client.ImageBuildOptions{
		Tags:        []string{name},
		BuildArgs:   arguments,
		NetworkMode: "host", // a bridge has no way out on some machines
		Remove:      true, ForceRemove: true,
	})
	if err != nil {
		return errors.Join(err, reader.Close())
	}
	return errors.Join(readProgress(built.Body), built.Body.Close(), reader.Close())
}

// writeContext writes the archive of a folder's files, and of a program with its
// name.
func (i serviceImage) writeContext(w io.Writer, program string) error {
	archive := tar.NewWriter(w)
	entries, err := deploy.Files.ReadDir(i.folder)
	if err != nil {
		return fmt.Errorf("read what images are built from: %w", err)
	}
	files := map[string]func() (fs.File, error){}
	for _, entry := range entries {
		files[entry.Name()] = func() (fs.File, error) { return deploy.Files.Open(path.Join(i.folder, entry.Name())) }
	}
	if program != "" {
		files[i.folder] = func() (fs.File, error) { return os.Open(program) }
	}
	for name, open := range files {
		if err := addFile(archive, name, open); err != nil {
			return fmt.Errorf("archive %s: %w", name, err)
		}
	}
	return archive.Close() //nolint:wrapcheck // says all there is
}

func addFile(archive *tar.Writer, name string, open func() (fs.File, error)) (err error) {
	file, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: 0o755}); err != nil {
		return err //nolint:wrapcheck // the caller does
	}
	_, err = io.Copy(archive, file)
	return err
}

// readProgress reads what the engine reports until it has finished, and returns
// the error that it reports, with what came before.
func readProgress(r io.Reader) error {
	said := &tail{}
	for messages := json.NewDecoder(r); ; {
		var message struct {
			Stream string `json:"stream"`
			Error  string `json:"error"`
		}
		err := messages.Decode(&message)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the engine's progress: %w", err)
		}
		if message.Error != "" {
			return fmt.Errorf("%s\n%s", message.Error, said.last())
		}
		_, _ = said.Write([]byte(message.Stream))
	}
}
