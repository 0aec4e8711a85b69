-- The searches return one row a document, that of its best passage, or with
-- each_passage one row a passage, once in every document that has it. All rows have
-- the same columns: what is known of the passage, whichever search has found it.
-- candidates is of SearchHNSW, line and line_bm25 are of SearchLines.
--
-- In this file OFFSET 0 keeps a sub-select one: it is looked up row by row. Joined
-- as the planner likes, two tables whose statistics are older than the tenant are
-- compared row by row with each other, which takes minutes.

-- name: SearchPassageCounts :many
-- How many passages the tenant's documents of some doc-types have, by level. Index-only on
-- document_chunks_passage unless doc_types are given.
SELECT c.promotion_level, count(*) AS passages
FROM document_chunks c
WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
    AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
    AND (@doc_types::text[] IS NULL OR c.document_id IN (
        SELECT d.id FROM documents d
        WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
            AND d.doc_type = ANY(@doc_types::text[])))
GROUP BY c.promotion_level;

-- name: EmbeddingEstimate :one
-- How many vectors the HNSW index holds that has the project's, of all tenants and
-- models: 0 before the first vector of the project and before the first ANALYZE, and
-- where there is no such index. Where tables are distributed, it is asked of the node
-- that has the project.
SELECT coalesce((
    SELECT graph_size(e.tableoid, @promoted::boolean)
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id
    LIMIT 1
), 0)::bigint AS embeddings;

-- name: SearchExact :many
-- Compares the query with the vector of every passage of the tenant that the filters
-- let through. Vectors are reached by primary key from document_chunks_passage. With
-- unembedded the passages that have no vector, all of them if query is NULL, come
-- after the others; their distance is NaN.
WITH compared AS (
    SELECT c.document_id, c.ordinal, c.passage_hash, coalesce(e.distance, 'NaN') AS distance
    FROM document_chunks c
    LEFT JOIN LATERAL (
        SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
        FROM embeddings e
        WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
            AND e.hash = c.passage_hash
        OFFSET 0
    ) e ON true
    WHERE (e.distance IS NOT NULL OR @unembedded::boolean)
        AND (@documents::bigint[] IS NULL OR c.document_id = ANY(@documents::bigint[]))
        AND c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(@levels::promotion_level[])
        AND (@doc_types::text[] IS NULL OR c.document_id IN (
            SELECT d.id FROM documents d
            WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
                AND d.doc_type = ANY(@doc_types::text[])))
), best AS (
    SELECT DISTINCT ON (document_id, CASE WHEN @each_passage::boolean THEN ordinal END)
        document_id, ordinal, passage_hash, distance
    FROM compared
    ORDER BY document_id, CASE WHEN @each_passage::boolean THEN ordinal END, distance, ordinal
), top AS (
    SELECT document_id, ordinal, passage_hash, distance
    FROM best ORDER BY distance, document_id, ordinal LIMIT @max_rows
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    d.file_size, d.file_mtime, d.file_ctime, d.file_inode, d.schema_hash,
    c.ordinal, c.header_path, c.start_line, c.end_line, p.hash, p.heading, p.content, p.bm25,
    top.distance::float8 AS distance, 0::bigint AS candidates, 0::integer AS line, 0::float8 AS line_bm25
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal = top.ordinal
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, p.content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.passage_hash
    OFFSET 0
) p
ORDER BY top.distance, d.relative_path, c.ordinal;

-- name: SearchHNSW :many
-- Scans the collection's HNSW index outward from the query (iterative scan, relaxed
-- order), that of promoted passages unless the standard level is among the levels,
-- and keeps the vectors whose passages the tenant has, looking each up in
-- document_chunks_passage; sorts them again; ranks documents by their best passage.
-- candidates is how many passages the scan found: fewer than max_passages if it
-- ended before the limit.
WITH nearest AS MATERIALIZED (
    SELECT e.hash, (e.embedding <=> @query::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = @model_id
        AND (e.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
        AND EXISTS (
            SELECT 1 FROM document_chunks c
            WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
                AND c.passage_hash = e.hash
                AND c.promotion_level = ANY(@levels::promotion_level[])
                AND (@doc_types::text[] IS NULL OR c.document_id IN (
                    SELECT d.id FROM documents d
                    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                        AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
            OFFSET 0)
    ORDER BY e.embedding <=> @query::halfvec
    LIMIT @max_passages
), found AS (
    SELECT DISTINCT ON (c.document_id, CASE WHEN @each_passage::boolean THEN c.ordinal END)
        c.document_id, c.ordinal, n.hash, n.distance
    FROM nearest n
    CROSS JOIN LATERAL (
        SELECT c.document_id, c.ordinal
        FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(@levels::promotion_level[]) AND c.passage_hash = n.hash
            AND (@doc_types::text[] IS NULL OR c.document_id IN (
                SELECT d.id FROM documents d
                WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                    AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
        OFFSET 0
    ) c
    ORDER BY c.document_id, CASE WHEN @each_passage::boolean THEN c.ordinal END, n.distance, c.ordinal
), top AS (
    SELECT document_id, ordinal, hash, distance FROM found ORDER BY distance, document_id, ordinal LIMIT @max_rows
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    d.file_size, d.file_mtime, d.file_ctime, d.file_inode, d.schema_hash,
    c.ordinal, c.header_path, c.start_line, c.end_line, p.hash, p.heading, p.content, p.bm25,
    top.distance::float8 AS distance, (SELECT count(*) FROM nearest) AS candidates, 0::integer AS line, 0::float8 AS line_bm25
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal = top.ordinal
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, p.content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.hash
    OFFSET 0
) p
ORDER BY top.distance, d.relative_path, c.ordinal;

-- name: SearchWords :many
-- Scores every passage of the project that has one of the rare terms by all terms of
-- the query, reached over passages_terms, and keeps the best that the tenant has,
-- looking them up in document_chunks_passage from the best on. Without a vector of
-- the query, or of the passage, the distance is NaN.
WITH scored AS MATERIALIZED (
    SELECT p.hash, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25,
        -- Each level is a lookup of its own, and most passages can have but one.
        CASE WHEN p.promoted THEN @levels::promotion_level[] ELSE '{standard}' END AS levels
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.terms && @rare_terms::integer[]
        AND (p.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
    ORDER BY bm25 DESC, p.hash
), found AS (
    SELECT c.document_id, c.ordinal, s.hash, s.bm25
    FROM scored s
    CROSS JOIN LATERAL (
        SELECT c.document_id, c.ordinal
        FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(s.levels) AND c.passage_hash = s.hash
            AND (@doc_types::text[] IS NULL OR c.document_id IN (
                SELECT d.id FROM documents d
                WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                    AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
        OFFSET 0
    ) c
    LIMIT @max_passages
), best AS (
    SELECT DISTINCT ON (document_id, CASE WHEN @each_passage::boolean THEN ordinal END)
        document_id, ordinal, hash, bm25
    FROM found
    ORDER BY document_id, CASE WHEN @each_passage::boolean THEN ordinal END, bm25 DESC, ordinal
), top AS (
    SELECT document_id, ordinal, hash, bm25 FROM best ORDER BY bm25 DESC, document_id, ordinal LIMIT @max_rows
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    d.file_size, d.file_mtime, d.file_ctime, d.file_inode, d.schema_hash,
    c.ordinal, c.header_path, c.start_line, c.end_line, top.hash, p.heading, p.content, top.bm25::float8 AS bm25,
    coalesce(e.distance, 'NaN')::float8 AS distance, 0::bigint AS candidates, 0::integer AS line, 0::float8 AS line_bm25
FROM top
JOIN documents d ON d.project_id = @project_id AND d.id = top.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal = top.ordinal
CROSS JOIN LATERAL (
    SELECT p.heading, p.content
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.hash
    OFFSET 0
) p
LEFT JOIN LATERAL (
    SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND e.hash = top.hash
    OFFSET 0
) e ON true
ORDER BY top.bm25 DESC, d.relative_path, c.ordinal;

-- name: SearchLines :many
-- SearchWords for each of some lines, in one statement: line counts them from 0, and
-- line_bm25 is of its terms. rare_terms are arrays in PostgreSQL's notation, since unnest
-- would make one of all lines' arrays. Each line has a document once.
WITH found AS (
    SELECT l.line, b.document_id, b.ordinal, b.hash, b.bm25
    FROM (
        SELECT unnest(@lines::integer[]) AS line,
            unnest(@line_terms::sparsevec[]) AS terms,
            unnest(@rare_terms::text[]) AS rare
    ) l
    CROSS JOIN LATERAL (
        SELECT DISTINCT ON (f.document_id) f.document_id, f.ordinal, f.hash, f.bm25
        FROM (
            SELECT c.document_id, c.ordinal, s.hash, s.bm25
            FROM (
                SELECT p.hash, (-(p.lexical <#> l.terms))::float8 AS bm25,
                    CASE WHEN p.promoted THEN @levels::promotion_level[] ELSE '{standard}' END AS levels
                FROM passages p
                WHERE p.collection = @collection AND p.project_id = @project_id AND p.terms && l.rare::integer[]
                    AND (p.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
                ORDER BY bm25 DESC, p.hash
                OFFSET 0
            ) s
            CROSS JOIN LATERAL (
                SELECT c.document_id, c.ordinal
                FROM document_chunks c
                WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
                    AND c.promotion_level = ANY(s.levels) AND c.passage_hash = s.hash
                    AND (@doc_types::text[] IS NULL OR c.document_id IN (
                        SELECT d.id FROM documents d
                        WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id
                            AND d.collection = @collection AND d.doc_type = ANY(@doc_types::text[])))
                OFFSET 0
            ) c
            LIMIT @max_passages
        ) f
        ORDER BY f.document_id, f.bm25 DESC, f.ordinal
    ) b
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    d.file_size, d.file_mtime, d.file_ctime, d.file_inode, d.schema_hash,
    c.ordinal, c.header_path, c.start_line, c.end_line, found.hash, p.heading, p.content, p.bm25,
    coalesce(e.distance, 'NaN')::float8 AS distance, 0::bigint AS candidates,
    found.line::integer AS line, found.bm25::float8 AS line_bm25
FROM found
JOIN documents d ON d.project_id = @project_id AND d.id = found.document_id
JOIN document_chunks c ON c.project_id = @project_id AND c.document_id = found.document_id AND c.ordinal = found.ordinal
CROSS JOIN LATERAL (
    SELECT p.heading, p.content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = found.hash
    OFFSET 0
) p
LEFT JOIN LATERAL (
    SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND e.hash = found.hash
    OFFSET 0
) e ON true
ORDER BY found.line, found.bm25 DESC, d.relative_path, c.ordinal;

-- name: SearchDistances :many
-- The distances of passages that SearchWords has found before the query's vector
-- was known.
SELECT e.hash, (e.embedding <=> @query::halfvec)::float8 AS distance
FROM embeddings e
WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = @model_id
    AND e.hash = ANY(@hashes::uuid[]);
