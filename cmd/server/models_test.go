package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// guided is a server with the project of guideProject active.
func guided(t *testing.T, environment ...string) (*mcpclient.Client, *fakeollama.Server, string) {
	t.Helper()
	fake, databaseURL := fakeollama.Start(t), testenv.IndexURL(t)
	session := connect(t, server(t, append(environment, "CDOCS_DATABASE_URL="+databaseURL, "CDOCS_OLLAMA_HOST="+fake.URL())...))
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session, fake, databaseURL
}

// The window that the language model gets is that of the settings, unless it was
// made for a smaller one.
func TestServe_ContextLengthOfTheGenerationModel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings string
		made     int
		want     float64
	}{
		"default":                   {`{}`, 32768, 8192},
		"settings":                  {`{"generation_context_length": 16384}`, 32768, 16384},
		"made for fewer":            {`{"generation_context_length": 16384}`, 4096, 4096},
		"a model that does not say": {`{"generation_context_length": 4096}`, 0, 4096},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			must(t, os.WriteFile(filepath.Join(home, "settings.json"), []byte(test.settings), 0o600))
			session, fake, _ := guided(t, "CDOCS_HOME="+home)
			fake.SetContextLength(test.made)
			call(t, session, "activate_project", activation(guideProject(t)), &struct{}{})
			if call(t, session, "rag_query_external", question(), &struct{}{}) {
				t.Fatal("the question fails")
			}
			chats := fake.Requests("/api/chat")
			if len(chats) != 1 || chats[0].Options["num_ctx"] != test.want {
				t.Errorf("the model was asked %+v, want once with num_ctx %v", chats, test.want)
			}
		})
	}
}
