-- name: ProjectUpsert :one
-- DO UPDATE rather than DO NOTHING: a conflict must return the row too.
INSERT INTO projects (name) VALUES (@name)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: ProjectFind :one
SELECT id FROM projects WHERE name = @name;

-- name: ProjectLock :one
-- Held by a transaction that deletes tenants: ProjectUpsert waits for it, and so does the
-- foreign key of a new tenant, so that none is registered in a project that is about to go.
SELECT id FROM projects WHERE name = @name FOR UPDATE;

-- name: ProjectDelete :exec
-- For a project that has no tenant, by TenantCount. Needs ProjectLock.
DELETE FROM projects WHERE id = @id;
