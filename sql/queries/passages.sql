-- name: PassageExisting :many
-- Which of the hashes need no embedding.
SELECT hash FROM passages
WHERE collection = @collection AND project_id = @project_id AND hash = ANY(@hashes::uuid[]);

-- name: PassageInsertMany :exec
-- Rows must come sorted by hash: two servers that insert the same passages in
-- different orders would deadlock. promoted saves a row the update that follows
-- when promoted chunks come to point at it.
INSERT INTO passages (collection, project_id, hash, heading, content, embedding, promoted)
SELECT @collection, @project_id, p.hash, p.heading, p.content, p.embedding, p.promoted
FROM (
    SELECT unnest(@hashes::uuid[]) AS hash,
        unnest(@headings::text[]) AS heading,
        unnest(@contents::text[]) AS content,
        unnest(@embeddings::halfvec[]) AS embedding,
        unnest(@promoted::boolean[]) AS promoted
) AS p
ON CONFLICT (collection, project_id, hash) DO NOTHING;

-- name: PassageDeleteByProject :exec
-- For a project that is gone. Needs LockProjectExclusive.
DELETE FROM passages WHERE project_id = @project_id;
