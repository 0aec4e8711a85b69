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
	err := os.MkdirAll(b.folder, 0o750)
	for _, pack := range []func() error{b.fetchPostgreSQL, b.wrapper, b.platform, b.mcpb} {
		if err == nil {
			err = pack()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
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
		if err == nil && entry.Type().IsRegular() {
			b.postgresql = append(b.postgresql, path)
		}
		return err
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

// content is what a package has, by path. A program's path is below a folder bin or server.
type content map[string][]byte

func (c content) mode(name string) os.FileMode {
	if folder := filepath.Base(filepath.Dir(name)); folder == "bin" || folder == "server" {
		return 0o755
	}
	return 0o644
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
	inside, err := b.contents("deploy/npm/package.json", "package.json", files, func(manifest map[string]any) {
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
			header := &tar.Header{
				Name: "package/" + path, Mode: int64(inside.mode(path)), Size: int64(len(inside[path])), ModTime: time.Unix(0, 0),
			}
			err := archive.WriteHeader(header)
			if err == nil {
				_, err = archive.Write(inside[path])
			}
			if err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
		}
		return errors.Join(archive.Close(), zipped.Close())
	})
}

// mcpb writes the bundle. Its manifest cannot tell processors apart, so each has its own.
func (b *build) mcpb() error {
	program := "server/" + b.file()
	inside, err := b.contents("deploy/mcpb/manifest.json", "manifest.json",
		b.withProgram("server", map[string]string{"LICENSE": "LICENSE"}), func(manifest map[string]any) {
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
			header.SetMode(inside.mode(path))
			part, err := archive.CreateHeader(header)
			if err == nil {
				_, err = part.Write(inside[path])
			}
			if err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// contents reads files by their paths in a package, and a manifest, which change completes.
func (b *build) contents(template, manifest string, files map[string]string, change func(map[string]any)) (content, error) {
	inside := content{}
	for path, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		inside[path] = text
	}
	text, err := os.ReadFile(template)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("%s: %w", template, err)
	}
	fields["version"] = b.version
	change(fields)
	if inside[manifest], err = json.MarshalIndent(fields, "", "  "); err != nil {
		return nil, fmt.Errorf("%s: %w", template, err)
	}
	return inside, nil
}

// write writes a file whole: builds run side by side, and each writes the wrapper.
func (b *build) write(name string, fill func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(b.folder, ".new-")
	if err != nil {
		return err
	}
	err = errors.Join(fill(file), file.Chmod(0o644), file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), filepath.Join(b.folder, name))
}
