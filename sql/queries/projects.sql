-- name: ProjectUpsert :one
-- DO UPDATE and not DO NOTHING, so that a conflict returns the row too.
INSERT INTO projects (name) VALUES (@name)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: ProjectFind :one
SELECT id FROM projects WHERE name = @name;

-- name: ProjectLock :one
-- A transaction that deletes tenants holds this lock. ProjectUpsert and the foreign key of a new tenant
-- wait for it, so that nobody registers a tenant in a project that is about to be deleted.
SELECT id FROM projects WHERE name = @name FOR UPDATE;

-- name: ProjectDelete :exec
-- For a project without a tenant, as TenantCount says. Needs ProjectLock.
DELETE FROM projects WHERE id = @id;
