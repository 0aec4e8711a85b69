package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// init takes the model that is there, says how long its vectors take, as measured, and what is
// given up without it.
func TestInit_ChoosesTheEmbedder(t *testing.T) {
	t.Parallel()
	const none = ""
	for name, test := range map[string]struct {
		has       []string
		arguments []string
		says      string
		saved     string // in the settings, as far as init writes it
		measures  bool
	}{
		"the one that is configured":  {[]string{"mxbai-embed-large", "all-minilm"}, nil, "mxbai-embed-large makes them (it knows English alone)", none, true},
		"another one that is there":   {[]string{"all-minilm:latest", "bge-m3"}, nil, "bge-m3 makes them (it knows over 100 languages", "bge-m3", true},
		"one that is not there":       {nil, nil, "compound-docs up pulls it, or a server that needs it; until then searches go by words alone", none, false},
		"the one that is named":       {[]string{"mxbai-embed-large", "all-minilm"}, []string{"--embedder", "all-minilm"}, "all-minilm makes them", "all-minilm", true},
		"no Ollama, and one is named": {nil, []string{"--embedder", "own-model", "--ollama-host", "http://127.0.0.1:1"}, "so searches go by words alone", "own-model", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			i.fake.RemoveModel("mxbai-embed-large")
			for _, model := range test.has {
				i.fake.AddModel(model, "1")
			}
			i.fake.SetFaults(fakeollama.Faults{EmbedTime: 100 * time.Millisecond})
			write(t, i.root, promotable+"long.md", strings.Repeat("Twenty bytes of it.\n", 1000))
			got := i.run(t, append([]string{"init", "--json"}, test.arguments...)...)
			var said struct {
				Model   string  `json:"embedding_model"`
				Seconds float64 `json:"vector_seconds"`
			}
			if err := json.Unmarshal([]byte(got.stdout), &said); err != nil || got.code != 0 || !strings.Contains(got.stderr, test.says) {
				t.Errorf("init ends with %d (%v) and says %s%s, want %q", got.code, err, got.stdout, got.stderr, test.says)
			}
			// Twenty documents' worth of text, at a request of two texts in .1 s or more.
			if measured := said.Seconds > 0; measured != test.measures || measured && (said.Seconds < 1 || said.Seconds > 60) {
				t.Errorf("init says that vectors take %.1f s", said.Seconds)
			}
			settings, err := os.ReadFile(filepath.Join(i.home, "settings.json"))
			if err != nil || test.saved != none && (!strings.Contains(string(settings), `"embedding_model": "`+test.saved+`"`) || said.Model != test.saved) ||
				test.saved == none && strings.Contains(string(settings), "embedding_model") {
				t.Errorf("init takes %s, and the settings are %s, %v", said.Model, settings, err)
			}
		})
	}
}

// At a terminal init offers to pull the model, and measures it then.
func TestInit_PullsTheEmbedder(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.fake.RemoveModel("mxbai-embed-large")
	shown := onTerminal(t, "y\n", i.root, i.environment, "init")
	if !strings.Contains(shown, "Pull mxbai-embed-large (670 MB) now?") || !strings.Contains(shown, "take about ") || len(i.fake.Requests("/api/pull")) != 1 {
		t.Errorf("with a pull agreed to, init shows %q, and Ollama gets %v", shown, i.fake.Requests("/api/pull"))
	}
}
