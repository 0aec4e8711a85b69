// Command with runs a command with a real PostgreSQL and a real Ollama at hand.
//
//	go run ./internal/testenv/with [-database] [-ollama] -- command [argument ...]
//
// Without a flag it provides both. The command finds them in its environment:
// CDOCS_TEST_DATABASE_URL (of a role that may create databases),
// CDOCS_TEST_OLLAMA_HOST, and CDOCS_TEST_OLLAMA_MODELS, which is "tiny" for
// stand-ins and "real" otherwise. Services that these variables already name are
// used as they are; others are stopped when the command ends. SIGINT and SIGTERM
// are passed on. The exit status is the command's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/testenv"
)

func main() {
	database := flag.Bool("database", false, "provide PostgreSQL with pgvector")
	ollama := flag.Bool("ollama", false, "provide Ollama")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: with [-database] [-ollama] -- command [argument ...]")
		os.Exit(2)
	}
	if !*database && !*ollama {
		*database, *ollama = true, true
	}
	code, err := run(*database, *ollama, flag.Args())
	if err != nil {
		logf("%v", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "with: "+format+"\n", args...)
}

// run starts the services, runs the command and stops the services. It returns
// the command's exit status, and an error of its own.
func run(database, ollama bool, command []string) (code int, err error) {
	// Signals that come while services start end that; later ones are the
	// command's.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	starting, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()

	environment := os.Environ()
	if database {
		server, failure := testenv.OpenDatabase(starting, logf)
		if failure != nil {
			return 1, fmt.Errorf("start PostgreSQL: %w", failure)
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		logf("%v", server)
		environment = append(environment, testenv.EnvDatabaseURL+"="+server.URL)
	}
	if ollama {
		server, failure := testenv.OpenOllama(starting, logf)
		if failure != nil {
			return 1, fmt.Errorf("start Ollama: %w", failure)
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		logf("%v", server)
		environment = append(environment,
			testenv.EnvOllamaHost+"="+server.Host,
			testenv.EnvOllamaModels+"="+string(server.Models))
	}
	if starting.Err() != nil {
		return 1, fmt.Errorf("interrupted: %w", starting.Err())
	}
	cancel()
	return runCommand(command, environment, signals)
}

// runCommand runs the command with the signals passed on to it.
func runCommand(command, environment []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // what the caller asks for
	cmd.Env = environment
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("start the command: %w", err)
	}
	ended := make(chan struct{})
	forwarded := make(chan struct{})
	go func() {
		defer close(forwarded)
		for {
			select {
			case s := <-signals:
				if err := cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
					logf("pass on %v: %v", s, err)
				}
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-forwarded

	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		return 0, err //nolint:wrapcheck // nil, or about pipes
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		const signalled = 128 // as shells have it
		return signalled + int(status.Signal()), nil
	}
	return failed.ExitCode(), nil
}
