-- name: LockProjectShared :exec
-- A transaction that changes documents or adds vectors holds this lock, so that nobody removes its
-- tenant or passages before it commits. class is db.LockPassages. To avoid deadlocks, every such
-- transaction takes its locks in this order: the project's row (to register and delete tenants), this
-- lock, new passages by hash, the tenant's row (TenantIncrementVersion), documents, promoted passages
-- by hash.
SELECT pg_advisory_xact_lock_shared(@class::integer, @project_id::integer);

-- name: LockProjectExclusive :exec
-- A transaction that removes tenants or passages holds this lock: it waits for present writers, and new
-- writers wait for it.
SELECT pg_advisory_xact_lock(@class::integer, @project_id::integer);
