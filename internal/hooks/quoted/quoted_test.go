package quoted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

func TestCommands_ReadsCommandLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`kubectl -n streaming delete pvc/data-0`:                 "[kubectl streaming delete pvc data-0] [-n]",
		`FOO=1 sudo /usr/bin/systemctl restart "edge gateway"`:   "[systemctl restart edge gateway foo=1] [] [edge gateway] []",
		`terraform -chdir=infra apply -auto-approve -target=a.b`: "[terraform infra apply a.b] [--chdir --auto-approve --target]",
		`git clean -fdx`:                                          "[git clean] [-f -d -x]",
		`curl -X DELETE localhost:9200/logs`:                      "[curl delete localhost:9200/logs] [-X]",
		`docker-compose down --volumes`:                           "[docker compose down] [--volumes]",
		`psql -c 'VACUUM (FULL, ANALYZE) outbox' 2>&1 >/dev/null`: "[psql vacuum full analyze outbox] [-c] [vacuum] [] [full, analyze] [] [outbox] []",
		`git commit -m "never npm publish"`:                       "[git commit] [-m]",
		`cd a && make seed; ls | head -3`:                         "[cd a] [] [make seed] [] [ls] [] [head -3] []",
		`ssh gw 'sudo iptables --flush'`:                          "[ssh gw sudo iptables] [--flush] [iptables] [--flush]",
		"":                                                        "",
	} {
		var got []string
		for _, c := range commandsIn(line) {
			got = append(got, fmt.Sprint(c.words), fmt.Sprint(c.flags))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

// book has the documents of texts, each with a title in the first line. A document warns of code behind a "!", and
// advises it behind a "+".
func book(t *testing.T, texts ...string) *Book {
	t.Helper()
	b := &Book{}
	for _, text := range texts {
		parsed, err := markdown.Parse([]byte("# " + text))
		if err != nil {
			t.Fatal(err)
		}
		var quotes []string
		for _, q := range parsed.Quotes() {
			if odds := map[byte]float64{'!': 4, '+': -4}[q.Text[0]]; odds != 0 {
				q.Odds, q.Text = odds, q.Text[1:]
			}
			quotes = append(quotes, q.String())
		}
		b.Add(parsed.Title, quotes)
	}
	return b
}

// first is the quote that matches best, "" for none.
func first(matches []Match) string {
	if len(matches) == 0 {
		return ""
	}
	return matches[0].Text
}

func TestBook_Command(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Claims of Kafka\n\n`!kubectl delete pvc`",
		"Release branches are mirrored by force\n\n`!git push --force`",
		"docker compose down -v removes the licence\n\n`+docker compose stop`",
		"Fixtures\n\n`!ansible-playbook site.yml` and `+--limit`",
		"Hosts\n\n`!orders-db-ro`, `+git log`, `+go test ./...`",
		"Images\n\n`+helm upgrade billing`, `!helm rollback billing`",
		"Imports\n\n`+osm2pgsql --create --slim`, `!--create`, `!--drop`, `+psql -d osm -c '…'`",
		"Modules\n\n`+terraform apply`, `!-target`",
		"Seeds\n\n`!deploy/seed.sh`",
	)
	for line, want := range map[string]string{
		"kubectl -n s delete persistentvolumeclaim/data-2": "kubectl delete pvc",
		"kubectl get pvc":                        "",
		"git push -f origin release/4":           "git push --force",
		"git push origin main":                   "",
		"docker compose --file x down --volumes": "",
		"ansible-playbook site.yml -v":           "ansible-playbook site.yml",
		"ansible-playbook site.yml --limit web":  "",
		"bash ./deploy/seed.sh":                  "deploy/seed.sh",
		"./deploy/seed.sh --all":                 "deploy/seed.sh",
		"lint -w deploy/seed.sh":                 "",
		"psql -h orders-db-ro orders":            "orders-db-ro",
		"grep -rn orders-db-ro config":           "",
		"git log":                                "",
		"go test ./...":                          "",
		"helm rollback -n shop billing 4":        "helm rollback billing",
		"helm upgrade billing ./chart":           "",
		"osm2pgsql -c planet.osm.pbf":            "--create",
		"osm2pgsql --append --drop x.osm.pbf":    "--drop",
		"psql -d osm -c 'ANALYZE roads'":         "", // neither --create nor --drop
		"terraform apply -target=module.a":       "-target",
		"terraform plan -target=module.a":        "",
		`echo "kubectl delete pvc"`:              "",
	} {
		if got := first(b.Command(line)); got != want {
			t.Errorf("%q is found by %q, want %q", line, got, want)
		}
	}
}

// Acts have other values, and documents say in many ways that a command may be used.
func TestBook_CommandsOfTheSameKind(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Brokers\n\n`!kubectl delete pod mq-0 -n queue --force`, `+kubectl logs mq-0`",
		"Nodes\n\n`!kubectl drain NODE`",
		"Nice\n\n`!renice -n -10 -p PID`, `+renice -n 10`",
		"Keys\n\n`!./gradlew publish`",
		"Workers\n\n`!systemctl restart worker@1`",
		"Tests of the API\n\n`!pytest -n auto tests/api`",
		"Stack\n\n`!docker compose down -v`, `+docker compose down`",
		"Zone\n\n`+pulumi up`, `the zone eu-9 is not there`, `+make zone`",
		"Copies\n\n`!orders_live`",
		"Signals\n\n`!kill -9 PID`",
	)
	for line, want := range map[string]string{
		"kubectl -n queue delete --force pod/mq-2":    "kubectl delete pod mq-0 -n queue --force",
		"kubectl logs mq-1":                           "",
		"kubectl drain worker-7 --timeout=5m":         "kubectl drain NODE",
		"renice -n -5 -p 311":                         "renice -n -10 -p PID",
		"renice -n 5 -p 311":                          "",
		"./gradlew :sdk:publish":                      "./gradlew publish",
		"./gradlew :sdk:publishLocal":                 "",
		"systemctl restart worker@4.service":          "systemctl restart worker@1",
		"pytest tests/api -n 4":                       "pytest -n auto tests/api",
		"pytest -n auto tests/unit":                   "",
		"docker compose -f a.yml down -v":             "docker compose down -v",
		"docker compose -f a.yml down":                "",
		"pulumi up":                                   "",
		"make zone":                                   "",
		"psql -d orders_live -f a.sql":                "orders_live",
		"kill -15 311":                                "",
		"kubectl delete pod web-1 -n queue --dry-run": "",
	} {
		if got := first(b.Command(line)); got != want {
			t.Errorf("%q is found by %q, want %q", line, got, want)
		}
	}
}

// Where the title names a word or a flag of a command, its values are examples. A command that adds to it is the cure, a
// flag may be what is warned of, and names in a document about a command say nothing.
func TestBook_CommandsOfATitle(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Pruning loses claims\n\n`!argoctl app sync shop --prune` took `shop_claims` along.",
		"Clearing tasks without dates\n\n`!flowctl tasks clear orders_daily`, `+flowctl tasks clear orders_daily -s 1`",
		"Modes\n\n`!--mode local`, `+sendctl job --mode remote a.py`",
	)
	for line, want := range map[string]string{
		"argoctl app sync billing --prune --wait": "argoctl app sync shop --prune",
		"argoctl app sync billing":                "",
		"dbctl dump shop_claims":                  "",
		"flowctl tasks clear claims_hourly -y":    "flowctl tasks clear orders_daily",
		"flowctl tasks clear claims_hourly -s 4":  "",
		"sendctl job b.py --mode local":           "--mode local",
		"sendctl job b.py --mode remote":          "",
	} {
		if got := first(b.Command(line)); got != want {
			t.Errorf("%q is found by %q, want %q", line, got, want)
		}
	}
}

// A rule for a folder says nothing of others, a place is no message, and neither is what a program prints of every failure.
func TestBook_PlacesAndEveryFailure(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Clock\n\nInside `services/billing` never call `!time.Now()`.",
		"Waits\n\nCode in `drivers/radio` runs in interrupts. `!k_sleep(` and `!k_wait(` stop it there.",
		"Sums\n\n`services/billing/sum.py` rounds. Pushes end with `error: failed to push some refs to`.",
	)
	for file, want := range map[string]string{"services/billing/a/b.go": "time.Now()", "services/sorter/a.go": ""} {
		if got := first(b.Text(file, "at := time.Now()")); got != want {
			t.Errorf("in %s %q is found, want %q", file, got, want)
		}
	}
	for file, want := range map[string]string{"drivers/radio/a.c": "k_wait(", "drivers/wheel/a.c": ""} {
		if got := first(b.Text(file, "k_wait(3);")); got != want {
			t.Errorf("in %s %q is found, want %q", file, got, want)
		}
	}
	for _, output := range []string{"services/billing/sum.py:3: error: name", "error: failed to push some refs to 'x'"} {
		if got := first(b.Output(output)); got != "" {
			t.Errorf("%q is found by %q", output, got)
		}
	}
}

func TestBook_Text(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Shipments\n\n`!ALTER TABLE shipments ADD COLUMN`",
		"Tests\n\n`!time.Sleep`, `+await.Until`",
		"Locks\n\n`!SELECT ... FOR UPDATE`, `carts`",
		"Prices\n\n`+ceil(2)` and `+toFixed(2)`",
		"Indexes\n\n`!op.create_index`, `+postgresql_concurrently=True`, `+autocommit_block()`",
	)
	for text, want := range map[string]string{
		"BEGIN;\nalter  table shipments\n  add column x int;": "ALTER TABLE shipments ADD COLUMN",
		"ALTER TABLE shipments_old ADD COLUMN x int":          "",
		"\ttime.Sleep(time.Second)":                           "time.Sleep",
		"\tawait.Until(t, done)":                              "",
		"SELECT * FROM carts WHERE id = 1 FOR UPDATE":         "SELECT ... FOR UPDATE",
		"FOR UPDATE of what we SELECT":                        "",
		"return x.toFixed(2)":                                 "",
		`op.create_index("a", "b", ["c"])`:                    "op.create_index",
		`with autocommit_block():
			op.create_index("a", "b", ["c"], postgresql_concurrently=True)`: "", // with the remedy
	} {
		if got := first(b.Text("a.go", text)); got != want {
			t.Errorf("%q is found by %q, want %q", text, got, want)
		}
	}
}

// A printed line is found whatever its numbers are. One that several documents quote says nothing.
func TestBook_Output(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Pool\n\n```\nacquire connection: pool exhausted after 30s (in use 40)\n```\n\nAlso `exit status 1`.",
		"Locks\n\n`remote: Lock exists on assets/hall.psd, owned by build-bot`",
		"One\n\n`no such file or directory`", "Two\n\n`no such file or directory`", "Three\n\n`no such file or directory`",
	)
	for output, want := range map[string]string{
		"ERROR acquire connection: pool exhausted after 9s (in use 7)\n": "acquire connection: pool exhausted after 30s (in use 40)",
		"open x: no such file or directory\nexit status 1":               "",
		"remote: Lock exists on a/b.psd, owned by build-bot":             "remote: Lock exists on assets/hall.psd, owned by build-bot",
		"remote: Lock exists on a/b.psd, owned by mia":                   "remote: Lock exists on assets/hall.psd, owned by build-bot",
		"remote: Lock released on a/b.psd, once owned by mia":            "",
	} {
		if got := first(b.Output(output)); got != want {
			t.Errorf("%q is found by %q, want %q", output, got, want)
		}
	}
}

func FuzzBook(f *testing.F) {
	f.Add("`a -b` never `c.d()`", "a -b 'c \"d", "x … y")
	f.Add("```\n$ -\n```", "- -- -1 $(x) \\", "()")
	f.Fuzz(func(t *testing.T, text, line, more string) {
		parsed, err := markdown.Parse([]byte("# Title\n\n" + text))
		if err != nil {
			return
		}
		b := &Book{}
		for range 2 {
			var quotes []string
			for _, q := range parsed.Quotes() {
				if q != markdown.ParseQuote(q.String()) {
					t.Errorf("%q is read back as %q", q, markdown.ParseQuote(q.String()))
				}
				quotes = append(quotes, q.String())
			}
			b.Add(more, quotes)
		}
		said := strings.Join(strings.Fields(text+"\n"+more), " ") // more is the title
		for _, given := range []string{line, text, more} {
			for _, matches := range [][]Match{b.Command(given), b.Text(more, given), b.Output(given)} {
				for _, m := range matches {
					if m.Weight <= 0 || m.Document > 1 || !strings.Contains(said, strings.Join(strings.Fields(m.Text), " ")) {
						t.Errorf("%q: %+v", given, m)
					}
				}
			}
		}
	})
}
