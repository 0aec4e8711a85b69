package trigger_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/rag/said"
)

// cued has triggers that match only acts with one of their cues, as in an index.
type cued struct {
	trigger.Set

	cues []string
}

func newCued(triggers []said.Trigger) *cued {
	c := &cued{cues: trigger.Cues(triggers, nil)}
	c.Add(0, triggers)
	return c
}

func (c *cued) has(cues []string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return slices.Contains(c.cues, cue) })
}

func (c *cued) Run(line trigger.Line) []trigger.Match {
	if !c.has(line.Cues()) {
		return nil
	}
	return c.Set.Run(line)
}

func (c *cued) Edit(e trigger.Edit) []trigger.Match {
	if !c.has(trigger.FileCues(e.Path)) {
		return nil
	}
	return c.Set.Edit(e)
}

func (c *cued) Scopes(file string) []trigger.Match {
	if !c.has(trigger.FileCues(file)) {
		return nil
	}
	return c.Set.Scopes(file)
}

// set returns the triggers of a list in JSON, as the front matter has it.
func set(t *testing.T, list string) *cued {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(list), &value); err != nil {
		t.Fatal(err)
	}
	triggers, faults := said.Triggers(map[string]any{said.TriggersField: value})
	if len(faults) > 0 {
		t.Fatalf("%s: %+v", list, faults)
	}
	return newCued(triggers)
}

// Each row is about a sentence of docs/triggers.md.
func TestSet_Run(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sentence, trigger string
		match, differ     []string
	}{
		{
			"all words", `[{"run": "terraform apply -target"}]`,
			[]string{"terraform apply -target=a.b", "cd infra && terraform -chdir=x apply -auto-approve -target a.b"},
			[]string{"terraform apply", "terraform plan -target=a.b", "echo terraform apply -target=x"},
		},
		{
			"one of several", `[{"run": ["docker system prune --volumes", "docker volume rm shop_pgdata"]}]`,
			[]string{"docker system prune -af --volumes", "docker volume rm shop_pgdata"},
			[]string{"docker system prune", "docker volume rm other"},
		},
		{
			"none of these", `[{"run": "ansible-playbook site.yml", "without": ["--limit", "staging"]}]`,
			[]string{"ansible-playbook site.yml", "ansible-playbook -i prod site.yml -v"},
			[]string{"ansible-playbook site.yml --limit web", "ansible-playbook -i staging/hosts site.yml", "cd staging && ansible-playbook site.yml"},
		},
		{
			"one word or the other, in quotes", `[{"run": "psql VACUUM FULL events|parcels"}]`,
			[]string{`psql -c "vacuum (full, verbose) parcels;"`, "psql <<EOF\nVACUUM FULL events;\nEOF", `echo "VACUUM FULL events" | psql shop`},
			[]string{`psql -c "vacuum parcels"`, `psql -c "vacuum full other"`},
		},
		{
			"with, in the line or its folder", `[{"run": "kubectl delete pvc|persistentvolumeclaim", "with": "kafka"}]`,
			[]string{"kubectl -n kafka delete pvc data-0", "cd deploy/kafka && kubectl delete pvc/data-0", "ssh kafka 'kubectl delete pvc data-0'"},
			[]string{"kubectl delete pvc data-0"},
		},
		{
			"with, several words", `[{"run": "kubectl delete pvc", "with": "kafka prod"}]`,
			[]string{"kubectl --context prod -n kafka delete pvc x"},
			[]string{"kubectl -n kafka delete pvc x"},
		},
		{"bare", `[{"run": "pod update", "bare": true}]`, []string{"pod update", "pod update --verbose"}, []string{"pod update Alamofire"}},
		{"bare, and no part of a word", `[{"run": "git push origin HEAD", "bare": true}]`, []string{"git push -u origin HEAD"}, []string{"git push origin HEAD:refs/for/main"}},
		{
			"in what other programs run", `[{"run": "dropdb ledger"}]`,
			[]string{
				"sudo -u postgres dropdb ledger", "env PGHOST=a dropdb ledger", "time dropdb ledger", "ssh -t db1 'sudo dropdb ledger'", "bash -c 'set -e; dropdb ledger'",
				"docker exec -it db dropdb ledger", "docker compose -f a.yml exec db dropdb -U x ledger", "kubectl --context a -n b exec db-0 -- dropdb ledger",
				"nomad alloc exec -task db 8c41 dropdb ledger", "echo ledger | xargs dropdb", "if true; then dropdb ledger; fi", "x=$(dropdb ledger)",
				"f() { dropdb ledger; }", "bash <<'EOF'\ndropdb ledger\nEOF", "find . -name '*.sql' -exec dropdb ledger {} \\;", "ansible db -a 'dropdb ledger'",
				"timeout 5 /usr/lib/postgresql/bin/dropdb ledger", "false || dropdb ledger", "dropdb ledger |& tee log",
			},
			[]string{"git commit -m 'never dropdb ledger'", "grep dropdb ledger.txt", "man dropdb ledger"},
		},
		{"a line that no shell reads", `[{"run": "dropdb ledger"}]`, []string{"if dropdb ledger; then ("}, nil},
		{"flags, their hyphens and values", `[{"run": "x --force --limit a"}]`, []string{"x --limit=a --force=true", "x -force --limit a"}, []string{"x --force", "x --force --limit b"}},
		{"flags of one letter", `[{"run": "git clean -f"}]`, []string{"git clean -xdf", "git clean -f"}, []string{"git clean -n", "git clean -F", "git clean --fix"}},
		{"flags of one letter together", `[{"run": "rm -rf build"}]`, []string{"rm -r -f build", "rm -fr build", "rm -rf ./build/x"}, []string{"rm -r build", "rm -RF build"}},
		{
			"parts of a word", `[{"run": "run shop s3://logs/ prod data-0"}]`,
			[]string{"run registry/shop:v2 s3://logs/2026/x env=prod pvc/data-0"},
			[]string{"run shopping s3://logs prod data-0", "run shop s3://other prod data-0"},
		},
		{"a star, and a star that is meant", `[{"run": "salt \\* state.*"}]`, []string{"salt '*' state.apply"}, []string{"salt web-1 state.apply"}},
		{"any program", `[{"run": "* > *.ach"}]`, []string{"python gen.py > out/a.ach"}, []string{"cat a.ach > b.txt"}},
		{"assignments", `[{"run": "MIX_ENV=prod mix ecto.reset"}]`, []string{"MIX_ENV=prod mix ecto.reset"}, []string{"mix ecto.reset", "MIX_ENV=test mix ecto.reset"}},
		{"dry runs", `[{"run": "helm upgrade"}]`, []string{"helm upgrade x"}, []string{"helm upgrade x --dry-run", "helm upgrade --help", "helm help upgrade"}},
		{"dry runs that are meant", `[{"run": "helm upgrade --dry-run"}]`, []string{"helm upgrade x --dry-run=client"}, []string{"helm upgrade x"}},
		{"host of ssh", `[{"run": "psql -h", "with": "db1"}]`, []string{"psql -h db1 -c x"}, []string{"psql -h db2"}},
		{"version in the name of a program", `[{"run": "python -m pip install"}]`, []string{"python3 -m pip install x"}, nil},
		{"xargs", `[{"run": "dos2unix *.ach"}]`, []string{"find out -name '*.ach' | xargs dos2unix -k"}, nil},
	} {
		s := set(t, test.trigger)
		for _, line := range test.match {
			if len(s.Run(trigger.Read(line, ""))) == 0 {
				t.Errorf("%s: %s does not match %s", test.sentence, test.trigger, line)
			}
		}
		for _, line := range test.differ {
			if len(s.Run(trigger.Read(line, ""))) > 0 {
				t.Errorf("%s: %s matches %s", test.sentence, test.trigger, line)
			}
		}
	}
	if len(set(t, `[{"run": "psql drop table"}]`).Run(trigger.Statement("DROP TABLE orders"))) == 0 {
		t.Error("a statement for an MCP tool does not match a trigger for psql")
	}
	if len(set(t, `[{"run": "make deploy", "with": "prod"}]`).Run(trigger.Read("make deploy", "/srv/prod/x"))) == 0 {
		t.Error("the folder of the session does not count")
	}
}

func TestSet_Edit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sentence, trigger string
		edit              trigger.Edit
		want              bool
	}{
		{"a path", `[{"edit": "db/V*.sql"}]`, trigger.Edit{Path: "db/V7.sql"}, true},
		{"another folder", `[{"edit": "db/V*.sql"}]`, trigger.Edit{Path: "x/db/V7.sql"}, false},
		{"across folders", `[{"edit": "db/**/*.sql"}]`, trigger.Edit{Path: "db/a/b/1.sql"}, true},
		{"any folder", `[{"edit": "*.{ts,tsx}"}]`, trigger.Edit{Path: "src/a/b.tsx"}, true},
		{"all below a folder", `[{"edit": "src/api/"}]`, trigger.Edit{Path: "src/api/v1/a.go"}, true},
		{"left out", `[{"edit": ["**/*.go", "!**/*_test.go"]}]`, trigger.Edit{Path: "a/b_test.go"}, false},
		{"writes", `[{"edit": "*.sql", "writes": "create index"}]`, trigger.Edit{Path: "1.sql", New: "CREATE\n  INDEX a"}, true},
		{"does not write", `[{"edit": "*.sql", "writes": "create index"}]`, trigger.Edit{Path: "1.sql", New: "CREATE TABLE index"}, false},
		{"without", `[{"edit": "*.sql", "writes": "create index", "without": "concurrently"}]`, trigger.Edit{Path: "1.sql", New: "create index concurrently a"}, false},
		{"with", `[{"edit": "*.ex", "writes": "queue", "with": "max_attempts"}]`, trigger.Edit{Path: "a.ex", New: "queue: a, max_attempts: 3"}, true},
		{"lacks with", `[{"edit": "*.ex", "writes": "queue", "with": "max_attempts"}]`, trigger.Edit{Path: "a.ex", New: "queue: a"}, false},
		{"star in a statement", `[{"edit": "*.go", "writes": "log.*Phone"}]`, trigger.Edit{Path: "a.go", New: `log.Info("x", s.Phone)`}, true},
		{"star and another statement", `[{"edit": "*.c", "writes": "log.*phone"}]`, trigger.Edit{Path: "a.c", New: "log.info(x); y = s.phone"}, false},
		{"star and too far", `[{"edit": "*.go", "writes": "log.*phone"}]`, trigger.Edit{Path: "a.go", New: "log." + strings.Repeat("x", 300) + "phone"}, false},
		{"removes", `[{"edit": "*.proto", "removes": "reserved"}]`, trigger.Edit{Path: "a.proto", Old: "reserved 3;", New: "x"}, true},
		{"keeps", `[{"edit": "*.proto", "removes": "reserved"}]`, trigger.Edit{Path: "a.proto", Old: "reserved 3;", New: "reserved 3; x"}, false},
		{"new", `[{"edit": "*.md", "new": true}]`, trigger.Edit{Path: "a.md", Creates: true}, true},
		{"not new", `[{"edit": "*.md", "new": true}]`, trigger.Edit{Path: "a.md"}, false},
		{"there already", `[{"edit": "*.md", "new": false}]`, trigger.Edit{Path: "a.md", Creates: true}, false},
	} {
		if got := len(set(t, test.trigger).Edit(test.edit)) > 0; got != test.want {
			t.Errorf("%s: %s matches %+v: %t", test.sentence, test.trigger, test.edit, got)
		}
	}
}

func TestSet_Fails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		trigger, output string
		want            bool
	}{
		{`[{"fails": "exec format error"}]`, "Exit code 1\nexec /bin/a:  Exec\nformat error", true},
		{`[{"fails": "lock * held by"}]`, "lock 12; it is held by pid 7", true},
		{`[{"fails": "lock * held by"}]`, "held by a lock", false},
		{`[{"fails": "no space left", "with": "hub"}]`, "write: no space left on device", false},
	} {
		if got := len(set(t, test.trigger).Fails(test.output, trigger.Read("make", ""))) > 0; got != test.want {
			t.Errorf("%s matches %q: %t", test.trigger, test.output, got)
		}
	}
}

// A trigger matches once, by its most precise line, and counts for more if it says more.
func TestSet_WeighsWhatMatches(t *testing.T) {
	t.Parallel()
	s := set(t, `[{"run": ["git push", "git push -f"]}, {"run": "git push --force|-f origin main"}]`)
	got := s.Run(trigger.Read("git push -f origin main && git push -f", ""))
	if len(got) != 2 || got[0].Text != "git push -f" || got[0].Literal >= got[1].Literal {
		t.Errorf("%+v", got)
	}
}

// Lines and patterns from outside end in bounded time.
func TestSet_IsBounded(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s := set(t, `[{"run": "a*b*c*d*e*f*g"}, {"edit": "`+strings.Repeat("{a,b}", 60)+`"}, {"edit": "`+strings.Repeat("*a", 60)+`"}, {"fails": [`+strings.Repeat(`"`+strings.Repeat("a*", 200)+`b", `, 400)+`"c"]}]`)
	for _, line := range []string{
		strings.Repeat("$(", 8000), strings.Repeat("((", 8000), strings.Repeat("'", 16000), strings.Repeat("a=b ", 4000), strings.Repeat("ssh a 'ssh a ", 1000),
		strings.Repeat("a|", 8000), strings.Repeat("sudo ", 3000), "bash -c \"" + strings.Repeat("sudo bash -c '", 500), strings.Repeat("a/b:c=", 2500), "\xff\xfe" + strings.Repeat("`", 9000),
		"cat <<" + strings.Repeat("A", 9000), strings.Repeat("{", 9000), strings.Repeat("if ", 5000), strings.Repeat("$((", 5000),
	} {
		s.Run(trigger.Read(line, ""))
	}
	for _, path := range []string{strings.Repeat("a", 200), strings.Repeat("ab", 100), strings.Repeat("ab", 30) + "c"} {
		s.Edit(trigger.Edit{Path: path})
	}
	s.Fails(strings.Repeat("a", 60_000), trigger.Line{})
	const bound = time.Minute // two orders of magnitude above the usual
	if took := time.Since(began); took > bound {
		t.Errorf("it took %s", took)
	}
}

// Scopes are read as people write them, the narrowest first.
func TestScope_AsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file   string
		fields map[string]any
		path   string
		want   bool
	}{
		{"docs/a.md", map[string]any{"paths": []any{"src/api/**/*.ts"}}, "src/api/v1/a.ts", true},
		{"docs/a.md", map[string]any{"paths": "src/**/*.{ts,tsx}, lib/**"}, "lib/a.js", true},
		{"docs/a.md", map[string]any{"globs": "**/*.ts,**/*.tsx"}, "a/b.tsx", true},
		{"docs/a.md", map[string]any{"globs": "*.tsx"}, "src/b.tsx", true},
		{"docs/a.md", map[string]any{"applyto": "**/*.py"}, "lib/a.py", true},
		{"docs/a.md", map[string]any{"fileMatchPattern": []any{"app/**", "!app/gen/**"}}, "app/gen/a.go", false},
		{"docs/a.md", map[string]any{"affects": []any{"services/billing/"}}, "services/billing/x/a.go", true},
		{"docs/a.md", map[string]any{"files_involved": []any{"src/a.go", "src/**/*.sql"}}, "src/x/1.sql", true},
		{"docs/a.md", map[string]any{"files_involved": []any{"src/a.go"}}, "src/a.go", false}, // it is cited
		{"pkg/api/AGENTS.md", nil, "pkg/api/v1/a.go", true},
		{"AGENTS.md", nil, "pkg/api/v1/a.go", false},
	} {
		s := newCued(said.Scope(test.file, test.fields, "files_involved"))
		if got := len(s.Scopes(test.path)) > 0; got != test.want {
			t.Errorf("%s %v has %s: %t", test.file, test.fields, test.path, got)
		}
	}
	var s trigger.Set
	for i, pattern := range []string{"**", "src/**", "src/api/**/*.ts"} {
		s.Add(i, []said.Trigger{{Edit: []string{pattern}, Scope: "paths"}})
	}
	got := s.Scopes("src/api/v1/a.ts")
	if len(got) != 3 || got[0].Document != 2 || got[2].Document != 0 {
		t.Errorf("the narrowest is not the first: %+v", got)
	}
}

// FuzzRead reads any line without a fault, and compares it. An act that matches has a cue of the triggers.
func FuzzRead(f *testing.F) {
	f.Add("sudo -u x psql -c 'VACUUM FULL a' && cat > f <<EOF\nx\nEOF", "psql VACUUM|x *a* -f", "**/{a,b}*")
	f.Fuzz(func(t *testing.T, line, pattern, glob string) {
		triggers, _ := said.Triggers(map[string]any{said.TriggersField: []any{
			map[string]any{"run": pattern, "with": glob}, map[string]any{"edit": glob, "writes": pattern}, map[string]any{"fails": pattern},
		}})
		s := newCued(triggers)
		read := trigger.Read(line, glob)
		if len(s.Run(read)) != len(s.Set.Run(read)) {
			t.Errorf("%q has none of the cues %q", line, s.cues)
		}
		s.Fails(line, read)
		for _, edit := range read.Writes {
			if len(s.Edit(edit)) != len(s.Set.Edit(edit)) {
				t.Errorf("%q has none of the cues %q", edit.Path, s.cues)
			}
		}
		trigger.Doubts(triggers, nil)
	})
}
