package containers_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// citus is a cluster with the tables of the index, and what its owner sees.
type citus struct {
	*testenv.Citus

	owner *pgxpool.Pool
}

// A cluster that was prepared as docs/teams.md says serves as one PostgreSQL does, also
// while parts of the tables move, and while a worker is away to those who don't need it.
func TestCitus(t *testing.T) {
	t.Parallel()
	c := citus{Citus: testenv.StartCitus(t)}
	c.owner = indexstate.OpenPool(t, c.URL("cdocs_owner"))
	c.RunFile(t, "../../deploy/citus.sql")

	t.Run("answers", func(t *testing.T) { answersTheSame(t, c.URL("cdocs_member")) })
	t.Run("a shard moves", c.shardMoves)
	t.Run("a worker is away", c.workerIsAway)
}

// install returns an installation with a project of the name, with a document.
func (c citus) install(t *testing.T, project string) installation {
	t.Helper()
	in := newInstallation(t, c.URL("cdocs_member"), testenv.OllamaHost(t))
	gitrepo.At(t, in.Root).Put(".csharp-compounding-docs/config.json", fmt.Sprintf(`{"project_name": %q}`, project))
	in.save(t, "badger")
	return in
}

// While documents are saved and searched for, their project moves to the other worker and
// back. Nothing is lost, and the vectors are still in the rows.
func (c citus) shardMoves(t *testing.T) {
	in := c.install(t, "moved")
	s := in.serve(t)
	stop := make(chan struct{})
	var saving sync.WaitGroup
	saved := []string{"badger"}
	saving.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			word := "word" + strings.Repeat("x", i)
			path := in.save(t, word)
			waitUntilFound(t, s, word, path)
			saved = append(saved, word)
		}
	})
	for range 2 {
		from := c.WorkerOf(t, "moved")
		to := c.Workers[0]
		if from == to {
			to = c.Workers[1]
		}
		c.Run(t, fmt.Sprintf(`SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('tenants', id), '%s', 5432, '%s', 5432)
			FROM projects WHERE name = 'moved'`, from.Folder(), to.Folder()))
		if c.WorkerOf(t, "moved") != to {
			t.Error("the project is where it was")
		}
	}
	close(stop)
	saving.Wait()
	if len(saved) < 3 {
		t.Errorf("only %q were saved meanwhile", saved)
	}
	var paths []string
	for _, word := range saved {
		paths = append(paths, "csharp-compounding-docs/insights/"+word+".md")
	}
	slices.Sort(paths)
	c.mustHave(t, paths, `SELECT d.relative_path FROM documents d JOIN projects p ON p.id = d.project_id
		JOIN embeddings e ON e.project_id = d.project_id AND e.collection = d.collection
		JOIN document_chunks c ON c.project_id = d.project_id AND c.document_id = d.id AND c.passage_hash = e.hash
		WHERE p.name = 'moved' AND c.ordinal = 0 ORDER BY 1`)
	c.mustHave(t, nil, `SELECT shardid || ' ' || result FROM run_command_on_shards('embeddings_compounding',
		$$SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = '%s'::regclass$$) WHERE result <> '0'`)
}

func (c citus) mustHave(t *testing.T, want []string, query string) {
	t.Helper()
	got, err := indexstate.Lines(t.Context(), c.owner, query)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		t.Errorf("%s (-want +got):\n%s", query, diff)
	}
}

// While one worker is away, the projects of the other are searched, edited and activated, and new
// checkouts of them registered. Documents saved in its own projects are found when it is back.
func (c citus) workerIsAway(t *testing.T) {
	on := map[*testenv.Cluster]installation{}
	for i := 0; len(on) < len(c.Workers); i++ {
		project := fmt.Sprintf("project-%d", i)
		in := c.install(t, project)
		in.serve(t)
		on[c.WorkerOf(t, project)] = in
	}
	away, here := c.Workers[0], on[c.Workers[1]]
	before, cut := here.serve(t), on[away].serve(t)

	away.Crash()
	waitUntilFound(t, before, "pangolin", here.save(t, "pangolin"))
	activated := here.serve(t)
	waitUntilFound(t, activated, "armadillo", here.save(t, "armadillo"))
	checkout := here
	checkout.Root = t.TempDir()
	if err := os.CopyFS(checkout.Root, os.DirFS(here.Root)); err != nil {
		t.Fatal(err)
	}
	waitUntilFound(t, checkout.serve(t), "heron", checkout.save(t, "heron"))
	paths := map[string]string{"heron": on[away].save(t, "heron")}
	if f := cut.fails("semantic_search", map[string]any{"query": "heron"}); f.Code != "DATABASE_ERROR" {
		t.Errorf("a search in a project that is away fails with %v, want DATABASE_ERROR", f)
	}
	until := time.Now().Add(awayTime(t))
	for i := 1; time.Now().Before(until); i++ {
		word := fmt.Sprintf("heron%c%c%c", 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
		waitUntilFound(t, activated, word, here.save(t, word))
		paths[word] = on[away].save(t, word)
	}
	away.Start()
	for word, path := range paths {
		waitUntilFound(t, cut, word, path)
	}
}

// awayTime is how long a worker is away.
func awayTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("CDOCS_TEST_AWAY")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
