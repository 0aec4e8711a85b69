-- name: PassageEstimate :one
-- How many passages an HNSW index holds, of all tenants, as the statistics have it:
-- 0 before the first ANALYZE, and where there is no such index.
SELECT coalesce((
    SELECT greatest(c.reltuples, 0) FROM pg_catalog.pg_class c
    WHERE c.oid = to_regclass('passages_' || @collection::collection
        || CASE WHEN @promoted::boolean THEN '_promoted' ELSE '_embedding' END)
), 0)::bigint AS passages;

-- name: SearchExact :many
-- Compares the query with every passage of the tenant that the filters let
-- through, and ranks documents by their best passage. Passages are reached by
-- primary key from document_chunks_passage. candidates is there so that a row has the
-- columns of SearchHNSW.
--
-- In this file OFFSET 0 keeps a sub-select one: it is looked up row by row. Joined
-- as the planner likes, two tables whose statistics are older than the tenant are
-- compared row by row with each other, which takes minutes.
WITH compared AS (
    SELECT c.document_id, c.ordinal, p.distance
    FROM document_chunks c
    CROSS JOIN LATERAL (
        SELECT (p.embedding <=> @query::halfvec)::float8 AS distance
        FROM passages p
        WHERE p.collection = @collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
        OFFSET 0
    ) p
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(@levels::promotion_level[])
        AND (@doc_types::text[] IS NULL OR c.document_id IN (
            SELECT d.id FROM documents d
            WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
                AND d.doc_type = ANY(@doc_types::text[])))
), best AS (
    SELECT DISTINCT ON (document_id) document_id, ordinal, distance
    FROM compared
    ORDER BY document_id, distance, ordinal
), top AS (
    SELECT document_id, ordinal, distance FROM best ORDER BY distance, document_id LIMIT @max_documents
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    c.header_path, c.start_line, c.end_line, top.distance, 0::bigint AS candidates
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal = top.ordinal
ORDER BY top.distance, d.relative_path;

-- name: SearchHNSW :many
-- Scans the collection's HNSW index outward from the query (iterative scan, relaxed
-- order), that of promoted passages unless the standard level is among the levels,
-- and keeps the passages that the tenant has, looking each up in
-- document_chunks_passage; sorts them again; ranks documents by their best passage.
-- candidates is how many passages the scan found: fewer than max_passages if it
-- ended before the limit.
WITH nearest AS MATERIALIZED (
    SELECT p.hash, (p.embedding <=> @query::halfvec)::float8 AS distance
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id
        AND (p.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
        AND EXISTS (
            SELECT 1 FROM document_chunks c
            WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
                AND c.passage_hash = p.hash
                AND c.promotion_level = ANY(@levels::promotion_level[])
                AND (@doc_types::text[] IS NULL OR c.document_id IN (
                    SELECT d.id FROM documents d
                    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                        AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
            OFFSET 0)
    ORDER BY p.embedding <=> @query::halfvec
    LIMIT @max_passages
), best AS (
    SELECT DISTINCT ON (c.document_id) c.document_id, c.ordinal, n.distance
    FROM nearest n
    CROSS JOIN LATERAL (
        SELECT c.document_id, c.ordinal
        FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(@levels::promotion_level[]) AND c.passage_hash = n.hash
        OFFSET 0
    ) c
    ORDER BY c.document_id, n.distance, c.ordinal
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    c.header_path, c.start_line, c.end_line, best.distance,
    (SELECT count(*) FROM nearest) AS candidates
FROM best
JOIN documents d ON d.project_id = @project_id AND d.id = best.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = best.document_id AND c.ordinal = best.ordinal
WHERE @doc_types::text[] IS NULL OR d.doc_type = ANY(@doc_types::text[])
ORDER BY best.distance, d.relative_path
LIMIT @max_documents;

-- name: PassageSearchExact :many
-- SearchExact with passages for results: one document may have several, and a
-- passage that stands in several documents is a result in each.
WITH top AS (
    SELECT c.document_id, c.ordinal, c.passage_hash, p.distance
    FROM document_chunks c
    CROSS JOIN LATERAL (
        SELECT (p.embedding <=> @query::halfvec)::float8 AS distance
        FROM passages p
        WHERE p.collection = @collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
        OFFSET 0
    ) p
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(@levels::promotion_level[])
        AND (@doc_types::text[] IS NULL OR c.document_id IN (
            SELECT d.id FROM documents d
            WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
                AND d.doc_type = ANY(@doc_types::text[])))
    ORDER BY distance, c.document_id, c.ordinal
    LIMIT @max_passages
)
SELECT d.relative_path, d.doc_type, top.ordinal, p.content, top.distance
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
CROSS JOIN LATERAL (
    SELECT p.content
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.passage_hash
    OFFSET 0
) p
ORDER BY top.distance, d.relative_path, top.ordinal;

-- name: PassageSearchHNSW :many
-- SearchHNSW with passages for results. Every passage that the scan finds is in one
-- document at least, so max_candidates of them make max_passages results; there are
-- more candidates than results because the order of the scan is relaxed.
WITH nearest AS MATERIALIZED (
    SELECT p.hash, (p.embedding <=> @query::halfvec)::float8 AS distance
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id
        AND EXISTS (
            SELECT 1 FROM document_chunks c
            WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
                AND c.promotion_level = ANY(@levels::promotion_level[]) AND c.passage_hash = p.hash
                AND (@doc_types::text[] IS NULL OR c.document_id IN (
                    SELECT d.id FROM documents d
                    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                        AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
            OFFSET 0)
    ORDER BY p.embedding <=> @query::halfvec
    LIMIT @max_candidates
), top AS (
    SELECT c.document_id, c.ordinal, n.hash, n.distance
    FROM nearest n
    CROSS JOIN LATERAL (
        SELECT c.document_id, c.ordinal
        FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(@levels::promotion_level[]) AND c.passage_hash = n.hash
        OFFSET 0
    ) c
    WHERE @doc_types::text[] IS NULL OR c.document_id IN (
        SELECT d.id FROM documents d
        WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
            AND d.doc_type = ANY(@doc_types::text[]))
    ORDER BY n.distance, c.document_id, c.ordinal
    LIMIT @max_passages
)
SELECT d.relative_path, d.doc_type, top.ordinal, p.content, top.distance
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
CROSS JOIN LATERAL (
    SELECT p.content
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.hash
    OFFSET 0
) p
ORDER BY top.distance, d.relative_path, top.ordinal;
