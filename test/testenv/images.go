package testenv

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/compound-docs/compound-docs/deploy"
)

// serviceImage is the image of a service: the official one, or one that image.sh
// builds from a folder of scripts/ where that cannot be pulled.
type serviceImage struct {
	official string
	folder   string
	// variant distinguishes builds of the folder, options are docker build's.
	variant string
	options []string
	// program returns the path of a file for the build. It may be nil.
	program func(context.Context, Logf) (string, error)
}

// EnvPostgres is the major version of PostgreSQL in containers, 17 unless it is set.
const EnvPostgres = "CDOCS_TEST_POSTGRES"

// composeImage returns the image with the tag that compose.yaml has unless a variable names
// another.
func composeImage(name string) string {
	return regexp.MustCompile(`:-(` + name + `:[^}]+)}`).FindStringSubmatch(deploy.Compose)[1]
}

func databaseImage() serviceImage {
	major := cmp.Or(os.Getenv(EnvPostgres), "17")
	suite := map[string]string{"17": "trixie", "18": "forky"}[major] // the Debian that has it
	return serviceImage{
		official: strings.Replace(composeImage("pgvector/pgvector"), "pg17", "pg"+major, 1), folder: "postgres", variant: major,
		options: []string{"--build-arg", "MAJOR=" + major, "--build-arg", "SUITE=" + suite},
	}
}

func ollamaImage() serviceImage {
	level, _ := instructionSet()
	return serviceImage{
		official: "ollama/ollama:" + strings.TrimPrefix(ollamaVersion, "v"), // which is known to load the stand-ins
		folder:   "ollama", variant: ollamaVersion + "-" + level,
		program: ollamaBinary,
	}
}

const (
	registryTimeout = 10 * time.Second // for an answer
	imageTimeout    = 20 * time.Minute // for pulling or building
)

// EnsureImages brings the images of both services, as users run them, to this machine's Docker
// engine, and returns their names.
func EnsureImages(ctx context.Context, logf Logf) (database, ollama string, err error) {
	docker, err := dialEngine(ctx)
	if err != nil {
		return "", "", err
	}
	defer docker.Close() //nolint:errcheck // the images are there
	database, err = databaseImage().ensure(ctx, docker, logf)
	if err != nil {
		return "", "", err
	}
	users := ollamaImage()
	users.official = composeImage("ollama/ollama")
	ollama, err = users.ensure(ctx, docker, logf)
	return database, ollama, err
}

// builtName names the image after what it is built from.
func (i serviceImage) builtName() (string, error) {
	hash := sha256.New()
	for _, root := range []string{"apt.sh", "image.sh", i.folder} {
		err := fs.WalkDir(scripts, path.Join("scripts", root), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := scripts.ReadFile(name)
			fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
			return err //nolint:wrapcheck // says all there is
		})
		if err != nil {
			return "", err
		}
	}
	const enough = 6 // bytes
	return "compound-docs/" + i.folder + ":" + i.variant + "-" + hex.EncodeToString(hash.Sum(nil)[:enough]), nil
}

// present returns the name of the image that the engine has, or "".
func (i serviceImage) present(ctx context.Context, docker *client.Client) (string, error) {
	built, err := i.builtName()
	if err != nil {
		return "", err
	}
	for _, name := range []string{i.official, built} {
		_, err := docker.ImageInspect(ctx, name)
		if err != nil && !errdefs.IsNotFound(err) {
			return "", fmt.Errorf("look for the image %s: %w", name, err)
		}
		if err != nil {
			continue
		}
		return name, nil
	}
	return "", nil
}

// ensure returns the name of an image that the engine has, after pulling or
// building it if need be.
func (i serviceImage) ensure(ctx context.Context, docker *client.Client, logf Logf) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, imageTimeout)
	defer cancel()
	var name string
	err := inCache(ctx, filepath.Join("images", i.folder), func(string) error {
		present, err := i.present(ctx, docker)
		if present != "" || err != nil {
			name = present
			return err
		}
		name, err = i.pullOrBuild(ctx, docker, logf)
		return err
	})
	return name, err
}

// pullOrBuild brings the image to the engine.
func (i serviceImage) pullOrBuild(ctx context.Context, docker *client.Client, logf Logf) (string, error) {
	if err := i.pull(ctx, docker, logf); err != nil {
		logf("%v", err)
		return i.build(ctx, logf)
	}
	return i.official, nil
}

// build builds the image.
func (i serviceImage) build(ctx context.Context, logf Logf) (string, error) {
	built, err := i.builtName()
	if err != nil {
		return "", err
	}
	var environment []string
	if i.program != nil {
		program, err := i.program(ctx, logf)
		if err != nil {
			return "", err
		}
		environment = []string{"PROGRAM=" + program}
	}
	arguments := append([]string{built, i.folder}, i.options...)
	if err := runScript(ctx, environment, "image.sh", arguments...); err != nil {
		return "", fmt.Errorf("build %s: %w", built, err)
	}
	return built, nil
}

// pull fails soon if no registry answers.
func (i serviceImage) pull(ctx context.Context, docker *client.Client, logf Logf) error {
	asking, cancel := context.WithTimeout(ctx, registryTimeout)
	defer cancel()
	if _, err := docker.DistributionInspect(asking, i.official, client.DistributionInspectOptions{}); err != nil {
		return fmt.Errorf("no registry has %s: %w", i.official, err)
	}
	logf("pulling %s", i.official)
	pulled, err := docker.ImagePull(ctx, i.official, client.ImagePullOptions{})
	if err != nil {
		return fmt.Errorf("pull %s: %w", i.official, err)
	}
	if err := pulled.Wait(ctx); err != nil {
		return fmt.Errorf("pull %s: %w", i.official, err)
	}
	return nil
}
