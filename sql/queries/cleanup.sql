-- name: CleanupTenants :many
-- Every checkout on every branch. The handbook has no repository, so it is left out.
SELECT t.project_id, p.name AS project_name, t.id, t.branch_name, t.path_hash, t.repo_root, t.last_seen,
    (t.last_seen <= now() - make_interval(secs => @grace_seconds::float8))::boolean AS unseen,
    (coalesce(t.lease_until, '-infinity') > now())::boolean AS in_use
FROM tenants t JOIN projects p ON p.id = t.project_id
WHERE t.repo_root <> ''
ORDER BY p.name, t.branch_name, t.path_hash;

-- name: CleanupCountDocuments :one
SELECT count(*) FROM documents WHERE project_id = @project_id AND tenant_id = @tenant_id;

-- name: CleanupDeleteTenant :one
-- Returns no row if the tenant is gone, or if somebody has used it since last_seen was read: registering
-- a tenant, taking its lease and writing to it all change last_seen. Foreign keys delete documents, chunks
-- and links. Needs LockProjectExclusive.
DELETE FROM tenants WHERE project_id = @project_id AND id = @id AND last_seen = @last_seen
RETURNING id;

-- name: CleanupProjects :many
SELECT id, name FROM projects ORDER BY name;

-- name: CleanupTenantVersions :many
SELECT id, version FROM tenants WHERE project_id = @project_id;

-- name: CleanupUnusedPassages :many
-- The passages that no chunk uses. Chunks of removable tenants do not count. The query reads
-- document_chunks_passage and the primary key of passages only once, for any number of tenants. It takes
-- no lock, because CleanupDeletePassages checks its result again.
SELECT p.hash
FROM passages p
WHERE p.collection = @collection AND p.project_id = @project_id
    AND NOT EXISTS (
        SELECT 1 FROM document_chunks c
        WHERE c.project_id = @project_id AND c.collection = @collection AND c.passage_hash = p.hash
            AND c.tenant_id <> ALL(coalesce(@removable::integer[], '{}')));

-- name: CleanupDeletePassages :many
-- Deletes the passages that are still unused. The foreign key deletes their vectors. Only tenants that
-- have changed since CleanupUnusedPassages can use one now, so the query reads only their chunks, over
-- document_chunks_passage. Needs LockProjectExclusive.
DELETE FROM passages p
WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = ANY(@hashes::uuid[])
    AND NOT EXISTS (
        SELECT 1 FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = ANY(@changed::integer[])
            AND c.collection = @collection AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
            AND c.passage_hash = p.hash)
RETURNING p.hash;

-- name: CleanupClaim :one
-- Returns no row if a server has looked for unused passages of the project within the interval. The row
-- of the project's first tenant has the time of the last look.
UPDATE tenants t SET swept_at = now()
WHERE t.project_id = @project_id AND t.id = (SELECT min(o.id) FROM tenants o WHERE o.project_id = @project_id)
    AND (t.swept_at IS NULL OR t.swept_at <= now() - make_interval(secs => @interval_seconds::float8))
RETURNING t.id;
