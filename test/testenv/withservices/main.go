// Command withservices runs a command with a real PostgreSQL and a real Ollama at hand.
//
//	go run ./test/testenv/withservices [-database] [-large] [-ollama] [-program] [-memory] -- command [argument ...]
//	go run ./test/testenv/withservices -images -- command [argument ...]
//
// Without a flag it provides both. With -images it provides no services. It makes sure that the
// Docker engine has their images, pulled or built, and names them in CDOCS_POSTGRES_IMAGE and
// CDOCS_OLLAMA_IMAGE unless those are set. The command finds services in its environment:
// CDOCS_TEST_DATABASE_URL (of a role that may create databases), CDOCS_TEST_OLLAMA_HOST,
// CDOCS_TEST_OLLAMA_MODELS ("tiny" for stand-ins, otherwise "real"), CDOCS_TEST_ROUTE (how services
// were started), CDOCS_POSTGRES (the programs of a private cluster), and CDOCS_TEST_SERVICES (all of that
// in words). With -program, CDOCS_TEST_PROGRAM names
// the built program. With -memory, TMPDIR names a folder in memory, if memory has room and TMPDIR is not
// set yet.
//
// Services that these variables already name are used as they are; others are stopped when the
// command ends. What native services need is downloaded or installed first. The command has no stdin.
// SIGINT and SIGTERM are passed on to it and to all its children. The exit status is the command's.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

func main() {
	var wanted services
	flag.BoolVar(&wanted.database, "database", false, "provide PostgreSQL with pgvector")
	flag.BoolVar(&wanted.ollama, "ollama", false, "provide Ollama")
	flag.BoolVar(&wanted.images, "images", false, "provide the images of both, and no services")
	flag.BoolVar(&wanted.program, "program", false, "build the program, once for all tests")
	flag.BoolVar(&wanted.memory, "memory", false, "keep the command's temporary files in memory")
	large := flag.Bool("large", false, "let PostgreSQL hold as much as a benchmark needs")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: withservices [-database] [-ollama] -- command [argument ...]")
		os.Exit(2)
	}
	if !wanted.database && !wanted.ollama {
		wanted.database, wanted.ollama = true, true
	}
	if *large {
		wanted.size = testenv.Large
	}
	code, err := run(&wanted, flag.Args())
	if err != nil {
		logf("%v", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "withservices: "+format+"\n", args...)
}

// run provides the services, runs the command, and stops the services it started. It returns the
// command's exit status, and its own error.
func run(wanted *services, command []string) (code int, err error) {
	// Signals that come while services start end that; later ones are the
	// command's.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	starting, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()

	defer func() {
		for _, stop := range wanted.started {
			err = errors.Join(err, stop())
		}
	}()
	environment := wanted.start
	if wanted.images {
		environment = imageNames
	}
	added, err := environment(starting)
	if err := cmp.Or(err, context.Cause(starting)); err != nil {
		return 1, err
	}
	cancel()
	return runCommand(command, append(os.Environ(), added...), signals)
}

// imageNames brings the images to this machine's Docker engine, and returns what
// names them.
func imageNames(ctx context.Context) (environment []string, err error) {
	database, ollama, err := testenv.EnsureImages(ctx, logf)
	for name, image := range map[string]string{"CDOCS_POSTGRES_IMAGE": database, "CDOCS_OLLAMA_IMAGE": ollama} {
		if os.Getenv(name) == "" {
			environment = append(environment, name+"="+image)
		}
	}
	return environment, err
}

// services are those that a command needs.
type services struct {
	database, ollama, images, program, memory bool
	size                                      testenv.Size // of the database

	started []func() error // stop the running services
}

// start starts the services, and returns what names them.
func (s *services) start(ctx context.Context) (environment []string, err error) {
	route, err := testenv.ChooseRoute(ctx)
	if err != nil {
		return nil, err
	}
	environment = []string{testenv.EnvRoute + "=" + string(route)}
	if route == testenv.NativeRoute {
		if err := testenv.Install(ctx, s.database, s.ollama); err != nil {
			return nil, err
		}
	}
	var described []string
	if s.database {
		server, err := testenv.OpenDatabase(ctx, s.size, logf)
		if err != nil {
			return nil, fmt.Errorf("start PostgreSQL: %w", err)
		}
		s.started, described = append(s.started, server.Stop), append(described, server.String())
		environment = append(environment, testenv.EnvDatabaseURL+"="+server.URL)
		if server.Programs != "" {
			environment = append(environment, testenv.EnvPrograms+"="+server.Programs)
		}
	}
	if s.ollama {
		server, err := testenv.OpenOllama(ctx, logf)
		if err != nil {
			return nil, fmt.Errorf("start Ollama: %w", err)
		}
		s.started, described = append(s.started, server.Stop), append(described, server.String())
		environment = append(environment,
			testenv.EnvOllamaHost+"="+server.Host,
			testenv.EnvOllamaModels+"="+string(server.Models))
	}
	if s.program {
		path, remove, err := testenv.BuildProgram(ctx, logf)
		if err != nil {
			return nil, err
		}
		s.started, environment = append(s.started, remove), append(environment, testenv.EnvProgram+"="+path)
	}
	if s.memory && os.Getenv("TMPDIR") == "" {
		folder, remove := testenv.MemoryFolder()
		s.started = append(s.started, remove)
		if folder != "" {
			environment = append(environment, "TMPDIR="+folder)
		}
	}
	for _, line := range described {
		logf("%s", line)
	}
	return append(environment, testenv.EnvServices+"="+strings.Join(described, ", ")), nil
}

// endTimeout is for what the command has started to end after a signal.
const endTimeout = time.Minute

// runCommand runs the command, without stdin, in a new process group. Signals are passed on to the
// whole group, which has ended when runCommand returns: the go command, for one, does not wait for
// the tests that it runs.
func runCommand(command, environment []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the caller chooses the command
	cmd.Env = environment
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("start the command: %w", err)
	}
	group := -cmd.Process.Pid
	var signalled atomic.Bool
	go func() { // until this process ends
		for s := range signals {
			signalled.Store(true)
			number, _ := s.(syscall.Signal) // as all on Unix are
			if err := syscall.Kill(group, number); err != nil && !errors.Is(err, syscall.ESRCH) {
				logf("pass on %v: %v", s, err)
			}
		}
	}()
	err := cmd.Wait()
	if signalled.Load() {
		waitForGroup(group)
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return 1, fmt.Errorf("wait for the command: %w", err)
	case status.Signaled():
		const signalled = 128 // as shells have it
		return signalled + int(status.Signal()), nil
	default:
		return status.ExitStatus(), nil
	}
}

// waitForGroup waits until no process of a group is left, and kills the rest after a minute.
func waitForGroup(group int) {
	const often = 50 * time.Millisecond
	for deadline := time.Now().Add(endTimeout); syscall.Kill(group, 0) == nil; time.Sleep(often) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(group, syscall.SIGKILL)
			return
		}
	}
}
