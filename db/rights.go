package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Rights says what the role of a database URL may do in the database.
type Rights struct {
	// Role and Schema are quoted as SQL identifiers. Schema is where tables would be made.
	Role, Schema string
	// Standby means that the server follows another one, ReadOnly that transactions
	// write nothing, for whatever reason.
	Standby, ReadOnly bool
	// HasVector means that the extension is in the database, MayAddVector that the role
	// may create it.
	HasVector, MayAddVector bool
	MayCreateTables         bool
	// MayWrite is false for a role that only reads the tables that are there.
	MayWrite bool
}

// ReadRights connects to a database, and creates nothing. Errors are [*Error].
func ReadRights(ctx context.Context, url string) (rights Rights, err error) {
	const op = "read the role's rights"
	err = visit(ctx, op, url, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			SELECT quote_ident(current_user), coalesce(quote_ident(current_schema()), 'public'),
				pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
				EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'),
				(SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR has_database_privilege(current_database(), 'CREATE')
					AND EXISTS (SELECT FROM pg_available_extension_versions WHERE name = 'vector' AND trusted),
				coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
				coalesce(has_table_privilege(to_regclass('documents'), 'INSERT'), true)`,
			pgx.QueryExecModeSimpleProtocol,
		).Scan(&rights.Role, &rights.Schema, &rights.Standby, &rights.ReadOnly, &rights.HasVector, &rights.MayAddVector,
			&rights.MayCreateTables, &rights.MayWrite)
	})
	return rights, err
}
