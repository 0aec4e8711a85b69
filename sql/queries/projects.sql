-- name: ProjectUpsert :one
-- DO UPDATE rather than DO NOTHING: a conflict must return the row too.
INSERT INTO projects (name) VALUES (@name)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: ProjectLock :one
-- Held by a transaction that deletes tenants: ProjectUpsert waits for it, so that
-- no tenant is registered in a project that is about to go.
SELECT id FROM projects WHERE name = @name FOR UPDATE;

-- name: ProjectDeleteEmpty :execrows
-- Needs ProjectLock.
DELETE FROM projects p
WHERE p.id = @id AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.project_id = p.id);
