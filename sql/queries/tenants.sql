-- name: TenantUpsert :one
-- Registers a tenant, and undoes an earlier deletion. version and generation begin at the same number.
INSERT INTO tenants (project_id, branch_name, path_hash, repo_root)
VALUES (@project_id, @branch_name, @path_hash, @repo_root)
ON CONFLICT (project_id, branch_name, path_hash)
    DO UPDATE SET repo_root = excluded.repo_root, last_seen = excluded.last_seen, deleted_at = NULL
RETURNING id, generation, embedding_model_id, (version > generation)::boolean AS written;

-- name: TenantSeen :exec
-- Records a use of the tenant. Unlike TenantUpsert it does not bring back a deleted tenant.
UPDATE tenants SET last_seen = now() WHERE project_id = @project_id AND id = @id;

-- name: TenantFind :one
-- Finds a tenant. Unlike TenantUpsert it does not register one that does not exist.
SELECT id, generation, version, coalesce(embedding_model_id, 0)::integer AS model_id, deleted_at
FROM tenants
WHERE project_id = @project_id AND branch_name = @branch_name AND path_hash = @path_hash;

-- name: TenantLastBranch :one
-- The branch on which somebody last used a checkout.
SELECT branch_name
FROM tenants
WHERE project_id = @project_id AND path_hash = @path_hash
ORDER BY last_seen DESC LIMIT 1;

-- name: TenantCount :one
SELECT count(*) FROM tenants WHERE project_id = @project_id;

-- name: TenantIncrementVersion :one
-- Comes first in every transaction that changes the tenant's documents, so that writers to one tenant take
-- turns. Returns no row if the tenant was deleted, or if another server than that of the given epoch
-- indexes it.
UPDATE tenants SET version = version + 1, last_seen = now()
WHERE project_id = @project_id AND id = @id AND generation = @generation
    AND (sqlc.narg('epoch')::bigint IS NULL OR epoch = sqlc.narg('epoch'))
RETURNING version;

-- name: TenantState :one
-- The part of a tenant's row that all its servers follow: the leader, its progress, and the version of the
-- documents. For a free lease, lease_until is now. writable can change when a standby is promoted. Returns no
-- row if the tenant was deleted.
SELECT coalesce(holder, '')::text AS holder, epoch, version, sync_status, now()::timestamptz AS now,
    lease_free(lease_until, now())::boolean AS free,
    (current_setting('transaction_read_only') = 'off' AND has_table_privilege('tenants', 'UPDATE'))::boolean AS writable,
    (CASE WHEN lease_free(lease_until, now()) THEN now() ELSE lease_until END)::timestamptz AS lease_until
FROM tenants
WHERE project_id = @project_id AND id = @id AND generation = @generation;

-- name: TenantTakeLease :one
-- Takes or renews the lease. It waits for a transaction of the last holder that has passed
-- TenantIncrementVersion; later transactions of that holder do not pass. It clears the status of another
-- holder. Returns no row if another server has the lease, or if the tenant was deleted.
UPDATE tenants SET
    epoch = epoch + (holder IS DISTINCT FROM @holder::text)::integer,
    sync_status = CASE WHEN holder = @holder::text THEN sync_status END,
    holder = @holder::text, lease_until = now() + make_interval(secs => @seconds::float8), last_seen = now()
WHERE project_id = @project_id AND id = @id AND generation = @generation
    AND (holder = @holder::text OR lease_free(lease_until, now()))
RETURNING epoch, version;

-- name: TenantGiveUpLease :exec
UPDATE tenants SET holder = NULL, lease_until = NULL
WHERE project_id = @project_id AND id = @id AND holder = @holder::text;

-- name: TenantSetSyncStatus :exec
-- Does nothing if another server indexes the tenant.
UPDATE tenants SET sync_status = CAST(@sync_status::text AS jsonb), last_seen = now()
WHERE project_id = @project_id AND id = @id AND generation = @generation
    AND (sqlc.narg('epoch')::bigint IS NULL OR epoch = sqlc.narg('epoch'));

-- name: TenantSetEmbeddingModel :one
-- Sets the model that makes the tenant's vectors. A change increments the tenant's version, because vectors
-- of unused models are deleted. Returns no row if the tenant is gone.
UPDATE tenants t SET embedding_model_id = @embedding_model_id::integer,
    version = t.version + (coalesce(before.embedding_model_id, @embedding_model_id) <> @embedding_model_id)::integer
FROM tenants before
WHERE t.project_id = @project_id AND t.id = @id AND t.generation = @generation
    AND before.project_id = @project_id AND before.id = @id
RETURNING t.version;

-- name: TenantEmbeddingModel :one
-- The model that makes the tenant's vectors. It is 0 before the first vector, and for a tenant that is gone.
SELECT coalesce(max(embedding_model_id), 0)::integer FROM tenants WHERE project_id = @project_id AND id = @id;

-- name: TenantContents :one
-- Counts the project's own documents and chunks in its tenants. A NULL branch or path means all.
SELECT count(*) AS documents, coalesce(sum(d.chunk_count), 0)::bigint AS chunks
FROM documents d
JOIN tenants t ON t.project_id = @project_id AND t.id = d.tenant_id
WHERE d.project_id = @project_id AND d.collection = 'compounding'
    AND (sqlc.narg('branch_name')::text IS NULL OR t.branch_name = sqlc.narg('branch_name'))
    AND (sqlc.narg('path_hash')::text IS NULL OR t.path_hash = sqlc.narg('path_hash'));

-- name: TenantMarkDeleted :exec
-- Marks tenants as deleted. From then on, only a server that activates a tenant again can write to it. A
-- NULL branch or path means all. As always in a transaction, the change of tenants comes before that of
-- documents. Needs ProjectLock and LockProjectExclusive.
UPDATE tenants SET generation = generation + 1, version = version + 1, deleted_at = now(), sync_status = NULL,
    holder = NULL, lease_until = NULL
WHERE project_id = @project_id
    AND (sqlc.narg('branch_name')::text IS NULL OR branch_name = sqlc.narg('branch_name'))
    AND (sqlc.narg('path_hash')::text IS NULL OR path_hash = sqlc.narg('path_hash'));

-- name: TenantDeleteDocuments :exec
-- Deletes the project's own documents of the tenants that TenantMarkDeleted has marked.
-- Foreign keys delete chunks and links.
DELETE FROM documents d USING tenants t
WHERE t.project_id = @project_id AND t.deleted_at IS NOT NULL
    AND d.project_id = @project_id AND d.tenant_id = t.id AND d.collection = 'compounding';

-- name: TenantDeleteEmpty :exec
-- Deletes the rows of deleted tenants that have no documents left. External docs stay.
DELETE FROM tenants t
WHERE t.project_id = @project_id AND t.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.project_id = @project_id AND d.tenant_id = t.id);
