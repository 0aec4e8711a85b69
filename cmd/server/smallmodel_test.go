package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/test/tinymodel"
)

// A model of 384 dimensions, in a real Ollama: its vectors are stored with zeros behind
// them, and found by meaning.
func TestSearch_WithAModelOfFewerDimensions(t *testing.T) {
	t.Parallel()
	r, url := newTranscript(t), testenv.IndexURL(t)
	for _, folder := range []string{"csharp-compounding-docs/codebase", "csharp-compounding-docs/styles"} {
		if err := os.RemoveAll(filepath.Join(r.root, folder)); err != nil {
			t.Fatal(err)
		}
	}
	r.environment = append(r.environment, "CDOCS_DATABASE_URL="+url)
	model := testenv.AddModel(t, "all-minilm", tinymodel.WriteSmallEmbedder)
	settings, err := json.Marshal(map[string]string{"embedding_model": model})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.home, "settings.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := run(t, r.root, r.environment, "sync"); o.code != 0 {
		t.Fatalf("sync: %s%s", o.stdout, o.stderr)
	}

	o := run(t, r.root, r.environment, "search", "--own", "--mode", "vector", "--min-relevance-score", "0", "--limit", "1", "--json", "database connection pool exhausted")
	var found struct {
		Results []struct {
			Path string `json:"path"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &found); err != nil || len(found.Results) != 1 {
		t.Fatalf("search: %v: %s%s", err, o.stdout, o.stderr)
	}
	if want := "./csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"; found.Results[0].Path != want {
		t.Errorf("found %s, want %s", found.Results[0].Path, want)
	}

	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	type stored struct {
		Name       string
		Dimensions int
		Rest       float64 // the length of what is behind the model's components
		Usable     bool    // it puts the own answer first for two thirds of the questions
	}
	var got stored
	err = connection.QueryRow(t.Context(), `
		SELECT m.name, min(vector_dims(e.embedding::vector)), max(vector_norm(subvector(e.embedding::vector, 385, 640))), m.own_first >= 2.0/3
		FROM embeddings e JOIN embedding_models m ON m.id = e.model_id GROUP BY 1, 4`).
		Scan(&got.Name, &got.Dimensions, &got.Rest, &got.Usable)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stored{Name: model, Dimensions: 1024, Usable: true}, got); diff != "" {
		t.Errorf("stored vectors (-want +got):\n%s", diff)
	}
}
