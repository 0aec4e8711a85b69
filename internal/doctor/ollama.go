package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// checkOllama asks each Ollama which models it has.
func checkOllama(ctx context.Context, e *examination) []Finding {
	var findings []Finding
	answering := 0
	for _, client := range e.Ollama {
		state := client.States(ctx)[0]
		if state.Err != nil {
			findings = append(findings, Finding{
				Severity: Error, What: state.Err.Error() + ". Searches by words work without it", Fix: fixOllama(),
			})
			continue
		}
		answering++
		findings = append(findings, Finding{Severity: OK, What: fmt.Sprintf("Ollama %s answers at %s", state.Version, state.Host)})
		findings = append(findings, e.missingModels(state)...)
		if !slices.Contains(state.Missing, e.Settings.EmbeddingModel) {
			e.answering = append(e.answering, client)
		}
	}
	if answering > 0 { // the others do its work
		for i := range findings {
			if findings[i].Fix == fixOllama() {
				findings[i].Severity = Warning
			}
		}
	}
	return findings
}

func fixOllama() string {
	if _, err := exec.LookPath("ollama"); err == nil {
		return "run: ollama serve (or compound-docs up), or set CDOCS_OLLAMA_HOST to where it runs"
	}
	return "install it from https://ollama.com/download and run: compound-docs up; or set CDOCS_OLLAMA_HOST to where it runs"
}

func (e *examination) missingModels(state ollama.HostState) []Finding {
	var findings []Finding
	for _, model := range state.Missing {
		finding := Finding{
			Severity: Error, What: fmt.Sprintf("%s lacks the embedding model %s: documents are found by words only", state.Host, model),
			Fix: "run: ollama pull " + claude.Quote(model) + " (or compound-docs up)",
		}
		if model != e.Settings.EmbeddingModel {
			finding.Severity = Warning
			finding.What = fmt.Sprintf("%s lacks the model %s: rag_query quotes documents and writes no answer", state.Host, model)
		}
		findings = append(findings, finding)
	}
	return findings
}

// embedTimeout is for a model that has to be loaded first.
const embedTimeout = time.Minute

// checkModels makes a vector with each Ollama.
func checkModels(ctx context.Context, e *examination) []Finding {
	if len(e.answering) == 0 {
		return one(Skipped, "no Ollama has the embedding model", "")
	}
	var findings []Finding
	for _, client := range e.answering {
		limited, cancel := context.WithTimeout(ctx, embedTimeout)
		err := client.Warm(limited)
		cancel()
		model := e.Settings.EmbeddingModel
		if wrong, ok := errors.AsType[*ollama.DimensionError](err); ok {
			findings = append(findings, Finding{
				Severity: Error,
				What:     fmt.Sprintf("model %s makes vectors of %d dimensions, and the index holds %d", wrong.Model, wrong.Got, wrong.Want),
				Fix: fmt.Sprintf("run: ollama pull mxbai-embed-large, and set \"embedding_model\": \"mxbai-embed-large\" in %s "+
					"(or another model of %d dimensions)", settingsFile(e), wrong.Want),
			})
		} else if err != nil {
			findings = append(findings, Finding{
				Severity: Error, What: err.Error(), Fix: "run: ollama run " + claude.Quote(model) + " and read Ollama's log",
			})
		} else {
			findings = append(findings, Finding{Severity: OK, What: model + " makes vectors of 1024 dimensions"})
		}
	}
	return findings
}
