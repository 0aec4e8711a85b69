// Command fetch puts the PostgreSQL that comes with the program into a folder:
//
//	go run ./test/postgres/fetch [-os linux] [-arch amd64] -to DIR
//	go run ./test/postgres/fetch -all -to DIR     # each system's into DIR/OS-ARCH
//
// With -optional it ends with 0 where that is not possible, and says why.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"

	"github.com/compound-docs/compound-docs/test/postgres"
)

func main() {
	system := flag.String("os", runtime.GOOS, "system, as Go names it")
	arch := flag.String("arch", runtime.GOARCH, "processor, as Go names it")
	all := flag.Bool("all", false, "fetch for all systems")
	optional := flag.Bool("optional", false, "end with 0 where it cannot be fetched")
	to := flag.String("to", "", "folder to make")
	flag.Parse()
	if *to == "" {
		fmt.Fprintln(os.Stderr, "usage: fetch [-os linux] [-arch amd64] [-all] [-optional] -to DIR")
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	fetchWanted := func() error { return fetch(ctx, *system, *arch, *to) }
	if *all {
		fetchWanted = func() error { return fetchAll(ctx, *to) }
	}
	err := fetchWanted()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "PostgreSQL is not bundled:", err)
	}
	if err != nil && !*optional {
		os.Exit(1)
	}
}

func fetch(ctx context.Context, system, arch, to string) error {
	folder, err := postgres.Fetch(ctx, system, arch)
	if err != nil {
		return err
	}
	return postgres.Copy(folder, to)
}

func fetchAll(ctx context.Context, to string) error {
	for _, system := range []string{"linux", "darwin"} {
		for _, arch := range []string{"amd64", "arm64"} {
			if err := fetch(ctx, system, arch, filepath.Join(to, system+"-"+arch)); err != nil {
				return err
			}
		}
	}
	return nil
}
