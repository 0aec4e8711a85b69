package codename

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/said"
)

// A line defines the name, or only uses it.
func TestDefinitions_OfALine(t *testing.T) {
	t.Parallel()
	const name = "merge_rows"
	for _, tt := range []struct {
		file, line string
		want       bool
	}{
		{"a.go", "func mergeRows(a, b Row) Row {", true},
		{"a.go", "func (s *Store[T]) MergeRows(a Row) {", true},
		{"a.go", "const (\n\tMergeRows = 3\n)", true},
		{"a.go", "\trow := mergeRows(a, b)", false},
		{"a.go", "// func mergeRows is gone", false},
		{"a.py", "    async def merge_rows(self):", true},
		{"a.py", "MERGE_ROWS: int = 3", true},
		{"a.py", "from rows import merge_rows", false},
		{"a.py", "    merge_rows = load()", false},
		{"a.ts", "export const mergeRows = async (a: Row) => {", true},
		{"a.ts", "  private async mergeRows<T>(a: T): Promise<T> {", true},
		{"a.ts", "import { type MergeRows } from './rows'", false},
		{"a.js", "exports.mergeRows = function (a) {", true},
		{"a.js", "  rows.mergeRows('a', function (row) {", false},
		{"a.java", "  public <T> List<T> mergeRows(T a) {", true},
		{"a.java", "    return mergeRows(a);", false},
		{"a.kt", "private suspend inline fun <T> List<T>.mergeRows() = 1", true},
		{"a.cs", "internal sealed partial class MergeRows(int a)", true},
		{"a.cs", "    var row = MergeRows(a);", false},
		{"a.c", "merge_rows(struct row *a)", true},
		{"a.c", "static int merge_rows(int a)", true},
		{"a.c", "\tstruct merge_rows *rows = 0;", false},
		{"a.c", "\tmerge_rows(a);", false},
		{"a.h", "int merge_rows(int a);", true},
		{"a.h", "struct merge_rows;", false},
		{"a.h", "} merge_rows;", true},
		{"a.hpp", "class MergeRows final : public Rows {", true},
		{"a.cpp", "int Rows::merge_rows(int a) {", true},
		{"a.rs", "    pub(crate) async fn merge_rows<T>(", true},
		{"a.rs", "impl Rows for MergeRows {", false},
		{"a.rb", "  def self.merge_rows(a)", true},
		{"a.rb", "    merge_rows(a)", false},
		{"a.php", "    protected static function mergeRows($a) {", true},
		{"a.php", "define('MERGE_ROWS', 3);", true},
		{"a.swift", "    mutating func mergeRows() -> Int {", true},
		{"a.sh", "merge_rows() {", true},
		{"a.sh", "merge_rows", false},
		{"a.sql", `create or replace function public.merge_rows(a int)`, true},
		{"a.sql", "CREATE TABLE IF NOT EXISTS `merge_rows` (", true},
		{"a.sql", "GROUP BY merge_rows;", false},
		{"a.py", `    db_table = "merge_rows"`, true},
		{"a.py", `os.environ["MERGE_ROWS"]`, true},
		{"a.go", strings.Repeat(" ", maxCodeLine) + "func mergeRows()", false},
	} {
		got := definitions(tt.file, tt.line, func(key string) bool { return key == foldName(name) })
		if (len(got) == 1) != tt.want {
			t.Errorf("%s %q defines %v, want the name: %v", tt.file, tt.line, got, tt.want)
		}
	}
}

// Routes and flags stand in strings. A client of a route and a call of a program define none.
func TestNames_RoutesAndFlags(t *testing.T) {
	t.Parallel()
	var n Names
	n.Add(0, said.Names([]string{"POST /v2/orders/{id}/rows?all=1", "orders --merge-rows 3", "/health"}), nil)
	for line, want := range map[string]string{
		`mux.HandleFunc("POST /v2/orders/{order}/rows", h)`: "/v2/orders/{}/rows",
		`router.post('/v2/orders/:id/rows', handle)`:        "/v2/orders/{}/rows",
		`await client.post("/v2/orders/7/rows")`:            "",
		`axios.post("/v2/orders/{id}/rows")`:                "",
		`app.get("/health", h)`:                             "",
		`flag.Int("merge-rows", 0, "how many")`:             "--merge-rows",
		`run(["orders", "--merge-rows", "3"])`:              "",
	} {
		if got := first(n.In("a.go", line)); got != want {
			t.Errorf("%s is found by %q, want %q", line, got, want)
		}
	}
}

// Names that are common, that many documents have, or that another file is said to define find nothing.
func TestNames_In(t *testing.T) {
	t.Parallel()
	const text = "def merge_rows(): pass\ndef run(): pass\ndef get_user(): pass\ndef integrate(): pass\nclass Ledger: pass\n"
	for _, tt := range []struct {
		name, quotes, places, file string
		documents                  int
		want                       string
	}{
		{"several parts", "mergeRows()", "", "a.py", 1, "mergeRows"},
		{"in many documents", "mergeRows()", "", "a.py", mostNaming + 1, ""},
		{"common", "run\nget_user\nmain()", "", "a.py", 1, ""},
		{"one word", "integrate", "", "a.py", 1, ""},
		{"one word of a type in the file", "Ledger.integrate", "", "ledger.py", 1, "integrate"},
		{"one word of a type elsewhere", "Journal.integrate", "", "a.py", 1, ""},
		{"defined elsewhere", "merge_rows", "b.py#merge_rows", "a.py", 1, ""},
		{"defined here", "merge_rows", "a.py#merge_rows", "a.py", 1, "merge_rows"},
	} {
		var n Names
		for i := range tt.documents {
			n.Add(i, said.Names(strings.Split(tt.quotes, "\n")), strings.Fields(tt.places))
		}
		if got := first(n.In(tt.file, text)); got != tt.want {
			t.Errorf("%s: found by %q, want %q", tt.name, got, tt.want)
		}
	}
}

// first returns the text of the first match, "" without one.
func first(matches []Match) string {
	if len(matches) == 0 {
		return ""
	}
	return matches[0].Text
}

func FuzzNames(f *testing.F) {
	f.Add("a.go", "func mergeRows() {", "mergeRows()")
	f.Add("a.js", `get("/a/b", --x-y`, "GET /a/b\n--x-y\n::\n_")
	f.Fuzz(func(t *testing.T, file, text, quotes string) {
		var n Names
		n.Add(0, said.Names(strings.Split(quotes, "\n")), strings.Split(quotes, "\n"))
		for _, m := range n.In(file, text) {
			if m.weight < 1 || m.Document != 0 || m.Text == "" {
				t.Errorf("%+v", m)
			}
		}
	})
}
