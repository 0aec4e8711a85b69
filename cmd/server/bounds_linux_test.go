package main_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// memoryBound is the most memory that a server may have used.
const memoryBound = 400 << 20

// peakMemory returns the largest resident memory that the process had so far.
func peakMemory(t *testing.T, pid int) (bytes int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscanf(rest, "%d kB", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes << 10
}

// The server stays small for any output of an Ollama host, and says what is wrong.
func TestServe_BoundsWhatOllamaSends(t *testing.T) {
	t.Parallel()
	const piece = `{"message":{"role":"assistant","content":"word "},"done":false}` + "\n"
	bombs := []struct {
		name, path string
		handle     http.HandlerFunc
		want       string // in the answer
	}{
		{"zipped vectors", "/api/embed", endless(200, true, `{"embeddings":[[`, "0.1,"), "larger than"},
		{"an error", "/api/embed", endless(500, true, `{"error":"`, "no "), "HTTP 500"},
		{"models", "/api/tags", endless(200, true, `{"models":[`, "{},"), "larger than"},
		{"what is known of a model", "/api/show", endless(200, true, `{"model_info":{"a":`, "["), ""},
		{"zipped pieces", "/api/chat", endless(200, true, "", piece), "larger than"},
		{"a line", "/api/chat", endless(200, true, `{"message":{"content":"`, "word "), "larger than"},
	}
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			t.Parallel()
			hostile := newHostileOllama(t, bomb.path, bomb.handle)
			command := server(t, "CDOCS_DATABASE_URL="+testenv.IndexURL(t), "CDOCS_OLLAMA_HOST="+hostile.URL, "CDOCS_LOG_LEVEL=error")
			session := connect(t, command)
			call(t, session, "activate_project", activation(guideProject(t)), &struct{}{})
			await.Until(t, "the answer says "+strconv.Quote(bomb.want), func() bool { // once there are documents
				var answer struct {
					Message string `json:"message"`
					Reason  string `json:"generation_reason"`
					Mode    string `json:"mode_reason"`
				}
				call(t, session, "rag_query_external", question(), &answer)
				return strings.Contains(answer.Message+answer.Reason+answer.Mode, bomb.want)
			})
			peak := peakMemory(t, command.Process.Pid)
			t.Logf("%d requests, %d MiB", hostile.met.Load(), peak>>20)
			if hostile.met.Load() == 0 {
				t.Error("the server has met none of it")
			}
			if peak > memoryBound {
				t.Errorf("the server took %d MiB, more than %d", peak>>20, memoryBound>>20)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A pull reports what it likes for as long as it likes.
func TestUp_BoundsWhatAPullReports(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][2]string{
		"steps":  {"", `{"status":"pulling","digest":"sha256:0","total":9223372036854775807,"completed":1}` + "\n"},
		"a line": {`{"status":"`, "pulling "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hostile := newHostileOllama(t, "/api/pull", endless(200, true, text[0], text[1]))
			hostile.fake.RemoveModel("mxbai-embed-large")
			home := t.TempDir()
			up := run(t, home, []string{"CDOCS_DATABASE_URL=" + testenv.IndexURL(t), "CDOCS_OLLAMA_HOST=" + hostile.URL, "CDOCS_HOME=" + home}, "up")
			if up.code != 1 || !strings.Contains(up.stderr, "pull mxbai-embed-large") || !strings.Contains(up.stderr, "larger than 32768 KiB") {
				t.Errorf("up ends with %d and prints %s", up.code, up.stderr)
			}
		})
	}
}
