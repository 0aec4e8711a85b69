-- In this file OFFSET 0 keeps a sub-select one: it is looked up row by row. Joined
-- as the planner likes, two tables whose statistics are older than the tenant are
-- compared row by row with each other, which takes minutes.

-- name: SearchFacts :one
-- Everything that a search must know about a tenant, in one row. No row: the tenant was
-- deleted. The caller says which version it has of three parts that take time: the pairs of
-- documents that replace each other, the counts, and the sample of terms. A part is read if its
-- version differs, and the caller has not chosen to keep it. Otherwise it is empty.
--
-- project_version changes with every tenant's version. Counts are of passages, by the level
-- of their documents. missing of them have no vector of the model. graph and promoted_graph are
-- about how many vectors the HNSW indexes hold that have the project's: 0 before its first
-- vector and before the first ANALYZE.
--
-- The sample has the terms of some passages of the project. A hash says nothing about its
-- passage, so the first by hash are a random sample. The last hash says how many passages
-- there are. The joined text of all terms is faster to read than an array for each passage.
SELECT t.version, p.version AS project_version,
    coalesce(m.id, 0)::integer AS model_id, m.matched, m.unmatched, m.variance, m.own_first,
    coalesce(s.replaced, '{}')::text[] AS replaced, coalesce(s.replacing, '{}')::text[] AS replacing,
    n.standard, n.important, n.critical, n.missing,
    coalesce(g.vectors, 0)::bigint AS graph, coalesce(g.promoted, 0)::bigint AS promoted_graph,
    f.passages AS sampled, coalesce(f.last_hash, '')::text AS last_hash, coalesce(f.terms, '')::text AS sampled_terms
FROM tenants t
CROSS JOIN LATERAL (
    SELECT sum(p.version + 1)::bigint AS version FROM tenants p WHERE p.project_id = @project_id
) p
LEFT JOIN embedding_models m ON m.name = @model_name::text AND m.digest = @model_digest::text
    AND m.dimensions = @model_dimensions::integer AND m.prompt_version = @model_prompt_version::integer
CROSS JOIN LATERAL (
    -- Only documents of a project itself replace others. Of those that replace one, the latest
    -- comes first.
    SELECT array_agg(r.path ORDER BY r.doc_date DESC, r.by_path) AS replaced,
        array_agg(r.by_path ORDER BY r.doc_date DESC, r.by_path) AS replacing
    FROM (
        SELECT coalesce(target.relative_path, fallback.relative_path) AS path, d.relative_path AS by_path, d.doc_date
        FROM document_links l
        JOIN documents d ON d.project_id = @project_id AND d.id = l.document_id
        LEFT JOIN documents target ON target.project_id = @project_id AND target.tenant_id = @tenant_id
            AND target.collection = 'compounding' AND target.relative_path = l.target_path
        LEFT JOIN documents fallback ON target.id IS NULL AND l.fallback_path <> '' AND fallback.project_id = @project_id
            AND fallback.tenant_id = @tenant_id AND fallback.collection = 'compounding' AND fallback.relative_path = l.fallback_path
        WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND l.supersedes
            AND @collection::collection = 'compounding' AND d.collection = 'compounding' AND t.version <> @replaced_version::bigint
    ) r
    WHERE r.path IS NOT NULL
) s
CROSS JOIN LATERAL (
    -- Over document_chunks_passage alone, and the primary key of embeddings.
    SELECT count(*) FILTER (WHERE c.promotion_level = 'standard') AS standard,
        count(*) FILTER (WHERE c.promotion_level = 'important') AS important,
        count(*) FILTER (WHERE c.promotion_level = 'critical') AS critical,
        count(*) FILTER (WHERE e.hash IS NULL) AS missing
    FROM document_chunks c
    LEFT JOIN LATERAL (
        SELECT e.hash FROM embeddings e
        WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = m.id AND e.hash = c.passage_hash
        OFFSET 0
    ) e ON true
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
        AND NOT @keep_counts::boolean AND t.version <> @counts_version::bigint
) n
LEFT JOIN LATERAL (
    -- Where tables are distributed, the node that has the project is asked.
    SELECT graph_size(e.tableoid, false) AS vectors, graph_size(e.tableoid, true) AS promoted
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id
        AND NOT @keep_counts::boolean AND t.version <> @counts_version::bigint
    LIMIT 1
) g ON true
CROSS JOIN LATERAL (
    SELECT count(*) AS passages, max(s.hash::text) AS last_hash, string_agg(array_to_string(s.terms, ','), ';') AS terms
    FROM (
        SELECT s.hash, s.terms FROM passages s
        WHERE s.collection = @collection AND s.project_id = @project_id
            AND NOT @keep_sample::boolean AND p.version <> @sample_version::bigint
        ORDER BY s.hash
        LIMIT @sample_size
    ) s
) f
WHERE t.project_id = @project_id AND t.id = @tenant_id AND t.generation = @generation;

-- name: SearchCandidates :many
-- The passages that may answer a query, each once with all that is known of it, however many
-- ways find it. Each way is a CTE, and finds a document once, by its best passage, or with
-- each_passage every passage, once in every document that has it.
--
-- near and promoted are scans of the HNSW index of all vectors and of that of promoted
-- passages, for the documents of near_levels and promoted_levels, which are disjoint. A scan
-- is made only if its documents have more passages than near_above and promoted_above. If it
-- finds fewer documents than wanted_rows, or is not made, exact compares all their vectors.
-- With unembedded, exact adds those without a vector; their distance is NaN.
--
-- Without a vector of the query, query is NULL, nothing is found by vectors, and all distances
-- are NaN. Without terms to find by, rare_terms is empty.
WITH asked AS MATERIALIZED (
    -- The documents that the filter lets through: the only place that knows its fields.
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND ((@filter::text)::jsonb -> 'doc_types' IS NULL
            OR d.doc_type IN (SELECT jsonb_array_elements_text((@filter::text)::jsonb -> 'doc_types')))
        AND ((@filter::text)::jsonb -> 'documents' IS NULL
            OR d.id IN (SELECT jsonb_array_elements_text((@filter::text)::jsonb -> 'documents')::bigint))
), wanted AS NOT MATERIALIZED (
    -- The passages that may be found. Each use is planned for itself, over
    -- document_chunks_passage. No other CTE reads that table.
    SELECT c.document_id, c.ordinal, c.passage_hash, c.promotion_level
    FROM document_chunks c
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(@levels::promotion_level[])
        AND ((@filter::text)::jsonb = '{}' OR c.document_id IN (SELECT a.id FROM asked a))
), counted AS MATERIALIZED (
    -- How many there are, which the caller knows for all documents of a level.
    SELECT coalesce(sqlc.narg('near_passages')::bigint,
            (SELECT count(*) FROM wanted w WHERE w.promotion_level = ANY(@near_levels::promotion_level[]))) AS near,
        coalesce(sqlc.narg('promoted_passages')::bigint,
            (SELECT count(*) FROM wanted w WHERE w.promotion_level = ANY(@promoted_levels::promotion_level[]))) AS promoted
), scored AS MATERIALIZED (
    -- Scores every passage of the project that has one of the rare terms by all terms of
    -- the query, over passages_terms.
    SELECT p.hash, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25,
        -- Each level is a lookup of its own, and most passages can have but one.
        CASE WHEN p.promoted THEN @levels::promotion_level[] ELSE '{standard}' END AS levels
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.terms && @rare_terms::integer[]
        AND (p.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
    ORDER BY bm25 DESC, p.hash
), words AS (
    -- From the best passage on.
    SELECT w.document_id, w.ordinal, s.hash, s.bm25
    FROM scored s
    CROSS JOIN LATERAL (
        SELECT w.document_id, w.ordinal FROM wanted w
        WHERE w.passage_hash = s.hash AND w.promotion_level = ANY(s.levels)
        OFFSET 0
    ) w
    LIMIT @word_passages
), lines AS (
    -- The same for each of some lines of a pasted text. line counts them from 0. line_rare_terms
    -- are arrays in the notation of PostgreSQL, since unnest would make one of the arrays of all lines.
    SELECT l.line, f.document_id, f.ordinal, f.hash, f.bm25
    FROM (
        SELECT unnest(@lines::integer[]) AS line,
            unnest(@line_terms::sparsevec[]) AS terms,
            unnest(@line_rare_terms::text[]) AS rare
    ) l
    CROSS JOIN LATERAL (
        SELECT w.document_id, w.ordinal, s.hash, s.bm25
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
            SELECT w.document_id, w.ordinal FROM wanted w
            WHERE w.passage_hash = s.hash AND w.promotion_level = ANY(s.levels)
            OFFSET 0
        ) w
        LIMIT @line_passages
    ) f
), near AS MATERIALIZED (
    -- Outward from the query (iterative scan, relaxed order). Each vector is looked up among
    -- the wanted passages.
    SELECT e.hash, (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND (SELECT n.near > @near_above::bigint FROM counted n)
        AND EXISTS (
            SELECT 1 FROM wanted w
            WHERE w.passage_hash = e.hash AND w.promotion_level = ANY(@near_levels::promotion_level[])
            OFFSET 0)
    ORDER BY e.embedding <=> sqlc.narg('query')::halfvec
    LIMIT @near_scan
), promoted AS MATERIALIZED (
    SELECT e.hash, (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND e.promoted AND (SELECT n.promoted > @promoted_above::bigint FROM counted n)
        AND EXISTS (
            SELECT 1 FROM wanted w
            WHERE w.passage_hash = e.hash AND w.promotion_level = ANY(@promoted_levels::promotion_level[])
            OFFSET 0)
    ORDER BY e.embedding <=> sqlc.narg('query')::halfvec
    LIMIT @promoted_scan
), scanned AS MATERIALIZED (
    SELECT false AS promoted, w.document_id, w.ordinal, n.hash, n.distance
    FROM near n
    CROSS JOIN LATERAL (
        SELECT w.document_id, w.ordinal FROM wanted w
        WHERE w.passage_hash = n.hash AND w.promotion_level = ANY(@near_levels::promotion_level[])
        OFFSET 0
    ) w
    UNION ALL
    SELECT true, w.document_id, w.ordinal, n.hash, n.distance
    FROM promoted n
    CROSS JOIN LATERAL (
        SELECT w.document_id, w.ordinal FROM wanted w
        WHERE w.passage_hash = n.hash AND w.promotion_level = ANY(@promoted_levels::promotion_level[])
        OFFSET 0
    ) w
), unscanned AS MATERIALIZED (
    -- The levels of which too few documents were found.
    SELECT unnest(CASE WHEN g.promoted THEN @promoted_levels::promotion_level[] ELSE @near_levels::promotion_level[] END) AS level
    FROM (VALUES (false), (true)) AS g (promoted)
    WHERE (sqlc.narg('query')::halfvec IS NOT NULL OR @unembedded::boolean) AND @wanted_rows::bigint > (
        SELECT count(DISTINCT (s.document_id, CASE WHEN @each_passage::boolean THEN s.ordinal END))
        FROM scanned s WHERE s.promoted = g.promoted)
), exact AS (
    -- Vectors are reached by primary key from document_chunks_passage.
    SELECT w.promotion_level = ANY(@promoted_levels::promotion_level[]) AS promoted,
        w.document_id, w.ordinal, w.passage_hash AS hash, coalesce(e.distance, 'NaN') AS distance
    FROM wanted w
    LEFT JOIN LATERAL (
        SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
        FROM embeddings e
        WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
            AND e.hash = w.passage_hash
        OFFSET 0
    ) e ON true
    WHERE w.promotion_level = ANY(ARRAY(SELECT u.level FROM unscanned u)) AND (e.distance IS NOT NULL OR @unembedded::boolean)
), found AS (
    -- By each way: the less the rank the better.
    SELECT 'words' AS way, NULL::integer AS line, document_id, ordinal, hash, -bm25 AS rank FROM words
    UNION ALL SELECT 'lines', line, document_id, ordinal, hash, -bm25 FROM lines
    UNION ALL SELECT CASE WHEN promoted THEN 'promoted' ELSE 'near' END, NULL, document_id, ordinal, hash, distance FROM scanned
    UNION ALL SELECT CASE WHEN promoted THEN 'promoted' ELSE 'near' END, NULL, document_id, ordinal, hash, distance FROM exact
), best AS (
    SELECT DISTINCT ON (way, line, document_id, CASE WHEN @each_passage::boolean THEN ordinal END)
        way, line, document_id, ordinal, hash, rank
    FROM found
    ORDER BY way, line, document_id, CASE WHEN @each_passage::boolean THEN ordinal END, rank, ordinal
), top AS (
    SELECT way, line, document_id, ordinal, hash, rank,
        row_number() OVER (PARTITION BY way, line ORDER BY rank, document_id, ordinal) AS place
    FROM best
), chosen AS (
    SELECT DISTINCT document_id, ordinal, hash, coalesce(line, -1) AS line, CASE way WHEN 'lines' THEN -rank ELSE 0 END AS line_bm25
    FROM top
    WHERE place <= CASE way WHEN 'promoted' THEN @promoted_rows::bigint ELSE @max_rows::bigint END
)
SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
    d.file_size, d.file_mtime, d.file_ctime, d.file_inode,
    c.ordinal, c.header_path, c.start_line, c.end_line, p.hash, p.heading, p.content, p.bm25,
    coalesce(e.distance, 'NaN')::float8 AS distance,
    -- Of the line that found the passage; -1 if another way did.
    f.line::integer AS line, f.line_bm25::float8 AS line_bm25,
    n.near::bigint AS near_passages, n.promoted::bigint AS promoted_passages
FROM chosen f
CROSS JOIN counted n
CROSS JOIN LATERAL (
    SELECT d.id, d.relative_path, d.title, d.summary, d.char_count, d.doc_type, d.doc_date, d.promotion_level,
        d.file_size, d.file_mtime, d.file_ctime, d.file_inode
    FROM documents d WHERE d.project_id = @project_id AND d.id = f.document_id
    OFFSET 0
) d
CROSS JOIN LATERAL (
    SELECT c.ordinal, c.header_path, c.start_line, c.end_line
    FROM document_chunks c WHERE c.project_id = @project_id AND c.document_id = f.document_id AND c.ordinal = f.ordinal
    OFFSET 0
) c
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, p.content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = f.hash
    OFFSET 0
) p
LEFT JOIN LATERAL (
    SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
        AND e.hash = f.hash
    OFFSET 0
) e ON true;
