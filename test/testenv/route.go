package testenv

import (
	"context"
	"fmt"
	"os"
)

// EnvRoute forces what a service runs in where none is given: "containers", which
// fails without a Docker engine, or "native".
const EnvRoute = "CDOCS_TEST_ROUTE"

// Route is the way in which this process starts services.
type Route string

// Routes to a service.
const (
	ContainersRoute Route = "containers"
	NativeRoute     Route = "native"
)

// ChooseRoute returns the route for services that are not given: the one in EnvRoute; else native
// processes if there is a PostgreSQL for them; else containers if a Docker engine answers; else
// native processes after Install.
func ChooseRoute(ctx context.Context) (Route, error) {
	forced := Route(os.Getenv(EnvRoute))
	switch forced {
	case NativeRoute:
		return NativeRoute, nil
	case ContainersRoute:
	case "":
		if hasPostgres(ctx) {
			return NativeRoute, nil
		}
	default:
		return "", fmt.Errorf("%s is %q, and has to be %s or %s", EnvRoute, forced, ContainersRoute, NativeRoute)
	}
	docker, err := dialEngine(ctx)
	if err != nil && forced == "" {
		return NativeRoute, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s=%s: %w", EnvRoute, forced, err)
	}
	return ContainersRoute, docker.Close() //nolint:wrapcheck // says all there is
}

// hasPostgres reports whether there is a PostgreSQL for native processes.
func hasPostgres(ctx context.Context) bool {
	_, err := findPostgres(ctx)
	return err == nil
}
