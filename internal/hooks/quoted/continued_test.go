package quoted

import (
	"strings"
	"testing"
)

// continuedCase is a document that quotes a command over several lines, a command that it warns of, and one that
// it does not.
type continuedCase struct{ text, command, other string }

// continuedOwn are the cases on which the rules were written. continuedOther were put aside.
func continuedOwn() []continuedCase {
	return []continuedCase{
		{"Reports and locks\n\nThis hangs while reports run:\n\n```sh\npsql -h reports-db \\\n  --command 'VACUUM FULL events' \\\n  --echo-all\n```\n", "psql -h reports-db --echo-all --command 'VACUUM FULL events'", "psql -h reports-db --command 'SELECT 1'"},
		{"Volumes of Kafka\n\nNever run\n\n```bash\nkubectl delete pvc \\\n    data-kafka-0 \\\n    --namespace streaming\n```\n", "kubectl delete pvc data-kafka-0 --namespace streaming", "kubectl get pvc data-kafka-0 --namespace streaming"},
		{"Copying the bucket\n\nDo not do this:\n\n```\naws s3 sync s3://orders s3://orders-copy \\\n  --delete \\\n  --exact-timestamps\n```\n", "aws s3 sync s3://orders s3://orders-copy \\\n --exact-timestamps --delete", "aws s3 sync s3://orders s3://orders-copy"},
		{"Restoring loses roles\n\nThis breaks the roles of the cluster:\n\n```console\n$ pg_restore --clean \\\n    --if-exists \\\n    -d orders dump.bin\n```\n", "pg_restore -d orders --if-exists --clean dump.bin", "pg_restore --list dump.bin"},
		{"Removing the farm\n\nNever run this against production:\n\n```powershell\nRemove-AzResourceGroup `\n  -Name farm `\n  -Force\n```\n", "Remove-AzResourceGroup `\n  -Name farm `\n  -Force", "Get-AzResourceGroup `\n  -Name farm"},
		{"Images without a cache\n\nIt takes the registry down:\n\n```sh\ndocker buildx build \\\n  --no-cache \\\n  --push .\n```\n", "docker buildx build --push --no-cache .", "docker buildx build ."},
		{"Topics\n\nThat deletes the topic on all brokers:\n\n```shell\nkafka-topics.sh --delete \\\n  --topic orders\n```\n", "kafka-topics.sh --bootstrap-server b:9092 --topic orders --delete", "kafka-topics.sh --describe --topic orders"},
		{"Terraform and the peering\n\nThis leaves the peering half made:\n\n```sh\nterraform apply \\\n  -target=module.peering\n```\n", "terraform apply -target=module.peering", "terraform plan"},
		{"Helm\n\nNever use it like so:\n\n```sh\nhelm upgrade billing ./chart \\\n  --force \\\n  --atomic\n```\n", "helm upgrade billing ./chart --atomic --force", "helm upgrade billing ./chart"},
		{"Firewall\n\nThis locks everybody out:\n\n```sh\niptables \\\n  --flush INPUT\n```\n", "sudo iptables --flush INPUT", "sudo iptables --list INPUT"},
	}
}

func continuedOther() []continuedCase {
	return []continuedCase{
		{"Nightly copy\n\nThe shop stands still when you call it like this:\n\n```sh\nmysqldump shop \\\n  --lock-all-tables \\\n  --result-file=/tmp/shop.sql\n```\n", "mysqldump --lock-all-tables --result-file=/tmp/shop.sql shop", "mysqldump shop --single-transaction"},
		{"Rsync and the archive\n\nThis wiped the archive in May:\n\n```bash\nrsync -a ./out/ \\\n      archive:/srv/pictures/ \\\n      --delete-excluded\n```\n", "rsync -a --delete-excluded ./out/ archive:/srv/pictures/", "rsync -a ./out/ archive:/srv/pictures/"},
		{"Draining nodes\n\nDon't:\n\n```sh\nkubectl drain node-7 \\\n  --ignore-daemonsets \\\n  --disable-eviction\n```\n", "kubectl drain node-7 --disable-eviction --ignore-daemonsets", "kubectl drain node-7 --ignore-daemonsets"},
		{"The search cluster\n\nIt drops every index of the tenant:\n\n```\ncurl -X DELETE \\\n  http://search:9200/tenant-a\n```\n", "curl -s -X DELETE http://search:9200/tenant-a", "curl -s http://search:9200/tenant-a"},
		{"IIS on the old host\n\nNever restart it by\n\n```ps1\nInvoke-Command `\n  -ComputerName old-web `\n  -ScriptBlock { iisreset }\n```\n", "Invoke-Command `\n -ComputerName old-web `\n -ScriptBlock { iisreset }", "Invoke-Command -ComputerName new-web"},
		{"Migrating Redis\n\nThis crashes the replica:\n\n```sh\nredis-cli -h cache-2 \\\n  FLUSHALL \\\n  SYNC\n```\n", "redis-cli -h cache-2 FLUSHALL SYNC", "redis-cli -h cache-2 PING"},
		{"Publishing\n\nIt is forbidden to publish so:\n\n```sh\nnpm publish \\\n  --tag latest \\\n  --access public\n```\n", "npm publish --access public --tag latest", "npm pack"},
		{"Rewriting history\n\nThat corrupts the mirror:\n\n```sh\ngit filter-repo \\\n  --path secrets \\\n  --invert-paths\n```\n", "git filter-repo --invert-paths --path secrets", "git log --follow secrets"},
		{"Users of LDAP\n\nNever delete them recursively:\n\n```sh\nldapdelete -r \\\n  ou=people,dc=example\n```\n", "ldapdelete -r ou=people,dc=example", "ldapsearch ou=people,dc=example"},
		{"Certificates\n\nThis makes the proxy fail for an hour:\n\n```sh\ncertbot renew \\\n   --force-renewal\n```\n", "certbot renew --force-renewal", "certbot certificates"},
	}
}

// byCommand reports whether the best match is the command, and no name in it.
func byCommand(matches []Match) bool { return len(matches) > 0 && !matches[0].Name }

// A command over several lines is one command, and a sentence that says what it breaks is a warning.
func TestBook_CommandsOverSeveralLines(t *testing.T) {
	t.Parallel()
	for name, cases := range map[string][]continuedCase{"own": continuedOwn(), "other": continuedOther()} {
		found, wrong := 0, 0
		for _, c := range cases {
			b := book(t, c.text)
			if byCommand(b.Command(c.command)) {
				found++
			} else {
				t.Logf("%s: %s is silent", name, strings.SplitN(c.text, "\n", 2)[0])
			}
			if byCommand(b.Command(c.other)) {
				wrong++
				t.Logf("%s: %q is found", name, c.other)
			}
		}
		t.Logf("%s: %d of %d are found, %d wrongly", name, found, len(cases), wrong)
		if 10*found < 9*len(cases) || wrong > 0 {
			t.Errorf("%s: of %d commands %d are found, and %d others", name, len(cases), found, wrong)
		}
	}
}
