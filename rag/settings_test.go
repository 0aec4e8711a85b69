package rag_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/rag"
)

// Settings of the database by which values are written otherwise change no answer.
func TestSearch_WithForeignSettings(t *testing.T) {
	t.Parallel()
	f := setup(t)
	conn, err := pgx.Connect(t.Context(), f.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	database := pgx.Identifier{conn.Config().Database}.Sanitize()
	for _, setting := range []string{
		"standard_conforming_strings = off", "datestyle = 'SQL, DMY'", "bytea_output = 'escape'", "client_encoding = 'LATIN1'",
		"timezone = 'Asia/Kolkata'", "intervalstyle = 'sql_standard'", "array_nulls = off", "transform_null_equals = on",
		"enable_indexscan = off", "extra_float_digits = -10", "default_transaction_isolation = 'serializable'",
	} {
		_, settingErr := conn.Exec(t.Context(), "ALTER DATABASE "+database+" SET "+setting)
		err = errors.Join(err, settingErr)
	}
	_, endErr := conn.Exec(t.Context(),
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err := errors.Join(err, endErr, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	f.Add(t, f.Tenant, file("docs/pool.md", "# Connection pool", "", "The pool of größter Länge was exhausted; raise max_conns."))
	for _, mode := range rag.Modes() {
		hits := f.mustFind(t, rag.Query{Text: "exhausted pool", Mode: mode}, "docs/pool.md")
		if got := hits.Documents[0]; got.Stamp.Size == 0 || got.Stamp.ModTime.UnixNano() != 1_700_000_000_123_456_000 {
			t.Errorf("mode %s: the file's stamp is %+v", mode, got.Stamp)
		}
	}
}
