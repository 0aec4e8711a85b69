package quoted

import "testing"

// What a document plainly says decides: the rule that has more of a call, with its exception and its place.
func TestBook_PlainRules(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Buckets\n\nNever run `mc rm --versions`. `mc rm --force hlx/tmp/x` is fine. Never run `mc mirror --remove`.",
		"Branches\n\nNever run `git push --force origin main`. Run `git push --force origin` on your own branch instead.",
		"Inventory\n\nNever run `ansible-playbook site.yml` without `--limit`.",
		"Perl\n\nNever use `cpanm`. Never run `nohup prove`.",
		"Nodes\n\nNever set `state=down`. Run `scontrol update nodename=n1 state=drain` instead.",
		"R\n\nNever call `renv::update()`.",
		"References\n\nNever run `samtools faidx` in `/refs`. Never run `npm ci` in `graph/`.",
		"Queues\n\nNever delete from `orders_archive`, and never run `rabbitmqctl reset`.",
	)
	for line, want := range map[string]string{
		"mc rm --recursive --force --versions hlx/tmp/y":      "mc rm --versions",
		"mc rm --force hlx/tmp/y":                             "",
		"mc mirror --overwrite --remove out hlx/release":      "mc mirror --remove",
		"mc mirror out hlx/release":                           "",
		"git push --force origin main":                        "git push --force origin main",
		"git push --force origin fix-1":                       "",
		"ansible-playbook -i inventory site.yml":              "ansible-playbook site.yml",
		"ansible-playbook -i inventory site.yml --limit web":  "",
		"ansible-playbook site.yml --check":                   "",
		"ssh n1 'sudo cpanm --notest XML::LibXML'":            "cpanm",
		"sudo -u perl cpanm DBI":                              "cpanm",
		"prove -l t":                                          "",
		"nohup prove -l t":                                    "nohup prove",
		"scontrol update NodeName=n52 State=DOWN reason=bios": "state=down",
		"scontrol update NodeName=n52 State=DRAIN":            "",
		"R -q -e 'renv::update(prompt = FALSE)'":              "renv::update()",
		"samtools faidx /refs/GRCh38/genome.fa":               "samtools faidx",
		"samtools faidx /scratch/build/genome.fa":             "",
		"cd graph && npm ci":                                  "npm ci",
		"cd site && npm ci":                                   "",
		"psql -c 'SELECT count(*) FROM orders_archive'":       "",
		"git rm --force mc":                                   "",
	} {
		if got := first(b.Command(line)); got != want {
			t.Errorf("%q matches %q, want %q", line, got, want)
		}
	}
}

// What many documents show is a usual call: the words around it are no warning, and a plain rule still is.
func TestBook_UsualCalls(t *testing.T) {
	t.Parallel()
	usage := func(name string) string { return name + "\n\n`+pants lint ::`, `+pants test ::`" }
	b := book(t, usage("One"), usage("Two"), usage("Three"),
		"Notes\n\n`!pants lint` fails, `!pants repl --shell` too, and `!pants tailor`",
		"Rule\n\nNever run `pants test ::`.")
	for line, want := range map[string]string{
		"pants lint src::":       "",
		"pants repl --shell=ipy": "pants repl --shell",
		"pants tailor src::":     "pants tailor",
		"pants test ::":          "pants test ::",
	} {
		if got := first(b.Command(line)); got != want {
			t.Errorf("%q matches %q, want %q", line, got, want)
		}
	}
}

// In a text that is written, what is plainly forbidden may be a name or a sign, and a call has any arguments. Code that
// goes on as what is fine is fine.
func TestBook_PlainRulesOfTexts(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Times\n\nNever call `datetime.now()`: write `datetime.now(UTC)` instead. Never use `LocalTime` or `%>%`.",
		"Indexes\n\nNever write a plain `CREATE INDEX`. Write `CREATE INDEX CONCURRENTLY` instead.",
		"Settings\n\nNever call `env()` outside `config/`.",
		"Images\n\nNever set `publishDir` without `mode: 'copy'`.",
	)
	for _, test := range []struct{ file, text, want string }{
		{"a.py", "at = datetime.now()", "datetime.now()"},
		{"a.py", "at = datetime.now(UTC)", ""},
		{"a.kt", "val opens: LocalTime = parse(text)", "LocalTime"},
		{"a.kt", "val localtime = 3", ""},
		{"a.R", "lanes %>% summarise(n)", "%>%"},
		{"a.sql", "CREATE INDEX i ON t (c);", "CREATE INDEX"},
		{"a.sql", "CREATE INDEX CONCURRENTLY i ON t (c);", ""},
		{"app/Mail.php", "$sender = env('MAIL_SENDER');", "env()"},
		{"config/mail.php", "'sender' => env('MAIL_SENDER'),", ""},
		{"a.nf", "publishDir params.out, mode: 'symlink'", "publishDir"},
		{"a.nf", "publishDir params.out, mode: 'copy'", ""},
	} {
		if got := first(b.Text(test.file, test.text)); got != test.want {
			t.Errorf("%s: %q matches %q, want %q", test.file, test.text, got, test.want)
		}
	}
}
