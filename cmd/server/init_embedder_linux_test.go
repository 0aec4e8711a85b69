package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// init takes the model of the settings or of the flag, and says what searches are without it.
func TestInit_SettlesTheEmbedder(t *testing.T) {
	t.Parallel()
	const usual, byWords = "mxbai-embed-large", "words and built-in vectors"
	for name, test := range map[string]struct {
		has       []string
		arguments []string
		model     string
		saved     bool // in the settings
		byWords   bool
	}{
		"the default":                  {[]string{usual, "all-minilm"}, nil, usual, false, false},
		"the default, not there":       {[]string{"all-minilm"}, nil, usual, false, true},
		"the one that is named":        {[]string{usual, "all-minilm"}, []string{"--embedder", "all-minilm"}, "all-minilm", true, false},
		"no Ollama, and one is named":  {nil, []string{"--embedder", "own-model", "--ollama-host", "http://127.0.0.1:1"}, "own-model", true, true},
		"the one that is named by now": {[]string{usual}, []string{"--embedder", usual}, usual, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			i.fake.RemoveModel(usual)
			for _, model := range test.has {
				i.fake.AddModel(model, "1")
			}
			got := i.run(t, append([]string{"init"}, test.arguments...)...)
			if got.code != 0 || strings.Contains(got.stdout, byWords) != test.byWords {
				t.Errorf("init ends with %d and says %s%s", got.code, got.stdout, got.stderr)
			}
			settings, err := os.ReadFile(filepath.Join(i.home, "settings.json"))
			if saved := strings.Contains(string(settings), `"embedding_model": "`+test.model+`"`); err != nil || saved != test.saved {
				t.Errorf("the settings are %s, %v", settings, err)
			}
			if pulls := i.fake.Requests("/api/pull"); len(pulls) > 0 {
				t.Errorf("init pulls: %v", pulls)
			}
		})
	}
}
