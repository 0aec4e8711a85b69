package index_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// The parts of random tenants, documents and selections. The names would confuse a comparison of
// prefixes or patterns.
var (
	someProjects = []string{"alpha", "alpha-2", "a%"}
	someBranches = []string{"main", "main2", "feature/_"}
	someHashes   = []string{"0123456789abcdef", "0123456789abcdee"}
	somePaths    = []string{"docs/a.md", "docs/b.md", "docs/c/a.md"}
	someSubjects = []string{"apples", "pears", "plums", "quinces"}
)

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// sample is a document of one passage a subject.
type sample struct {
	path     string
	subjects []string
}

func randomSample(random *rand.Rand) sample {
	subjects := slices.Clone(someSubjects)
	random.Shuffle(len(subjects), func(i, j int) { subjects[i], subjects[j] = subjects[j], subjects[i] })
	return sample{path: pick(random, somePaths), subjects: subjects[:1+random.IntN(3)]}
}

func (s sample) file() document.File {
	if len(s.subjects) == 1 {
		return file(s.path, fmt.Sprintf("It says something about %s.", s.subjects[0]))
	}
	var sections []string
	for _, subject := range s.subjects {
		sections = append(sections, section(subject, subject))
	}
	return file(s.path, sections...)
}

func (s sample) chunks() int {
	if len(s.subjects) == 1 {
		return 0
	}
	return len(s.subjects)
}

// model is the expected content of the index.
type model struct {
	tenants map[catalog.TenantKey]*modelTenant
	// passages are, by project, those that were indexed since its last deletion, which
	// sweeps those that no document uses.
	passages map[string]map[string]bool
}

type modelTenant struct {
	*catalog.Tenant
	// deleted is set from a deletion to the next activation.
	deleted   bool
	documents map[catalog.Collection]map[string]sample
}

// lines describes the model as snapshot describes the database.
func (m *model) lines() []string {
	lines := []string{}
	for key, tenant := range m.tenants {
		name := fmt.Sprintf("%s %s %s", key.Project, key.Branch, key.PathHash)
		lines = append(lines, "tenant "+name, "project "+key.Project)
		for collection, documents := range tenant.documents {
			for _, s := range documents {
				lines = append(lines, fmt.Sprintf("document %s %s %s %x %d %s", name, collection, s.path,
					sha256.Sum256(s.file().Content), s.chunks(), strings.Join(s.subjects, ",")))
			}
		}
	}
	for projectName, passages := range m.passages {
		for p := range passages {
			lines = append(lines, "passage "+projectName+" "+p)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

const snapshot = `
	SELECT 'project ' || name AS line FROM projects
	UNION ALL
	SELECT concat_ws(' ', 'tenant', p.name, t.branch_name, t.path_hash) FROM tenants t JOIN projects p ON p.id = t.project_id
	UNION ALL
	SELECT concat_ws(' ', 'document', p.name, t.branch_name, t.path_hash, d.collection, d.relative_path,
		encode(d.content_hash, 'hex'), d.chunk_count,
		(SELECT string_agg(coalesce(substring(passages.content FROM 'about (\w+)'), 'NO PASSAGE'), ',' ORDER BY ordinal)
			FROM document_chunks c LEFT JOIN passages ON passages.collection = c.collection
				AND passages.project_id = c.project_id AND passages.hash = c.passage_hash
			WHERE c.project_id = d.project_id AND c.tenant_id = d.tenant_id AND c.document_id = d.id))
	FROM documents d JOIN tenants t ON t.id = d.tenant_id JOIN projects p ON p.id = d.project_id
	UNION ALL
	SELECT concat_ws(' ', 'passage', coalesce(p.name, 'NO PROJECT'), s.collection, s.heading, substring(s.content FROM 'about (\w+)'))
	FROM passages s LEFT JOIN projects p ON p.id = s.project_id
	UNION ALL
	SELECT 'CHUNK WITHOUT DOCUMENT' FROM document_chunks c
	WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = c.document_id AND d.tenant_id = c.tenant_id)
	ORDER BY 1`

// register returns the tenant as the server that uses it has it.
func (m *model) register(t *testing.T, f *fixture, key catalog.TenantKey) *modelTenant {
	t.Helper()
	tenant, ok := m.tenants[key]
	if ok && !tenant.deleted {
		return tenant
	}
	registered, err := f.Index.Tenant(t.Context(), key, "/repo")
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		tenant.Tenant, tenant.deleted = registered, false
		return tenant
	}
	tenant = &modelTenant{Tenant: registered, documents: map[catalog.Collection]map[string]sample{
		catalog.Compounding: {}, catalog.External: {},
	}}
	m.tenants[key] = tenant
	if m.passages[key.Project] == nil {
		m.passages[key.Project] = map[string]bool{}
	}
	return tenant
}

func (m *model) index(t *testing.T, f *fixture, key catalog.TenantKey, collection catalog.Collection, samples ...sample) {
	t.Helper()
	tenant := m.register(t, f, key)
	files := map[string]document.File{}
	for _, s := range samples {
		tenant.documents[collection][s.path] = s
		files[s.path] = s.file()
	}
	failures, err := indexer(f.Index, tenant.Tenant, collection).Index(t.Context(), slices.Collect(maps.Values(files)))
	if err != nil || len(failures) > 0 {
		t.Fatalf("index: %v, failures %v", err, failures)
	}
	for path := range files {
		tenant.documents[collection][path].addPassages(collection, m.passages[key.Project])
	}
}

func (s sample) addPassages(collection catalog.Collection, passages map[string]bool) {
	title, _ := strings.CutSuffix(s.path[strings.LastIndex(s.path, "/")+1:], ".md")
	for _, subject := range s.subjects {
		heading := title
		if len(s.subjects) > 1 {
			heading += "\n## " + subject
		}
		passages[fmt.Sprintf("%s %s %s", collection, heading, subject)] = true
	}
}

func indexer(x *index.Index, tenant *catalog.Tenant, collection catalog.Collection) *index.Indexer {
	if collection == catalog.Compounding {
		return x.Indexer(tenant, collection, ragtest.AnyDocument{})
	}
	return x.Indexer(tenant, collection, nil)
}

// contents returns the projects' own documents of a selection.
func (m *model) contents(selection index.Selection) (contents index.Contents) {
	for key, tenant := range m.tenants {
		if !selected(selection, key) {
			continue
		}
		for _, s := range tenant.documents[catalog.Compounding] {
			contents.Documents++
			contents.Chunks += s.chunks()
		}
	}
	return contents
}

func selected(s index.Selection, key catalog.TenantKey) bool {
	return s.Project == key.Project && (s.Branch == nil || *s.Branch == key.Branch) &&
		(s.PathHash == nil || *s.PathHash == key.PathHash)
}

// delete returns the tenants that may no longer be used. Their external docs stay.
func (m *model) delete(selection index.Selection) (gone []*catalog.Tenant) {
	for key, tenant := range m.tenants {
		if selected(selection, key) {
			gone = append(gone, tenant.Tenant)
			tenant.deleted = true
			clear(tenant.documents[catalog.Compounding])
			if len(tenant.documents[catalog.External]) == 0 {
				delete(m.tenants, key)
			}
		}
	}
	used := map[string]bool{}
	for key, tenant := range m.tenants {
		for collection, documents := range tenant.documents {
			for _, s := range documents {
				if key.Project == selection.Project {
					s.addPassages(collection, used)
				}
			}
		}
	}
	m.passages[selection.Project] = used
	return gone
}
