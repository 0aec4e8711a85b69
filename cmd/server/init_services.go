package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/pgserver"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// chooseEmbedder settles which model makes the vectors, says what that gives up, and about how
// long the vectors of the repository take.
func (i *initializer) chooseEmbedder(ctx context.Context, o options, p *project.Project) error {
	configured := o.settings.EmbeddingModel
	var state ollama.State
	err := o.withSetup(io.Discard, func(s *setup) error {
		state = s.models.State(ctx)
		return nil
	})
	if err != nil {
		return err
	}
	chosen := embedderNamed(cmp.Or(i.embedder, configured))
	if i.embedder == "" && configured == project.DefaultSettings().EmbeddingModel && state.Err == nil {
		chosen = fittingEmbedder(state.Has, freeMemory())
		if !hasModel(state.Has, configured) {
			i.listEmbedders(state.Has)
		}
		if chosen.Name != configured && !i.agreed("Have "+chosen.Name+" make the vectors?") {
			chosen = embedderNamed(configured)
		}
	}
	if i.done.EmbeddingModel = chosen.Name; chosen.Name != configured {
		if err := project.SaveSetting(o.home, "embedding_model", chosen.Name); err != nil {
			return err
		}
	}
	if state.Err != nil {
		i.sayf("Ollama does not answer at %s, so searches go by words alone, and questions get quotations. "+
			"compound-docs up starts it, and pulls %s", state.Host, chosen.Name)
		return nil //nolint:nilerr // searches by words work without it
	}
	o.settings.EmbeddingModel = chosen.Name
	return o.withSetup(io.Discard, func(s *setup) error {
		if !hasModel(state.Has, chosen.Name) && !i.pull(ctx, s, chosen) {
			i.sayf("%s makes them (%s). compound-docs up pulls it, or a server that needs it; "+
				"until then searches go by words alone", chosen.Name, chosen.Trait)
			return nil
		}
		i.sayHowLong(ctx, s.models, p, chosen)
		return nil
	})
}

// sayf prints what there is to say about vectors.
func (i *initializer) sayf(format string, values ...any) {
	text := "vectors: " + fmt.Sprintf(format, values...)
	plain.Println(i.stdout, plain.Hanging(i.stdout, len("  "), text))
}

// listEmbedders says what each choice gives up.
func (i *initializer) listEmbedders(has []string) {
	for _, e := range ollama.Embedders() {
		there := ""
		if hasModel(has, e.Name) {
			there = ", pulled"
		}
		plain.Printf(i.stdout, "  %s (%d MB%s): %s\n", e.Name, e.Megabytes, there, e.Trait)
	}
	plain.Printf(i.stdout, "  words alone: what says it in other words is not found, and questions get quotations\n")
}

func embedderNamed(name string) ollama.Embedder {
	for _, e := range ollama.Embedders() {
		if ollama.SameModel(e.Name, name) {
			return e
		}
	}
	return ollama.Embedder{Name: name, Trait: "the one of your settings"}
}

func hasModel(has []string, name string) bool {
	return slices.ContainsFunc(has, func(other string) bool { return ollama.SameModel(other, name) })
}

// fittingEmbedder returns the first embedder that Ollama has, or else the first for which there
// is memory, in MB; 0 is not known.
func fittingEmbedder(has []string, memory int) ollama.Embedder {
	all := ollama.Embedders()
	for _, fits := range []func(e ollama.Embedder) bool{
		func(e ollama.Embedder) bool { return hasModel(has, e.Name) },
		func(e ollama.Embedder) bool { return memory == 0 || 2*e.Megabytes < memory },
	} {
		if at := slices.IndexFunc(all, fits); at >= 0 {
			return all[at]
		}
	}
	return all[len(all)-1]
}

// freeMemory returns the memory in MB that programs may still take, and 0 if that is not known.
func freeMemory() int {
	text, err := os.ReadFile("/proc/meminfo") //nolint:forbidigo // no file of a repository
	_, line, ok := strings.Cut(string(text), "\nMemAvailable:")
	kilobytes := 0
	if _, scanErr := fmt.Sscan(line, &kilobytes); err != nil || !ok || scanErr != nil {
		return 0
	}
	return kilobytes / 1000
}

// pull asks whether to pull a model, and reports whether it is there then.
func (i *initializer) pull(ctx context.Context, s *setup, e ollama.Embedder) bool {
	size := ""
	if e.Megabytes > 0 {
		size = fmt.Sprintf(" (%d MB)", e.Megabytes)
	}
	answer, _ := i.ask(fmt.Sprintf("Pull %s%s now? Without it searches go by words alone.", e.Name, size), true)
	if !answer {
		return false
	}
	if err := s.models.PullMissing(ctx, showPulls(i.stderr), e.Name); err != nil {
		i.sayf("%v", err)
		return false
	}
	return true
}

// Of a sample of the documents that is embedded to measure the speed: how many texts, and
// how many bytes of each.
const (
	sampleTexts = 8
	sampleBytes = 1000
)

// sayHowLong measures how fast the model is, and says how long it takes for all documents.
func (i *initializer) sayHowLong(ctx context.Context, models *ollama.Client, p *project.Project, e ollama.Embedder) {
	var sample []string
	size := 0
	for _, folder := range workspace.Folders(p) {
		err := folder.ReadAll(ctx, func(file document.File, _ error) {
			size += len(file.Content)
			if text := string(file.Content); len(sample) < sampleTexts && text != "" {
				sample = append(sample, strings.ToValidUTF8(text[:min(sampleBytes, len(text))], ""))
			}
		})
		if err != nil {
			i.sayf("%v", err)
			return
		}
	}
	if size == 0 {
		i.sayf("%s makes them (%s)", e.Name, e.Trait)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := models.Warm(ctx) // Ollama may have to load it
	began := time.Now()
	if err == nil {
		_, err = models.Embed(ctx, sample)
	}
	if err != nil {
		i.sayf("%v", err)
		return
	}
	perSecond := float64(len(strings.Join(sample, ""))) / time.Since(began).Seconds()
	seconds := float64(size) / perSecond
	i.done.VectorSeconds = &seconds
	i.sayf("%s makes them (%s). All %d kB of documents take about %.0f s at the speed measured now, "+
		"%.0f kB/s; until then they are found by words", e.Name, e.Trait, (size+999)/1000, max(seconds, 1), perSecond/1000)
}

// provideDatabase installs PostgreSQL, if it is missing and the user agrees. It does not start
// it.
func (i *initializer) provideDatabase(ctx context.Context, o options) error {
	if o.databaseURL != "" {
		return nil
	}
	server := pgserver.New(o.home, slog.New(slog.DiscardHandler))
	defer server.Close()
	state := server.State(ctx)
	problem, missing := errors.AsType[*pgserver.Error](state.Err)
	if missing && problem.Installer != nil {
		if !i.mayInstall(problem.Installer) {
			plain.Printf(i.stdout, "database: %v. compound-docs init --yes installs it\n", problem)
			return nil
		}
		plain.Println(i.stdout, "database: installing", problem.Installer.Description)
		began := time.Now()
		input, _ := i.command.InOrStdin().(*os.File) // nil if nobody can be asked for a password
		if err := problem.Installer.Install(ctx, input, i.stderr); err != nil {
			return fmt.Errorf("%w; all else is done; by hand, %s", err, problem.Hint)
		}
		plain.Printf(i.stdout, "database: installed in %s\n", time.Since(began).Round(time.Second))
		if state = server.State(ctx); state.Err != nil {
			return state.Err
		}
	}
	switch {
	case state.Err != nil:
		plain.Println(i.stdout, "database:", state.Err)
	case state.PostgreSQL == "":
		plain.Printf(i.stdout, "database: a container, which the server starts with the first call\n")
	default:
		plain.Printf(i.stdout, "database: PostgreSQL %s with pgvector %s, which the server starts with the first call\n",
			state.PostgreSQL, state.Pgvector)
	}
	return nil
}

// mayInstall asks whether to install packages. Without a terminal only --yes is a yes.
func (i *initializer) mayInstall(installer *pgserver.Installer) bool {
	if i.yes {
		return true
	}
	answer, asked := i.ask("The server needs a database. Install "+installer.Description+"?", true)
	return asked && answer
}
