-- A search first reads SearchFacts. With a filter it also reads SearchShare and perhaps SearchAllowed. Then it runs one
-- to three of SearchWords, SearchVectors and SearchMeanings. These are separate, because PostgreSQL plans each
-- statement each time: a search by words does not wait for the plan of a search by vectors. All three return passages
-- with the columns of the view found_chunks and some more. They return a document once, with its best passage, or with
-- each_passage all its passages. If a question of a document matches, they also return the best passage of its text.
-- Content is cut at 20,000 characters; only a text without spaces is longer. The cosine of the built-in vectors of query
-- and passage is likeness, NaN without one of them. Only documents are searched, NULL for all. A filter that
-- lets many documents through is compared with each, NULL for none. In the statements, wanted has the passages that may
-- be found. PostgreSQL plans each use of wanted separately: over document_chunks_passage, or by the keys of a few
-- documents.
--
-- In this file OFFSET 0 keeps a sub-select apart, so that PostgreSQL runs it row by row. If the statistics are older
-- than the tenant, a free join may compare each row of one table with each row of the other, which takes minutes.

-- name: SearchFacts :one
-- Everything that a search must know about a tenant, in one row, or no row if the tenant was deleted. Three parts take
-- time: which documents hold, the counts, and the sample of terms. The caller gives the version that it has of each
-- part. The query reads a part only if its version differs and the caller does not ask to keep it; otherwise the part
-- is empty. If the tenant has changed and has more than grown_beyond passages (0: do not look), the query reads all
-- parts.
--
-- project_version changes with every tenant's version. Counts are numbers of passages, by the level of their documents.
-- missing is how many of them lack a vector of the model. graph and promoted_graph are estimates of the number of
-- vectors in the project's HNSW indexes. They are 0 before the first vector and before the first ANALYZE.
--
-- The sample has the terms of some passages of the project. A hash says nothing about its passage, so the first
-- passages by hash are a random sample. The last hash says how many passages there are. One joined text of all terms is
-- faster to read than an array for each passage.
SELECT t.version, p.version AS project_version,
    coalesce(m.id, 0)::integer AS model_id, m.matched, m.unmatched, m.variance, m.own_first,
    coalesce(s.older, '{}')::text[] AS older, coalesce(s.newer, '{}')::text[] AS newer, coalesce(s.amends, '{}')::boolean[] AS amends,
    coalesce(said.paths, '{}')::text[] AS said_paths, coalesce(said.words, '{}')::text[] AS said_words,
    coalesce(said.untils, '{}')::text[] AS said_untils,
    grown.grown::boolean AS grown, n.standard, n.important, n.critical, n.missing,
    coalesce(g.vectors, 0)::bigint AS graph, coalesce(g.promoted, 0)::bigint AS promoted_graph,
    f.passages AS sampled, coalesce(f.last_hash, '')::text AS last_hash, coalesce(f.terms, '')::text AS sampled_terms
FROM tenants t
CROSS JOIN LATERAL (
    SELECT sum(p.version + 1)::bigint AS version FROM tenants p WHERE p.project_id = @project_id
) p
LEFT JOIN embedding_models m ON m.name = @model_name::text AND m.digest = @model_digest::text
    AND m.dimensions = @model_dimensions::integer AND m.prompt_version = @model_prompt_version::integer
CROSS JOIN LATERAL (
    -- Which document of the collection replaces or amends which. Of those that do so with one, the latest comes first,
    -- and of its copies the shortest path, as in a search.
    SELECT array_agg(o.relative_path ORDER BY n.doc_date DESC, length(n.relative_path), n.relative_path) AS older,
        array_agg(n.relative_path ORDER BY n.doc_date DESC, length(n.relative_path), n.relative_path) AS newer,
        array_agg(l.relation IN ('amends', 'amended_by') ORDER BY n.doc_date DESC, length(n.relative_path), n.relative_path) AS amends
    FROM document_links l
    CROSS JOIN LATERAL (
        SELECT o.relative_path FROM documents o
        WHERE o.project_id = @project_id AND o.collection = @collection
            AND o.id = CASE WHEN l.relation IN ('supersedes', 'amends') THEN l.target_id ELSE l.document_id END
        OFFSET 0
    ) o
    CROSS JOIN LATERAL (
        SELECT n.relative_path, n.doc_date FROM documents n
        WHERE n.project_id = @project_id AND n.collection = @collection
            AND n.id = CASE WHEN l.relation IN ('supersedes', 'amends') THEN l.document_id ELSE l.target_id END
        OFFSET 0
    ) n
    WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND l.relation NOT IN ('', 'mentions') AND t.version <> @standings_version::bigint
) s
CROSS JOIN LATERAL (
    SELECT array_agg(d.relative_path ORDER BY d.relative_path) AS paths, array_agg(d.status ORDER BY d.relative_path) AS words,
        array_agg(d.holds_until ORDER BY d.relative_path) AS untils
    FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND (d.status <> '' OR d.holds_until <> '') AND t.version <> @standings_version::bigint
) said
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
            AND @grown_beyond::bigint > 0 AND t.version <> @counts_version::bigint
        OFFSET @grown_beyond::bigint
    ) AS grown
) grown
CROSS JOIN LATERAL (
    -- Over document_chunks_passage alone, and the primary key of embeddings. That is read as a
    -- whole, or passage by passage: the planner chooses, and neither takes long if it is wrong.
    SELECT count(*) FILTER (WHERE c.promotion_level = 'standard') AS standard,
        count(*) FILTER (WHERE c.promotion_level = 'important') AS important,
        count(*) FILTER (WHERE c.promotion_level = 'critical') AS critical,
        count(*) FILTER (WHERE NOT c.embedded) AS missing
    FROM (
        SELECT c.promotion_level, EXISTS (
            SELECT 1 FROM embeddings e
            WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = m.id AND e.hash = c.passage_hash
        ) AS embedded
        FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
            AND c.promotion_level = ANY(enum_range(NULL::promotion_level))
            AND (grown.grown OR NOT @keep_counts::boolean) AND t.version <> @counts_version::bigint
        OFFSET 0
    ) c
) n
LEFT JOIN LATERAL (
    -- Where tables are distributed, the node that has the project is asked.
    SELECT graph_size(e.tableoid, false) AS vectors, graph_size(e.tableoid, true) AS promoted
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id
        AND (grown.grown OR NOT @keep_counts::boolean) AND t.version <> @counts_version::bigint
    LIMIT 1
) g ON true
CROSS JOIN LATERAL (
    SELECT count(*) AS passages, max(s.hash::text) AS last_hash, string_agg(array_to_string(s.terms, ','), ';') AS terms
    FROM (
        SELECT s.hash, s.terms FROM passages s
        WHERE s.collection = @collection AND s.project_id = @project_id
            AND (grown.grown OR NOT @keep_sample::boolean) AND p.version <> @sample_version::bigint
        ORDER BY s.hash
        LIMIT @sample_size
    ) s
) f
WHERE t.project_id = @project_id AND t.id = @tenant_id AND t.generation = @generation;

-- name: SearchShare :one
-- A sample of the passages of each level, and how many of them belong to documents that a filter lets through. A hash
-- says nothing about its passage, so the first passages by hash, over document_chunks_passage, are a random sample.
SELECT count(*) FILTER (WHERE l.level = 'standard') AS standard_of,
    count(*) FILTER (WHERE l.level = 'standard' AND s.admitted) AS standard,
    count(*) FILTER (WHERE l.level = 'important') AS important_of,
    count(*) FILTER (WHERE l.level = 'important' AND s.admitted) AS important,
    count(*) FILTER (WHERE l.level = 'critical') AS critical_of,
    count(*) FILTER (WHERE l.level = 'critical' AND s.admitted) AS critical
FROM unnest(enum_range(NULL::promotion_level)) AS l (level)
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM documents d
        WHERE d.project_id = @project_id AND d.id = c.document_id
            AND admits(CAST(@filter::text AS jsonb), d.doc_type, d.relative_path)
        OFFSET 0) AS admitted
    FROM (
        SELECT c.document_id FROM document_chunks c
        WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection AND c.promotion_level = l.level
        ORDER BY c.passage_hash
        LIMIT @sample_size
    ) c
) s;

-- name: SearchAllowed :one
-- The documents that a filter lets through, and the number of their passages by level. The caller asks only if the
-- filter lets few documents through.
WITH allowed AS MATERIALIZED (
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND admits(CAST(@filter::text AS jsonb), d.doc_type, d.relative_path)
        AND (sqlc.narg('documents')::bigint[] IS NULL OR d.id = ANY(sqlc.narg('documents')::bigint[]))
)
SELECT array(SELECT a.id FROM allowed a)::bigint[] AS documents,
    count(*) FILTER (WHERE c.promotion_level = 'standard') AS standard,
    count(*) FILTER (WHERE c.promotion_level = 'important') AS important,
    count(*) FILTER (WHERE c.promotion_level = 'critical') AS critical
FROM allowed a
CROSS JOIN LATERAL (
    SELECT c.promotion_level FROM document_chunks c
    WHERE c.project_id = @project_id AND c.document_id = a.id
    OFFSET 0
) c;

-- name: SearchWords :many
-- The passages that have words of the query, or of a line of a pasted text. lines has the numbers of the
-- lines, from 0, and -1 for the whole query. Each line has its weighted terms, its rare terms, and the
-- number of passages to read. Rare terms find passages, over passages_terms; all terms score them.
-- line_rare_terms are arrays in PostgreSQL's notation, because unnest would join them to one array.
--
-- bm25 is the score for the terms of the query, and line_bm25 for the terms of the line. The distance is
-- NaN if the query or the passage has no vector.
WITH wanted AS NOT MATERIALIZED (
    SELECT c.document_id, c.ordinal, c.passage_hash, c.promotion_level
    FROM document_chunks c
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND (sqlc.narg('documents')::bigint[] IS NULL OR c.document_id = ANY(sqlc.narg('documents')::bigint[]))
        AND (sqlc.narg('filter')::text IS NULL OR EXISTS (
            SELECT FROM documents d
            WHERE d.project_id = @project_id AND d.id = c.document_id
                AND admits(CAST(sqlc.narg('filter')::text AS jsonb), d.doc_type, d.relative_path)
            OFFSET 0))
), found AS (
    SELECT l.line, f.document_id, f.ordinal, f.hash, f.bm25
    FROM (
        SELECT unnest(@lines::integer[]) AS line, unnest(@line_terms::sparsevec[]) AS terms,
            unnest(@line_rare_terms::text[]) AS rare, unnest(@line_passages::integer[]) AS passages
    ) l
    CROSS JOIN LATERAL (
        -- From the best passage on.
        SELECT w.document_id, w.ordinal, s.hash, s.bm25
        FROM (
            SELECT p.hash, (-(p.lexical <#> l.terms))::float8 AS bm25,
                -- Each level costs a lookup, and most passages have only one level.
                CASE WHEN p.promoted THEN @levels::promotion_level[] ELSE '{standard}' END AS levels
            FROM passages p
            WHERE p.collection = @collection AND p.project_id = @project_id AND p.terms && l.rare::integer[]
                AND (p.promoted OR 'standard'::promotion_level = ANY(@levels::promotion_level[]))
            ORDER BY bm25 DESC, p.hash
            OFFSET 0
        ) s
        CROSS JOIN LATERAL (
            SELECT w.document_id, w.ordinal FROM wanted w
            WHERE w.passage_hash = s.hash AND w.promotion_level = ANY(s.levels) AND (l.line < 0 OR w.ordinal >= 0)
            OFFSET 0
        ) w
        LIMIT l.passages
    ) f
), best AS MATERIALIZED (
    SELECT DISTINCT ON (line, document_id, CASE WHEN @each_passage::boolean THEN ordinal END)
        line, document_id, ordinal, hash, bm25
    FROM found
    ORDER BY line, document_id, CASE WHEN @each_passage::boolean THEN ordinal END, bm25 DESC, ordinal
), top AS (
    (SELECT line, document_id, ordinal, hash, bm25 FROM best WHERE line < 0
        ORDER BY bm25 DESC, document_id, ordinal LIMIT @max_rows)
    UNION ALL
    SELECT line, document_id, ordinal, hash, bm25 FROM best WHERE line >= 0
), shown AS (
    SELECT line, document_id, ordinal, hash, bm25 FROM top
    UNION ALL
    SELECT top.line, top.document_id, b.ordinal, b.hash, b.bm25
    FROM top
    CROSS JOIN LATERAL (
        SELECT c.ordinal, c.passage_hash AS hash, p.bm25
        FROM document_chunks c
        CROSS JOIN LATERAL (
            SELECT (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25
            FROM passages p
            WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = c.passage_hash
            OFFSET 0
        ) p
        WHERE c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal >= 0
        ORDER BY p.bm25 DESC, c.ordinal
        LIMIT 1
    ) b
    WHERE top.ordinal < 0
)
SELECT v.*, p.*, coalesce(e.distance, 'NaN')::float8 AS distance, top.line::integer AS line, top.bm25::float8 AS line_bm25
FROM shown top
CROSS JOIN LATERAL (
    SELECT f.* FROM found_chunks f
    WHERE f.project_id = @project_id AND f.id = top.document_id AND f.ordinal = top.ordinal
    OFFSET 0
) v
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, left(p.content, 20000) AS content,
        (CASE WHEN top.line < 0 THEN top.bm25 ELSE -(p.lexical <#> @terms::sparsevec) END)::float8 AS bm25,
        coalesce(1 - (p.meaning <=> sqlc.narg('meaning')::halfvec), 'NaN')::float8 AS likeness
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
) e ON true;

-- name: SearchVectors :many
-- The passages whose vectors are near the query's.
--
-- There are two scans of HNSW indexes. One is of all vectors, for documents of near_levels, and looks for near_scan
-- passages. The other is of promoted passages, for documents of promoted_levels, and looks for promoted_scan passages.
-- 0 means no scan. The two lists of levels are disjoint. If a scan finds fewer documents than wanted_rows, all vectors
-- of its levels are compared. With unembedded, that adds passages without a vector; their distance is NaN. If query is
-- NULL, all distances are NaN.
WITH wanted AS NOT MATERIALIZED (
    SELECT c.document_id, c.ordinal, c.passage_hash, c.promotion_level
    FROM document_chunks c
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND (sqlc.narg('documents')::bigint[] IS NULL OR c.document_id = ANY(sqlc.narg('documents')::bigint[]))
        AND (sqlc.narg('filter')::text IS NULL OR EXISTS (
            SELECT FROM documents d
            WHERE d.project_id = @project_id AND d.id = c.document_id
                AND admits(CAST(sqlc.narg('filter')::text AS jsonb), d.doc_type, d.relative_path)
            OFFSET 0))
), near AS MATERIALIZED (
    -- Outward from the query (iterative scan, relaxed order). Each vector is looked up among
    -- the wanted passages.
    SELECT e.hash, (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
    FROM embeddings e
    WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
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
        AND e.promoted
        AND EXISTS (
            SELECT 1 FROM wanted w
            WHERE w.passage_hash = e.hash AND w.promotion_level = ANY(@promoted_levels::promotion_level[])
            OFFSET 0)
    ORDER BY e.embedding <=> sqlc.narg('query')::halfvec
    LIMIT @promoted_scan
), scanned AS MATERIALIZED (
    SELECT n.promoted, w.document_id, w.ordinal, n.hash, n.distance
    FROM (
        SELECT false AS promoted, hash, distance, @near_levels::promotion_level[] AS levels FROM near
        UNION ALL
        SELECT true, hash, distance, @promoted_levels::promotion_level[] FROM promoted
    ) n
    CROSS JOIN LATERAL (
        SELECT w.document_id, w.ordinal FROM wanted w
        WHERE w.passage_hash = n.hash AND w.promotion_level = ANY(n.levels)
        OFFSET 0
    ) w
), unscanned AS MATERIALIZED (
    -- The levels with too few documents found.
    SELECT unnest(CASE WHEN g.promoted THEN @promoted_levels::promotion_level[] ELSE @near_levels::promotion_level[] END) AS level
    FROM (VALUES (false), (true)) AS g (promoted)
    WHERE @wanted_rows::integer > (
        SELECT count(DISTINCT (s.document_id, CASE WHEN @each_passage::boolean THEN s.ordinal END))
        FROM scanned s WHERE s.promoted = g.promoted)
), found AS (
    SELECT promoted, document_id, ordinal, hash, distance FROM scanned
    UNION ALL
    -- Vectors are reached by primary key from document_chunks_passage.
    SELECT w.promotion_level = ANY(@promoted_levels::promotion_level[]),
        w.document_id, w.ordinal, w.passage_hash, coalesce(e.distance, 'NaN')
    FROM wanted w
    LEFT JOIN LATERAL (
        SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
        FROM embeddings e
        WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
            AND e.hash = w.passage_hash
        OFFSET 0
    ) e ON true
    WHERE w.promotion_level = ANY(ARRAY(SELECT u.level FROM unscanned u)) AND (e.distance IS NOT NULL OR @unembedded::boolean)
), best AS MATERIALIZED (
    SELECT DISTINCT ON (promoted, document_id, CASE WHEN @each_passage::boolean THEN ordinal END)
        promoted, document_id, ordinal, hash, distance
    FROM found
    ORDER BY promoted, document_id, CASE WHEN @each_passage::boolean THEN ordinal END, distance, ordinal
), top AS (
    (SELECT document_id, ordinal, hash, distance FROM best WHERE NOT promoted
        ORDER BY distance, document_id, ordinal LIMIT @max_rows)
    UNION ALL
    (SELECT document_id, ordinal, hash, distance FROM best WHERE promoted
        ORDER BY distance, document_id, ordinal LIMIT @promoted_rows)
), shown AS (
    SELECT document_id, ordinal, hash, distance FROM top
    UNION ALL
    SELECT top.document_id, b.ordinal, b.hash, b.distance
    FROM top
    CROSS JOIN LATERAL (
        SELECT c.ordinal, c.passage_hash AS hash, coalesce(e.distance, 'NaN') AS distance
        FROM document_chunks c
        LEFT JOIN LATERAL (
            SELECT (e.embedding <=> sqlc.narg('query')::halfvec)::float8 AS distance
            FROM embeddings e
            WHERE e.collection = @collection AND e.project_id = @project_id AND e.model_id = sqlc.narg('model_id')::integer
                AND e.hash = c.passage_hash
            OFFSET 0
        ) e ON true
        WHERE c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal >= 0
        ORDER BY distance, c.ordinal
        LIMIT 1
    ) b
    WHERE top.ordinal < 0
)
SELECT v.*, p.*, top.distance::float8 AS distance, (-1)::integer AS line, 0::float8 AS line_bm25
FROM shown top
CROSS JOIN LATERAL (
    SELECT f.* FROM found_chunks f
    WHERE f.project_id = @project_id AND f.id = top.document_id AND f.ordinal = top.ordinal
    OFFSET 0
) v
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, left(p.content, 20000) AS content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25,
        coalesce(1 - (p.meaning <=> sqlc.narg('meaning')::halfvec), 'NaN')::float8 AS likeness
    FROM passages p
    WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = top.hash
    OFFSET 0
) p;

-- name: SearchMeanings :many
-- The passages whose built-in vectors are near the query's. The query compares all wanted passages, so the
-- caller must not ask for too many. It reads them by primary key, from document_chunks_passage.
WITH near AS MATERIALIZED (
    SELECT c.document_id, c.ordinal, c.passage_hash AS hash, p.distance
    FROM document_chunks c
    CROSS JOIN LATERAL (
        SELECT p.meaning <=> @meaning::halfvec AS distance
        FROM passages p
        WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = c.passage_hash AND p.meaning IS NOT NULL
        OFFSET 0
    ) p
    WHERE c.project_id = @project_id AND c.tenant_id = @tenant_id AND c.collection = @collection
        AND c.promotion_level = ANY(@levels::promotion_level[])
        AND (sqlc.narg('documents')::bigint[] IS NULL OR c.document_id = ANY(sqlc.narg('documents')::bigint[]))
        AND (sqlc.narg('filter')::text IS NULL OR EXISTS (
            SELECT FROM documents d
            WHERE d.project_id = @project_id AND d.id = c.document_id
                AND admits(CAST(sqlc.narg('filter')::text AS jsonb), d.doc_type, d.relative_path)
            OFFSET 0))
    ORDER BY p.distance, c.document_id, c.ordinal
    LIMIT @max_passages
), best AS (
    SELECT DISTINCT ON (document_id, CASE WHEN @each_passage::boolean THEN ordinal END) document_id, ordinal, hash, distance
    FROM near
    ORDER BY document_id, CASE WHEN @each_passage::boolean THEN ordinal END, distance, ordinal
), top AS (
    SELECT document_id, ordinal, hash, distance FROM best
    ORDER BY distance, document_id, ordinal
    LIMIT @max_rows
), shown AS (
    SELECT document_id, ordinal, hash FROM top
    UNION ALL
    SELECT top.document_id, b.ordinal, b.hash
    FROM top
    CROSS JOIN LATERAL (
        SELECT c.ordinal, c.passage_hash AS hash
        FROM document_chunks c
        JOIN passages p ON p.collection = @collection AND p.project_id = @project_id AND p.hash = c.passage_hash
        WHERE c.project_id = @project_id AND c.document_id = top.document_id AND c.ordinal >= 0
        ORDER BY p.meaning <=> @meaning::halfvec, c.ordinal
        LIMIT 1
    ) b
    WHERE top.ordinal < 0
)
SELECT v.*, p.*, coalesce(e.distance, 'NaN')::float8 AS distance, (-1)::integer AS line, 0::float8 AS line_bm25
FROM shown top
CROSS JOIN LATERAL (
    SELECT f.* FROM found_chunks f
    WHERE f.project_id = @project_id AND f.id = top.document_id AND f.ordinal = top.ordinal
    OFFSET 0
) v
CROSS JOIN LATERAL (
    SELECT p.hash, p.heading, left(p.content, 20000) AS content, (-(p.lexical <#> @terms::sparsevec))::float8 AS bm25,
        coalesce(1 - (p.meaning <=> @meaning::halfvec), 'NaN')::float8 AS likeness
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
) e ON true;
