package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// checkOllama asks Ollama which models it has.
func checkOllama(ctx context.Context, e *examination) []Finding {
	state := e.Ollama.State(ctx)
	if state.Err != nil {
		what, _, _ := strings.Cut(state.Err.Error(), "; ") // its advice is not the doctor's
		return one(Error, what+". Searches by words work without it", cmp.Or(state.Remedy, fixOllama(state.Host)))
	}
	e.embeds = !slices.Contains(state.Missing, e.Settings.EmbeddingModel)
	if state.OnlyChat {
		e.embeds = false
		return e.otherModel(Error, e.Settings.EmbeddingModel+" writes answers, and makes no vectors that searches can use")
	}
	return append(one(OK, fmt.Sprintf("Ollama %s answers at %s", state.Version, state.Host), ""), e.missingModels(state)...)
}

func fixOllama(host string) string {
	u, err := url.Parse(host)
	if err == nil && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback() {
		return "start Ollama there, or set CDOCS_OLLAMA_HOST to where it runs"
	}
	if _, err := exec.LookPath("ollama"); err == nil {
		return "run: ollama serve, or set CDOCS_OLLAMA_HOST to where it runs"
	}
	return "install it from https://ollama.com/download, or set CDOCS_OLLAMA_HOST to where it runs"
}

func (e *examination) missingModels(state ollama.State) []Finding {
	var findings []Finding
	for _, model := range state.Missing {
		severity, what, key := Error, "%s lacks the embedding model %s: documents are found by words only", "embedding_model"
		if model != e.Settings.EmbeddingModel {
			severity, what, key = Warning, "%s lacks the model %s: rag_query quotes documents and writes no answer", "generation_model"
		}
		has := cmp.Or(strings.Join(state.Models[:min(len(state.Models), 2*maxNamed)], ", "), "no model")
		findings = append(findings, one(severity, fmt.Sprintf(what+". It has %s", state.Host, model, has),
			fmt.Sprintf("run: ollama pull %s (or compound-docs up); if the name is wrong, correct %s in %s",
				claude.Quote(model), key, settingsFile(e)))...)
	}
	return findings
}

// embedTimeout is for a model that has to be loaded first.
const embedTimeout = time.Minute

// checkModels makes a vector.
func checkModels(ctx context.Context, e *examination) []Finding {
	if !e.embeds {
		return one(Skipped, "Ollama does not have the embedding model", "")
	}
	limited, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	name := e.Settings.EmbeddingModel
	err := e.Ollama.Warm(limited)
	if errors.Is(err, model.ErrDimensions) {
		return e.otherModel(Error, err.Error())
	}
	if err != nil {
		return one(Error, err.Error(), "run: ollama run "+claude.Quote(name)+" and read Ollama's log")
	}
	return append(one(OK, name+" makes vectors", ""), e.weakModel(limited)...)
}

// weakModel names a model whose vectors searches leave out, as far as the index has
// measured it.
func (e *examination) weakModel(ctx context.Context) []Finding {
	if !e.migrated {
		return nil
	}
	model, err := e.Ollama.EmbedModel(ctx)
	if err != nil {
		return one(Error, err.Error(), "")
	}
	measured, known, err := e.Index.Calibration(ctx, model)
	if err != nil {
		return failed(err)
	}
	if !known || measured.Usable() {
		return nil
	}
	return e.otherModel(Warning, fmt.Sprintf("%s finds the answer to only %.0f %% of the questions that models are tried with: "+
		"searches go by words and leave its vectors out", model.Name, 100*measured.OwnFirst))
}

// otherModel has the default model take the place of one that is of no use.
func (e *examination) otherModel(severity Severity, what string) []Finding {
	model := project.DefaultSettings().EmbeddingModel
	if model == e.Settings.EmbeddingModel {
		return one(severity, what, "run: ollama pull "+model+" again, or name another \"embedding_model\" in "+settingsFile(e))
	}
	return one(severity, what, command(claude.ServerName, "init", e.Root, "--embedder", model))
}
