package testenv

import (
	"context"
	"fmt"
	"os"
	"sync"
)

// EnvRoute forces what a service runs in where none is given: "containers", which
// fails without a Docker engine, or "native".
const EnvRoute = "CDOCS_TEST_ROUTE"

// Route is what services run in that this process starts.
type Route string

// Routes to a service.
const (
	ContainersRoute Route = "containers"
	NativeRoute     Route = "native"
)

// chosen is this process's route: both services take the same.
//
//nolint:gochecknoglobals // chosen once, as services are started once
var chosen = struct {
	once  sync.Once
	route Route
	err   error
}{}

// ChooseRoute returns the route that services take which are not given: that of
// EnvRoute, else containers if a Docker engine on this machine has the images, or
// if it can pull them and there is no PostgreSQL to run natively. Pulling and
// building images take longer than native processes do, so that they are not
// worth it where those can run.
func ChooseRoute(ctx context.Context, logf Logf) (Route, error) {
	chosen.once.Do(func() { chosen.route, chosen.err = chooseRoute(ctx, os.Getenv(EnvRoute), logf) })
	return chosen.route, chosen.err
}

func chooseRoute(ctx context.Context, forced string, logf Logf) (Route, error) {
	switch Route(forced) {
	case NativeRoute:
		return NativeRoute, nil
	case ContainersRoute:
		if _, err := dialEngine(ctx); err != nil {
			return "", fmt.Errorf("%s=%s: %w", EnvRoute, forced, err)
		}
		return ContainersRoute, nil
	case "":
	default:
		return "", fmt.Errorf("%s is %q, and has to be %s or %s", EnvRoute, forced, ContainersRoute, NativeRoute)
	}
	docker, err := dialEngine(ctx)
	if err != nil {
		return NativeRoute, nil //nolint:nilerr // no engine is the usual case
	}
	missing, err := missingImages(ctx, docker)
	if err != nil {
		return "", err
	}
	if len(missing) == 0 {
		return ContainersRoute, nil
	}
	if _, err := findPostgres(ctx); err == nil {
		logf("the Docker engine lacks the image %s: native processes it is (%s=%s brings the images)",
			missing[0].official, EnvRoute, ContainersRoute)
		return NativeRoute, nil
	}
	for _, image := range missing {
		if err := image.inRegistry(ctx, docker); err != nil {
			logf("the Docker engine cannot pull %s: native processes it is", image.official)
			return NativeRoute, nil //nolint:nilerr // the reason is the network's
		}
	}
	return ContainersRoute, nil
}
