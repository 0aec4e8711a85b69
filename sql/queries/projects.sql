-- name: ProjectUpsert :one
-- DO UPDATE rather than DO NOTHING: a conflict must return the row too.
INSERT INTO projects (name) VALUES (@name)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: ProjectDeleteEmpty :execrows
DELETE FROM projects p
WHERE p.id = @id AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.project_id = p.id);
