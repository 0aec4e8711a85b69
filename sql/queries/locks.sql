-- name: LockProjectShared :exec
-- Held by a transaction that changes documents or adds vectors, so that neither the
-- tenant nor a passage that it relies on is removed before it commits. class:
-- db.LockPassages. Every such transaction takes its locks in one order, so that none
-- deadlock: the project's row (to register and delete tenants), this lock, new
-- passages by hash, the tenant's row (TenantIncrementVersion), documents, promoted
-- passages by hash.
SELECT pg_advisory_xact_lock_shared(@class::integer, @project_id::integer);

-- name: LockProjectExclusive :exec
-- Held by a transaction that removes tenants or passages: it waits for the
-- writers under way, and they for it.
SELECT pg_advisory_xact_lock(@class::integer, @project_id::integer);
