-- name: ChunkDeleteByPaths :exec
DELETE FROM document_chunks c
WHERE c.project_id = @project_id AND c.document_id IN (
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = ANY(@relative_paths::text[]));

-- name: ChunkInsertMany :exec
-- Each column is one array. relative_paths name the chunks' documents; a chunk has the level of its
-- document. OFFSET 0 makes PostgreSQL look up each document: see search.sql.
INSERT INTO document_chunks (
    project_id, tenant_id, document_id, collection, ordinal, start_line, end_line, promotion_level,
    passage_hash, header_path
)
SELECT d.project_id, @tenant_id, d.id, @collection, c.ordinal, c.start_line, c.end_line, d.promotion_level,
    c.passage_hash, c.header_path
FROM (
    SELECT unnest(@relative_paths::text[]) AS relative_path,
        unnest(@ordinals::integer[]) AS ordinal,
        unnest(@start_lines::integer[]) AS start_line,
        unnest(@end_lines::integer[]) AS end_line,
        unnest(@passage_hashes::uuid[]) AS passage_hash,
        unnest(@header_paths::text[]) AS header_path
) AS c
CROSS JOIN LATERAL (
    SELECT d.project_id, d.id, d.promotion_level FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = c.relative_path
    OFFSET 0
) AS d;

-- name: ChunkTexts :many
-- The text of whole documents, passage by passage, with the scores of a query for each passage. The
-- distance is NaN if the query or the passage has no vector.
SELECT c.document_id, c.ordinal, c.header_path, c.start_line, c.end_line, p.heading, left(p.content, 20000) AS content,
    (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25,
    coalesce(1 - (p.meaning <=> sqlc.narg('meaning')::halfvec), 'NaN')::float8 AS likeness,
    coalesce(e.distance, 'NaN')::float8 AS distance
FROM document_chunks c
JOIN passages p ON p.collection = @collection AND p.project_id = @project_id AND p.hash = c.passage_hash
LEFT JOIN LATERAL (
    SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND e.hash = c.passage_hash
    OFFSET 0
) e ON true
WHERE c.project_id = @project_id AND c.document_id = ANY(@document_ids::bigint[])
    AND c.collection = @collection
ORDER BY c.document_id, c.ordinal;

-- name: ChunkPlaces :many
-- The places of some passages in the tenant's documents of all collections.
SELECT c.passage_hash, d.relative_path, c.start_line, c.end_line
FROM document_chunks c
JOIN documents d ON d.project_id = @project_id AND d.id = c.document_id
WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = ANY(enum_range(NULL::collection))
    AND c.promotion_level = ANY(enum_range(NULL::promotion_level)) AND c.passage_hash = ANY(@hashes::uuid[])
ORDER BY d.relative_path, c.start_line;
