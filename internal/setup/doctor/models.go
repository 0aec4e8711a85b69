package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/rag/model"
)

// ModelServer is a model server.
type ModelServer struct {
	Client *model.Client
	Models []string // models that this program uses
	Ollama bool     // the server is Ollama, so that findings can name its commands
}

func checkServers(ctx context.Context, e *examination) []Finding {
	var findings []Finding
	for _, server := range e.ModelServers {
		findings = append(findings, e.checkServer(ctx, server)...)
	}
	return findings
}

func (e *examination) checkServer(ctx context.Context, server ModelServer) []Finding {
	state := server.Client.State(ctx, server.Models...)
	if state.Err != nil {
		what, _, _ := strings.Cut(state.Err.Error(), "; ") // without the advice, which the doctor replaces
		fix := "start it, or correct embedding_host and generation_host in " + settingsFile(e)
		if server.Ollama {
			fix = "run: ollama serve, or set CDOCS_OLLAMA_HOST to where it runs; it is to be had from https://ollama.com/download"
		}
		severity := Error
		if dial, ok := errors.AsType[*net.OpError](state.Err); ok && dial.Op == "dial" {
			severity = Warning // the server does not run, and searches work without it
		}
		return one(severity, what+". Searches by words and built-in vectors work without it", cmp.Or(state.Remedy, fix))
	}
	if slices.Contains(server.Models, e.Settings.EmbeddingModel) {
		if state.OnlyChat {
			return e.otherModel(Error, e.Settings.EmbeddingModel+" writes answers, and makes no vectors that searches can use")
		}
		e.embeds = !server.Ollama || !slices.Contains(state.Missing, e.Settings.EmbeddingModel)
	}
	return append(one(OK, fmt.Sprintf("%s answers at %s", state.Name, state.Host), ""), e.missingModels(server, state)...)
}

// maxListed bounds how many models a finding lists.
const maxListed = 10

func (e *examination) missingModels(server ModelServer, state model.State) []Finding {
	var findings []Finding
	for _, name := range state.Missing {
		what, key := "%s lacks the embedding model %s: documents are found by words and built-in vectors", "embedding_model"
		if name != e.Settings.EmbeddingModel {
			what, key = "%s lacks the model %s: rag_query quotes documents and writes no answer", "generation_model"
		}
		fix := fmt.Sprintf("run: ollama pull %s (or compound-docs up); if the name is wrong, correct %s in %s",
			clients.Quote(name), key, settingsFile(e))
		if !server.Ollama { // some servers take any name, or do not list all their models
			what, fix = "%s does not list the model %s", fmt.Sprintf("correct %s in %s", key, settingsFile(e))
		}
		has := cmp.Or(strings.Join(state.Models[:min(len(state.Models), maxListed)], ", "), "no model")
		findings = append(findings, one(Warning, fmt.Sprintf(what+". It has %s", state.Host, name, has), fix)...)
	}
	return findings
}

// embedTimeout bounds the time for one vector. The server may have to load the model first.
const embedTimeout = time.Minute

// checkModels makes a vector to find out whether the embedding model works.
func checkModels(ctx context.Context, e *examination) []Finding {
	if !e.embeds {
		return one(Skipped, "no server has the embedding model", "")
	}
	limited, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	name, server := e.Settings.EmbeddingModel, e.ModelServers[0]
	err := server.Client.Warm(limited)
	if errors.Is(err, model.ErrDimensions) {
		return e.otherModel(Error, err.Error())
	}
	if err != nil {
		fix := "correct embedding_host and embedding_model in " + settingsFile(e) + ", or read the server's log"
		if server.Ollama {
			fix = "run: ollama run " + clients.Quote(name) + " and read Ollama's log"
		}
		return one(Error, err.Error(), fix)
	}
	makes := name + " makes vectors, without prompts: those that it was trained with are not known"
	if query, document, known := model.Prompts(name); known {
		makes = fmt.Sprintf("%s makes vectors; prompts: %q before queries, %q before documents", name, query, document)
	}
	return append(one(OK, makes, ""), e.weakModel(limited)...)
}

// weakModel reports an embedding model if searches do not use its vectors, because a measurement found the model weak.
func (e *examination) weakModel(ctx context.Context) []Finding {
	if !e.migrated {
		return nil
	}
	current, err := e.ModelServers[0].Client.EmbedModel(ctx)
	if err != nil {
		return one(Error, err.Error(), "")
	}
	measured, known, err := e.Index.Calibration(ctx, current)
	if err != nil {
		return e.failed(err)
	}
	if !known || measured.Usable() {
		return nil
	}
	return e.otherModel(Warning, fmt.Sprintf("%s finds the answer to only %.0f %% of the questions that models are tried with: "+
		"searches go by words and leave its vectors out", current.Name, 100*measured.OwnFirst))
}

// otherModel returns a finding about a useless embedding model. The remedy names a model to use instead.
func (e *examination) otherModel(severity Severity, what string) []Finding {
	usual := project.DefaultSettings().EmbeddingModel
	switch {
	case !e.ModelServers[0].Ollama:
		return one(severity, what, "name another \"embedding_model\" in "+settingsFile(e))
	case usual == e.Settings.EmbeddingModel:
		return one(severity, what, "run: ollama pull "+usual+" again, or name another \"embedding_model\" in "+settingsFile(e))
	}
	return one(severity, what, command(clients.ServerName, "init", e.Root, "--embedder", usual))
}
