package testenv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// serviceImage is the image of a service: the official one, or one built from a
// folder of deploy/ where that cannot be pulled.
type serviceImage struct {
	official string
	folder   string
	// variant distinguishes builds of the folder, arguments are what they take.
	variant   string
	arguments map[string]string
	// program returns the path of a file for the build, named as the folder is; nil
	// if there is none.
	program func(context.Context, Logf) (string, error)
}

// EnvPostgres is the major version of PostgreSQL in containers, 17 unless it is set.
const EnvPostgres = "CDOCS_TEST_POSTGRES"

// debianOf tells which Debian has a major version of PostgreSQL.
func debianOf() map[string]string { return map[string]string{"17": "trixie", "18": "forky"} }

func postgresMajor() string { return cmp.Or(os.Getenv(EnvPostgres), "17") }

func databaseImage() serviceImage {
	major := postgresMajor()
	return serviceImage{
		official: "pgvector/pgvector:pg" + major, folder: "postgres", variant: major,
		arguments: map[string]string{"MAJOR": major, "SUITE": debianOf()[major]},
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

// missingImages returns those of the services of which the engine has neither kind.
func missingImages(ctx context.Context, docker *client.Client) ([]serviceImage, error) {
	var missing []serviceImage
	for _, image := range []serviceImage{databaseImage(), ollamaImage()} {
		name, err := image.present(ctx, docker)
		if err != nil {
			return nil, err
		}
		if name == "" {
			missing = append(missing, image)
		}
	}
	return missing, nil
}

// EnsureImages brings images of both services to this machine's Docker engine, the
// ones that users are to run, and returns their names.
func EnsureImages(ctx context.Context, logf Logf) (database, ollama string, err error) {
	docker, err := dialEngine(ctx)
	if err != nil {
		return "", "", err
	}
	newest := ollamaImage()
	newest.official = "ollama/ollama"
	if database, err = databaseImage().ensure(ctx, docker, logf); err == nil {
		ollama, err = newest.ensure(ctx, docker, logf)
	}
	return database, ollama, errors.Join(err, docker.Close())
}

// present returns the name of the image that the engine has, or "".
func (i serviceImage) present(ctx context.Context, docker *client.Client) (string, error) {
	built, err := i.builtName()
	if err != nil {
		return "", err
	}
	for _, name := range []string{i.official, built} {
		if ok, err := hasImage(ctx, docker, name); ok || err != nil {
			return name, err
		}
	}
	return "", nil
}

func hasImage(ctx context.Context, docker *client.Client, name string) (bool, error) {
	_, err := docker.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the image %s: %w", name, err)
	}
	return true, nil
}

// ensure returns the name of an image that the engine has, after pulling or
// building it if need be.
func (i serviceImage) ensure(ctx context.Context, docker *client.Client, logf Logf) (string, error) {
	if name, err := i.present(ctx, docker); name != "" || err != nil {
		return name, err
	}
	ctx, cancel := context.WithTimeout(ctx, imageTimeout)
	defer cancel()
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", fmt.Errorf("create a folder for the cache: %w", err)
	}
	lock, err := lockFile(ctx, filepath.Join(folder, "images.lock"))
	if err != nil {
		return "", err
	}
	name, err := i.pullOrBuild(ctx, docker, logf)
	return name, errors.Join(err, lock.unlock())
}

// pullOrBuild brings the image to the engine unless another process just has. The
// caller holds the lock on images.
func (i serviceImage) pullOrBuild(ctx context.Context, docker *client.Client, logf Logf) (string, error) {
	if name, err := i.present(ctx, docker); name != "" || err != nil {
		return name, err
	}
	pullErr := i.pull(ctx, docker, logf)
	if pullErr == nil {
		return i.official, nil
	}
	logf("%v", pullErr)
	built, err := i.builtName()
	if err != nil {
		return "", err
	}
	if err := i.build(ctx, docker, built, logf); err != nil {
		return "", errors.Join(pullErr, fmt.Errorf("build %s: %w", built, err))
	}
	return built, nil
}

// inRegistry tells, by its error, whether the official image can be pulled.
func (i serviceImage) inRegistry(ctx context.Context, docker *client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, registryTimeout)
	defer cancel()
	if _, err := docker.DistributionInspect(ctx, i.official, client.DistributionInspectOptions{}); err != nil {
		return fmt.Errorf("no registry has %s: %w", i.official, err)
	}
	return nil
}

func (i serviceImage) pull(ctx context.Context, docker *client.Client, logf Logf) error {
	if err := i.inRegistry(ctx, docker); err != nil {
		return err
	}
	logf("pulling %s", i.official)
	pulled, err := docker.ImagePull(ctx, i.official, client.ImagePullOptions{})
	if err == nil {
		err = pulled.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("pull %s: %w", i.official, err)
	}
	return nil
}
