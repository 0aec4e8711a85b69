-- name: LockProjectShared :exec
-- Held by a transaction that writes documents, so that no passage it counts on
-- is swept before it commits. class: db.LockPassages.
SELECT pg_advisory_xact_lock_shared(@class::integer, @project_id::integer);

-- name: LockProjectExclusive :exec
-- Held by a transaction that removes passages: it waits for the writers under
-- way, and they for it.
SELECT pg_advisory_xact_lock(@class::integer, @project_id::integer);
