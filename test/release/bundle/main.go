// Command bundle packs the program of one system for npm and as an MCPB bundle, which
// GoReleaser does not. It runs after each build of a release and writes into a folder
//
//	compound-docs-VERSION.tgz              the npm package that people name, the same after each build
//	compound-docs-SYSTEM-CPU-VERSION.tgz   the npm package with the program, which npm chooses by itself
//	compound-docs_VERSION_OS_ARCH.mcpb     the bundle
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/test/postgres"
)

// nodeName has the names of Node.js for those of Go that differ.
var nodeName = map[string]string{"windows": "win32", "amd64": "x64"}

// packages are those of the programs, by system and processor of Go.
var packages = []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"}

func inNode(name string) string {
	for from, to := range nodeName {
		name = strings.ReplaceAll(name, from, to)
	}
	return name
}

// build is one program of a release.
type build struct {
	version, system, arch, program, folder string

	postgresql       []string // files of the PostgreSQL for the system, below postgresqlFolder
	postgresqlFolder string
}

func main() {
	var b build
	flag.StringVar(&b.version, "version", "", "version, without v")
	flag.StringVar(&b.system, "os", "", "system, as Go names it")
	flag.StringVar(&b.arch, "arch", "", "processor, as Go names it")
	flag.StringVar(&b.program, "program", "", "the program")
	flag.StringVar(&b.folder, "to", "dist/packages", "folder to write to")
	flag.Parse()
	if err := b.pack(); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// pack writes all packages.
func (b *build) pack() error {
	if err := errors.Join(os.MkdirAll(b.folder, 0o750), b.fetchPostgreSQL()); err != nil {
		return err
	}
	return errors.Join(b.wrapper(), b.platform(), b.mcpb())
}

// fetchPostgreSQL fetches what stands beside the program. For Windows there is none.
func (b *build) fetchPostgreSQL() error {
	folder, err := postgres.Fetch(context.Background(), b.system, b.arch)
	if errors.Is(err, postgres.ErrNotBuilt) {
		return nil
	}
	if err != nil {
		return err
	}
	b.postgresqlFolder = folder
	return fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		b.postgresql = append(b.postgresql, path)
		return nil
	})
}

// withProgram adds the program and its PostgreSQL in a folder to the files of a package.
func (b *build) withProgram(folder string, files map[string]string) map[string]string {
	files[folder+"/"+b.file()] = b.program
	for _, path := range b.postgresql {
		files[folder+"/postgresql/"+path] = filepath.Join(b.postgresqlFolder, path)
	}
	return files
}

// file is the name of the program in packages.
func (b *build) file() string { return filepath.Base(b.program) }

// wrapper writes the package that people name. It depends on the packages of all programs, and npm
// installs the one that fits.
func (b *build) wrapper() error {
	programs := map[string]string{}
	for _, name := range packages {
		programs["@compound-docs/"+inNode(name)] = b.version
	}
	return b.npm("compound-docs", map[string]any{
		"bin": map[string]string{"compound-docs": "bin/compound-docs.js"}, "optionalDependencies": programs,
	}, map[string]string{"bin/compound-docs.js": "deploy/npm/compound-docs.js", "README.md": "README.md", "LICENSE": "LICENSE"})
}

// platform writes the package with the program.
func (b *build) platform() error {
	name := inNode(b.system + "-" + b.arch)
	return b.npm("@compound-docs/"+name, map[string]any{
		"description": "The program of compound-docs for " + name, "preferUnplugged": true,
		"os": []string{inNode(b.system)}, "cpu": []string{inNode(b.arch)},
	}, b.withProgram("bin", map[string]string{"LICENSE": "LICENSE"}))
}

// npm writes a package, as npm pack does.
func (b *build) npm(name string, fields map[string]any, files map[string]string) error {
	inside, err := b.contents("package/", "deploy/npm/package.json", files, func(manifest map[string]any) {
		maps.Copy(manifest, fields)
		manifest["name"] = name
	})
	if err != nil {
		return err
	}
	file := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + b.version + ".tgz"
	return b.write(file, func(to io.Writer) error {
		zipped := gzip.NewWriter(to)
		archive := tar.NewWriter(zipped)
		for _, path := range slices.Sorted(maps.Keys(inside)) {
			text := inside[path]
			header := &tar.Header{Name: path, Mode: int64(mode(path)), Size: int64(len(text)), ModTime: time.Unix(0, 0)}
			if err := archive.WriteHeader(header); err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
			if _, err := archive.Write(text); err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
		}
		return errors.Join(archive.Close(), zipped.Close())
	})
}

// mcpb writes the bundle. Its manifest cannot tell processors apart, so each has its own.
func (b *build) mcpb() error {
	program := "server/" + b.file()
	files := b.withProgram("server", map[string]string{"LICENSE": "LICENSE", "icon.png": "deploy/mcpb/icon.png"})
	inside, err := b.contents("", "deploy/mcpb/manifest.json", files, func(manifest map[string]any) {
		server, _ := manifest["server"].(map[string]any)
		config, _ := server["mcp_config"].(map[string]any)
		server["entry_point"], config["command"] = program, "${__dirname}/"+program
		manifest["compatibility"] = map[string]any{"platforms": []string{inNode(b.system)}}
	})
	if err != nil {
		return err
	}
	return b.write(fmt.Sprintf("compound-docs_%s_%s_%s.mcpb", b.version, b.system, b.arch), func(to io.Writer) error {
		archive := zip.NewWriter(to)
		for _, path := range slices.Sorted(maps.Keys(inside)) {
			header := &zip.FileHeader{Name: path, Method: zip.Deflate}
			header.SetMode(mode(path))
			part, err := archive.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := part.Write(inside[path]); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// mode is that of a file in a package. Programs are in folders bin and server.
func mode(path string) os.FileMode {
	if above := filepath.Base(filepath.Dir(path)); above == "bin" || above == "server" {
		return 0o755
	}
	return 0o644
}

// contents reads files by their paths in a package, and a manifest, which change completes. All are below
// folder.
func (b *build) contents(
	folder, manifest string, files map[string]string, change func(map[string]any),
) (inside map[string][]byte, err error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	fields["version"] = b.version
	change(fields)
	text, err = json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	inside = map[string][]byte{folder + filepath.Base(manifest): text}
	for path, file := range files {
		inside[folder+path], err = os.ReadFile(file)
		if err != nil {
			return nil, err
		}
	}
	return inside, nil
}

// write writes a file whole: builds run side by side, and each writes the wrapper.
func (b *build) write(name string, fill func(io.Writer) error) error {
	file, err := os.CreateTemp(b.folder, ".new-")
	if err != nil {
		return err
	}
	if err := errors.Join(fill(file), file.Chmod(0o644), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), filepath.Join(b.folder, name))
}
