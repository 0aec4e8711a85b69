package main

import (
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// settings.json may name each API that has a provider. Each has its own client.
func TestSetup_KnowsTheModelAPIsOfTheSchema(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../internal/project/settings.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Properties map[string]struct {
				Enum []string `json:"enum"`
			} `json:"properties"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	s := &setup{logger: slog.New(slog.DiscardHandler)}
	for _, host := range []string{"embedding_host", "generation_host"} {
		apis := schema.Properties[host].Properties["api"].Enum
		if diff := cmp.Diff(slices.Sorted(maps.Keys(providers)), apis); diff != "" {
			t.Errorf("the APIs of %s (-providers +schema):\n%s", host, diff)
		}
		kinds := map[string]bool{}
		for _, api := range apis {
			client, err := s.newModelClient(project.ModelHost{API: api, URL: "http://localhost:1"})
			if err != nil {
				t.Errorf("%s: the schema knows %s: %v", host, api, err)
				continue
			}
			kinds[client.State(t.Context()).Err.Error()] = true
			client.Close()
		}
		if len(apis) < 2 || len(kinds) != len(apis) {
			t.Errorf("%s: the APIs %q have %d kinds of clients, want one each", host, apis, len(kinds))
		}
	}
}

func TestHomeFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CDOCS_HOME", "")
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(variable, home)
	}
	got, err := homeFolder()
	if want := filepath.Join(home, ".claude", ".csharp-compounding-docs"); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(variable, "")
	}
	if _, err := homeFolder(); err == nil || !strings.Contains(err.Error(), "set CDOCS_HOME") {
		t.Errorf("got error %v, want one that says what to set", err)
	}
}

// A folder is meant with all its files, with or without a slash at its end.
func TestPlaceIn_Folder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder := filepath.Join(root, "web")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, argument := range []string{folder, folder + "/"} {
		if got, err := placeIn(root, argument); err != nil || got.Path != "web/" {
			t.Errorf("%s is %q, %v; want web/", argument, got.Path, err)
		}
	}
}
