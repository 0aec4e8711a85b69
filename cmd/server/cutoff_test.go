package main_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// longDocuments are documents of at least the given size, by name. Each has a question whose words
// are only at the end of the document.
func longDocuments(size int) (files, questions map[string]string) {
	fill := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i, i*i)
		}
		return b.String()
	}
	end := func(text string) string { return strings.Repeat(text, 4) }
	documents := map[string]struct{ text, question string }{
		"section": {
			fill("Step %d takes the value %d from the list. ") + "\n\n## Afterwards\n\n" + end("Sweep the quartz veranda. "),
			"who sweeps the quartz veranda",
		},
		"paragraph": {
			fill("Step %d takes the value %d from the list. ") + end("Polish the ochre turbine. "),
			"polish an ochre turbine",
		},
		"table": {
			"| number | square |\n|---|---|\n" + fill("| %d | %d |\n") + end("| walnut | gearbox |\n"),
			"gearbox made of walnut",
		},
		"code":  {"```go\n" + fill("call(value%d, other%d) // why\n") + end("forge(copper, anchor)\n") + "```\n", "forge a copper anchor"},
		"line":  {fill("n%d:%d,") + end(" inspect the velvet funnel"), "inspect velvet funnel"},
		"token": {strings.Repeat("0123456789abcdef", size/16) + end(" drain the marble cistern"), "drain the marble cistern"},
		"cjk":   {strings.Repeat("这是关于连接池的说明文字。", size/39) + end("最后请检查磁带机的温度。"), "磁带机的温度"},
	}
	files, questions = map[string]string{}, map[string]string{}
	for name, d := range documents {
		files["csharp-compounding-docs/insights/"+name+".md"] = insight("Notes", "standard", d.text)
		questions[name] = d.question
	}
	return files, questions
}

// refusals counts the requests for embeddings that an Ollama refuses, and passes all on.
func refusals(t *testing.T, ollama string) (address string, refused *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(ollama)
	must(t, err)
	refused = &atomic.Int64{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(response *http.Response) error {
		if response.Request.URL.Path == "/api/embed" && response.StatusCode != http.StatusOK {
			refused.Add(1)
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, refused
}

// However long a document is, its end is found, and no request exceeds the model's
// window: with a real model, and with one of as many words as it has tokens.
func TestServe_NothingIsCutOff(t *testing.T) {
	t.Parallel()
	fake := fakeollama.Start(t)
	fake.SetFaults(fakeollama.Faults{Window: 512})
	for name, test := range map[string]struct {
		ollama string
		size   int
	}{"fake": {fake.URL(), 20_000}, "real": {testenv.OllamaHost(t), 5_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, questions := longDocuments(test.size)
			if name == "real" {
				// Its stand-in of a model has no Chinese characters, but three bytes for each.
				maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasSuffix(path, "/cjk.md") })
				delete(questions, "cjk")
			}
			f := newFirstSync(t, files)
			var refused *atomic.Int64
			f.ollama, refused = refusals(t, test.ollama)
			w := f.open(t)
			w.waitWhole(t)
			for name, question := range questions {
				for _, mode := range []string{"lexical", "", "vector"} {
					if mode == "vector" && name == "cjk" {
						continue // the fake knows no Chinese
					}
					answer := w.find(t, question, mode)
					if titles := answer.titles(); len(titles) != 1 || titles[0] != name {
						t.Errorf("%q in mode %q finds %+v, want the end of %s", question, mode, answer, name)
					}
				}
			}
			if n := refused.Load(); n > 0 {
				t.Errorf("%d requests were refused, want none longer than the window", n)
			}
		})
	}
}
