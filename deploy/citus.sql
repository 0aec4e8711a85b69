-- Distributes the index over the nodes of a Citus cluster, by project. For Citus 12 or newer.
-- docs/teams.md says when that is worth it, and which steps come before and after.
--
-- Run it once, as the owner of the database, on the coordinator, after the migration and before the
-- first document:
--
--     psql "$CDOCS_DATABASE_URL" -f deploy/citus.sql
--
-- It is not one transaction, because each node has separate connections. If a statement fails, drop
-- the tables with the migration's way down, migrate, and run it again.

\set ON_ERROR_STOP on

-- document_chunks has triggers. They write to passages and embeddings of the same project,
-- which are on the same node.
SET citus.enable_unsafe_triggers = on;
-- Else the tables that refer to a reference table would be converted first, which Citus
-- can't do to one with an identity column.
SET citus.enable_local_reference_table_foreign_keys = off;

DO $$
BEGIN
    IF EXISTS (SELECT FROM tenants) THEN
        RAISE EXCEPTION 'the index is not empty: distribute it before the first document, or begin with an empty database';
    END IF;
END
$$;

-- Every node has the tables that projects share.
SELECT create_reference_table('embedding_models');
SELECT create_reference_table('projects');

-- The rest is where its project is. passages and embeddings come before document_chunks,
-- whose triggers name them.
SELECT create_distributed_table('tenants', 'project_id');
SELECT create_distributed_table('documents', 'project_id', colocate_with => 'tenants');
SELECT create_distributed_table('passages', 'project_id', colocate_with => 'tenants');
SELECT create_distributed_table('embeddings', 'project_id', colocate_with => 'tenants');
SELECT create_distributed_table('document_chunks', 'project_id', colocate_with => 'tenants');
SELECT create_distributed_table('document_links', 'project_id', colocate_with => 'tenants');

-- A server sets these in its transactions, on the coordinator. The nodes never
-- see that, and a search without them finds a fifth of what it should.
DO $body$
DECLARE
    setting text;
    failed  record;
BEGIN
    FOREACH setting IN ARRAY ARRAY[
        'jit = off',
        'max_parallel_workers_per_gather = 0',
        'random_page_cost = 1.1',
        'enable_seqscan = off',
        'hnsw.ef_search = 200',
        'hnsw.iterative_scan = relaxed_order',
        'bytea_output = hex'
    ] LOOP
        -- The cast loads pgvector, so that the node knows the names of its settings. A worker
        -- must not pass its statement on to other workers: each gets its own.
        SELECT nodeid, result INTO failed
        FROM run_command_on_all_nodes(format(
            $node$DO $do$ BEGIN PERFORM '[1]'::vector; SET LOCAL citus.enable_ddl_propagation = off;
                ALTER DATABASE %I SET %s; END $do$ $node$, current_database(), setting))
        WHERE NOT success LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'node % does not set %: %', failed.nodeid, setting, failed.result;
        END IF;
    END LOOP;
    -- For the migrations of later releases, which change several tables in a transaction.
    EXECUTE format('ALTER DATABASE %I SET citus.multi_shard_modify_mode = sequential', current_database());
END
$body$;

-- To look at: two reference tables, six distributed ones in one group, and their partitions.
SELECT table_name, citus_table_type, distribution_column, colocation_id, shard_count FROM citus_tables ORDER BY table_name::text;
