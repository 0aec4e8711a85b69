package tinymodel_test

import (
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/test/tinymodel"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// ollama returns a client of a real Ollama that has the stand-ins.
func ollama(t *testing.T) *api.Client {
	t.Helper()
	host, err := url.Parse(testenv.OllamaHost(t))
	if err != nil {
		t.Fatal(err)
	}
	if testenv.OllamaModels(t) != testenv.TinyModels {
		t.Skip("this Ollama has the real models")
	}
	return api.NewClient(host, http.DefaultClient)
}

func embed(t *testing.T, client *api.Client, texts ...string) [][]float32 {
	t.Helper()
	truncate := false
	answer, err := client.Embed(t.Context(), &api.EmbedRequest{Model: "mxbai-embed-large", Input: texts, Truncate: &truncate})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Embeddings) != len(texts) {
		t.Fatalf("got %d embeddings for %d texts", len(answer.Embeddings), len(texts))
	}
	return answer.Embeddings
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// related holds pairs of sentences about the same thing. The scores in the
// comment on WriteEmbedder are theirs.
var related = [][2]string{ //nolint:gochecknoglobals // a table
	{"The connection pool is exhausted when requests time out", "How to fix database connection pool exhaustion"},
	{"Retry failed requests with exponential backoff and jitter", "We add jitter to the backoff of retried HTTP requests"},
	{"The cache returned stale data after an update", "Invalidate the cache when data is updated, else stale values are returned"},
	{"Migrations must not lock the orders table", "An index migration locked the table of orders for minutes"},
	{"Plants make sugar from sunlight by photosynthesis", "Photosynthesis turns sunlight into sugar in the leaf of a plant"},
	{"Employees get twenty vacation days a year", "How many days of vacation does an employee have?"},
	{"A goroutine leak in the file watcher", "The watcher leaked goroutines for every file"},
	{"Name handlers after the event that they handle", "naming convention for event handlers"},
	{"Deadlock between two transactions that update rows in a different order", "transaction deadlock from update order"},
	{"flurbish", "flurbish quickly"}, // words that it does not know
	{"gronkify", "gronkify slowly"},
	{"Use a monotonic clock to measure durations", "durations were measured with the wall clock instead of the monotonic clock"},
}

func TestEmbedder_RelatedAndUnrelated(t *testing.T) {
	t.Parallel()
	client := ollama(t)
	var left, right []string
	for _, pair := range related {
		left, right = append(left, pair[0]), append(right, pair[1])
	}
	a, b := embed(t, client, left...), embed(t, client, right...)
	sum, worst, closest := 0.0, 1.0, 0.0
	for i := range a {
		for j := range b {
			switch score := dot(a[i], b[j]); {
			case i == j:
				sum, worst = sum+score, min(worst, score)
			default:
				closest = max(closest, score)
			}
		}
	}
	t.Logf("related: %.2f on average, %.2f at worst; unrelated: %.2f at most", sum/float64(len(a)), worst, closest)
	if worst < 0.5 || closest > 0.3 {
		t.Errorf("the least related pair scores %.2f, want at least 0.5; the closest unrelated one %.2f, want at most 0.3", worst, closest)
	}
}

func TestEmbedder_AnyText(t *testing.T) {
	t.Parallel()
	client := ollama(t)
	tests := []struct{ name, text string }{
		{"one letter", "a"},
		{"stop words", "the of and to"},
		{"punctuation", "!!! --- ###"},
		{"made-up words", "Zxqwvly flurbish-gronk_9000"},
		{"accents", "Zürich, façade, Ærø"},
		{"Cyrillic", "привет, мир"},
		{"Chinese and Japanese", "数据库连接池 日本語のテキスト"},
		{"emoji", "😀 🎉"},
		{"code", "if err := db.QueryRow(ctx, `SELECT 1`).Scan(&n); err != nil {"},
		{"invalid UTF-8", "caf\xe9"},
		{"400 words", strings.Repeat("The connection pool of the database was exhausted. ", 50)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			vector := embed(t, client, test.text)[0]
			if len(vector) != tinymodel.Dimensions {
				t.Fatalf("got %d dimensions, want %d", len(vector), tinymodel.Dimensions)
			}
			if norm := math.Sqrt(dot(vector, vector)); math.Abs(norm-1) > 1e-3 {
				t.Errorf("got a vector of length %v, want 1", norm)
			}
		})
	}
}

func TestEmbedder_Window(t *testing.T) {
	t.Parallel()
	truncate := false
	_, err := ollama(t).Embed(t.Context(), &api.EmbedRequest{
		Model: "mxbai-embed-large", Input: strings.Repeat("database ", tinymodel.Window+1), Truncate: &truncate,
	})
	if err == nil || !strings.Contains(err.Error(), "context length") {
		t.Errorf("got error %v for a text over the window, want one about the context length", err)
	}
}

func TestChat_Answer(t *testing.T) {
	t.Parallel()
	client := ollama(t)
	for name, prompt := range map[string]string{
		"question":           "Why did the deployment fail?",
		"no words":           "…",
		"part of the answer": "This answer comes from",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answer strings.Builder
			err := client.Chat(t.Context(), &api.ChatRequest{
				Model: "mistral", Messages: []api.Message{{Role: "system", Content: "Answer briefly."}, {Role: "user", Content: prompt}},
			}, func(piece api.ChatResponse) error {
				answer.WriteString(piece.Message.Content)
				return nil
			})
			if got := answer.String(); err != nil || got != tinymodel.ChatAnswer {
				t.Errorf("got %q and %v, want %q", got, err, tinymodel.ChatAnswer)
			}
		})
	}
}
