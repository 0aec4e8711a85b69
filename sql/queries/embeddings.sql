-- name: EmbeddingQueue :many
-- Passages of the tenant without a vector of the model: promoted ones first, then passages of the
-- newest files. skipped are passages that the model refuses.
SELECT p.hash, p.heading, p.content
FROM (
    SELECT c.passage_hash, max(c.promotion_level) AS level, max(d.file_mtime) AS changed
    FROM document_chunks c
    JOIN documents d ON d.project_id = @project_id AND d.id = c.document_id
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
        AND (@paths::text[] IS NULL OR d.relative_path = ANY(@paths::text[]))
        AND c.passage_hash <> ALL(coalesce(@skipped::uuid[], '{}'))
        AND NOT EXISTS (
            SELECT 1 FROM embeddings e
            WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = @model_id
                AND e.hash = c.passage_hash
            OFFSET 0)
    GROUP BY c.passage_hash
    ORDER BY level DESC, changed DESC, c.passage_hash
    LIMIT @max_passages
) AS q
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, p.content
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = q.passage_hash
    OFFSET 0
) AS p
ORDER BY q.level DESC, q.changed DESC, p.hash;

-- name: EmbeddingProgress :many
-- The number of chunks of each collection, in the order of collections, and how many of them lack a
-- vector of the model.
SELECT p.chunks, p.missing
FROM unnest(@collections::collection[]) WITH ORDINALITY AS k (collection, ordinal)
CROSS JOIN LATERAL (
    SELECT count(*) AS chunks, count(*) FILTER (WHERE e.hash IS NULL) AS missing
    FROM document_chunks c
    LEFT JOIN embeddings e ON e.collection = k.collection AND e.project_id = @project_id AND e.model_id = @model_id
        AND e.hash = c.passage_hash
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = k.collection
        AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
) AS p
ORDER BY k.ordinal;

-- name: EmbeddingInsertMany :exec
-- Stores vectors of passages that still exist. The rows of the passages stay locked until the commit. So
-- the trigger of document_chunks, which promotes passages, waits and then finds the vectors. Needs
-- LockProjectShared.
INSERT INTO embeddings (collection, project_id, model_id, hash, embedding, promoted)
SELECT p.collection, p.project_id, @model_id, p.hash, v.embedding, p.promoted
FROM (SELECT unnest(@hashes::uuid[]) AS hash, unnest(@embeddings::halfvec[]) AS embedding) AS v
JOIN passages p ON p.collection = @collection AND p.project_id = @project_id AND p.hash = v.hash
WHERE p.hash = ANY(@hashes::uuid[])
ORDER BY p.hash
FOR SHARE OF p
ON CONFLICT (collection, project_id, model_id, hash) DO NOTHING;

-- name: EmbeddingDeleteUnused :many
-- Deletes vectors of models that no tenant of the project uses, for some passages at a time.
DELETE FROM embeddings e
WHERE e.project_id = @project_id AND e.collection = ANY(enum_range(NULL::collection)) AND e.hash IN (
    SELECT u.hash FROM embeddings u
    WHERE u.project_id = @project_id AND u.collection = ANY(enum_range(NULL::collection))
        AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.project_id = @project_id AND t.embedding_model_id = u.model_id)
    LIMIT @max_embeddings)
    AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.project_id = @project_id AND t.embedding_model_id = e.model_id)
RETURNING e.hash;
