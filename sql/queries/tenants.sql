-- name: TenantUpsert :one
INSERT INTO tenants (project_id, branch_name, path_hash, repo_root)
VALUES (@project_id, @branch_name, @path_hash, @repo_root)
ON CONFLICT (project_id, branch_name, path_hash)
    DO UPDATE SET repo_root = excluded.repo_root, last_seen = now()
RETURNING id;

-- name: TenantFind :one
-- Unlike TenantUpsert it leaves no trace of a tenant that is not there.
SELECT t.project_id, t.id, t.version
FROM tenants t JOIN projects p ON p.id = t.project_id
WHERE p.name = @project_name AND t.branch_name = @branch_name AND t.path_hash = @path_hash;

-- name: TenantLastBranch :one
-- The branch on which a checkout was last in use.
SELECT t.branch_name
FROM tenants t JOIN projects p ON p.id = t.project_id
WHERE p.name = @project_name AND t.path_hash = @path_hash
ORDER BY t.last_seen DESC LIMIT 1;

-- name: TenantVersion :one
SELECT version FROM tenants WHERE project_id = @project_id AND id = @id;

-- name: TenantBump :execrows
-- Belongs to every transaction that changes the tenant's documents, before the
-- first of them: who writes to one tenant takes turns. No row: the tenant is gone.
UPDATE tenants SET version = version + 1, last_seen = now()
WHERE project_id = @project_id AND id = @id;

-- name: TenantSyncStatus :one
SELECT sync_status FROM tenants WHERE project_id = @project_id AND id = @id;

-- name: TenantSetSyncStatus :exec
UPDATE tenants SET sync_status = @sync_status, last_seen = now()
WHERE project_id = @project_id AND id = @id;

-- name: TenantEmbeddingModel :one
-- The model that made the tenant's vectors; no row before the first.
SELECT m.id, m.name, m.digest, m.dimensions, m.prompt_version
FROM tenants t JOIN embedding_models m ON m.id = t.embedding_model_id
WHERE t.project_id = @project_id AND t.id = @id;

-- name: TenantSetEmbeddingModel :execrows
-- No row: the tenant is gone. Without replace a model that the tenant has stays.
UPDATE tenants SET embedding_model_id =
    CASE WHEN @replace::boolean THEN @embedding_model_id::integer
        ELSE coalesce(embedding_model_id, @embedding_model_id::integer) END
WHERE project_id = @project_id AND id = @id;

-- name: TenantContents :one
-- What the tenants of a project hold of its own documents; a branch or path that
-- is NULL stands for all.
SELECT count(*) AS documents, coalesce(sum(d.chunk_count), 0)::bigint AS chunks
FROM documents d
JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
JOIN projects p ON p.id = t.project_id
WHERE p.name = @project_name AND d.collection = 'compounding'
    AND (sqlc.narg('branch_name')::text IS NULL OR t.branch_name = sqlc.narg('branch_name'))
    AND (sqlc.narg('path_hash')::text IS NULL OR t.path_hash = sqlc.narg('path_hash'));

-- name: TenantDelete :exec
-- Documents of every collection, chunks and links go by their foreign keys. A
-- branch or path that is NULL stands for all. Needs ProjectLock and
-- LockProjectExclusive.
DELETE FROM tenants
WHERE project_id = @project_id
    AND (sqlc.narg('branch_name')::text IS NULL OR branch_name = sqlc.narg('branch_name'))
    AND (sqlc.narg('path_hash')::text IS NULL OR path_hash = sqlc.narg('path_hash'));
