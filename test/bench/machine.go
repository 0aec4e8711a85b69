package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// fact is a line of what the figures were measured on, the same for all rows.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const unknown = "unknown"

// facts asks the machine and its services. A fact that nobody tells is "unknown".
func (e *environment) facts(ctx context.Context) []fact {
	conn := get(pgx.Connect(ctx, e.databaseURL))
	var settings string
	check(conn.QueryRow(ctx, `
		SELECT string_agg(name || '=' || current_setting(name), ', ' ORDER BY place)
		FROM unnest('{shared_buffers,fsync,full_page_writes,synchronous_commit,work_mem,max_wal_size,
			effective_cache_size}'::text[]) WITH ORDINALITY AS setting (name, place)`).Scan(&settings))
	check(conn.Close(ctx))
	return []fact{
		{"Processor", field("/proc/cpuinfo", "model name")},
		{"Cores", strconv.Itoa(runtime.NumCPU())},
		{"Memory", memory()},
		{"Go", runtime.Version()},
		{"Services", os.Getenv(testenv.EnvServices)},
		{"PostgreSQL's settings", settings},
	}
}

// memory is rounded: two machines of a kind differ by some kilobytes.
func memory() string {
	all, err := mebibytes("/proc/meminfo", "MemTotal")
	if err != nil {
		return unknown
	}
	return fmt.Sprintf("%.1f GiB", all/(1<<10))
}

// mebibytes returns the memory that a file of Linux has under a name.
func mebibytes(file, name string) (float64, error) {
	kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(field(file, name), " kB"), 64)
	return kibibytes / (1 << 10), err
}

// field returns the value of the first "name: value" line of a file.
func field(file, name string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}
