-- name: LinkDeleteByPaths :exec
DELETE FROM document_links l
WHERE l.project_id = @project_id AND l.document_id IN (
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = ANY(@relative_paths::text[]));

-- name: LinkInsertMany :exec
-- Each column is one array, as in ChunkInsertMany.
INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, relation)
SELECT d.project_id, @tenant_id, d.id, l.ordinal, l.target_path, l.fallback_path, l.relation
FROM (
    SELECT unnest(@relative_paths::text[]) AS relative_path,
        unnest(@ordinals::integer[]) AS ordinal,
        unnest(@target_paths::text[]) AS target_path,
        unnest(@fallback_paths::text[]) AS fallback_path,
        unnest(@relations::text[]) AS relation
) AS l
CROSS JOIN LATERAL (
    SELECT d.project_id, d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = l.relative_path
    OFFSET 0
) AS d;

-- name: LinkResolveRelations :exec
-- Finds the document that each relation of a collection names, among the present documents. Each write ends with it.
-- A wikilink means a page of that name. A number means the only decision with it in the folder. LinkEdges says which of
-- several pages counts, and why there is a FULL JOIN. A sync writes many batches, so the query sorts only documents
-- with a name that a relation has. It finds documents with a number over documents_numbers. IS TRUE makes PostgreSQL
-- hash the names.
WITH relations AS MATERIALIZED (
    SELECT d.id, d.relative_path, l.ordinal, l.target_path, f.id AS found_id,
        CASE WHEN f.id IS NOT NULL THEN NULL WHEN l.target_path LIKE '**/%'
            THEN '**/' || lower(regexp_replace(l.target_path, '^.*/', '')) ELSE l.target_path END AS name
    FROM document_links l
    CROSS JOIN LATERAL (
        SELECT d.id, d.relative_path FROM documents d
        WHERE d.project_id = @project_id AND d.id = l.document_id AND d.collection = @collection::collection
        OFFSET 0
    ) d
    LEFT JOIN LATERAL (
        SELECT f.id
        FROM unnest(ARRAY[l.target_path, nullif(l.fallback_path, ''), CASE WHEN l.target_path LIKE '**/%'
            THEN regexp_replace(d.relative_path, '[^/]*$', '') || substr(l.target_path, 4) END]) WITH ORDINALITY w (path, place)
        CROSS JOIN LATERAL (
            SELECT f.id FROM documents f
            WHERE f.project_id = @project_id AND f.tenant_id = @tenant_id AND f.collection = @collection::collection
                AND f.relative_path = w.path AND f.id <> d.id
            OFFSET 0
        ) f
        ORDER BY w.place
        LIMIT 1
    ) f ON true
    WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND l.relation <> ''
),
candidates AS (
    SELECT r.id, r.relative_path, r.ordinal, r.found_id, n.id AS named_id, n.relative_path AS path, r.target_path = n.number AS by_number,
        coalesce(n.id <> r.id AND (r.target_path = n.number
            OR right(lower('/' || n.relative_path), length(r.target_path) - 2) = lower(substr(r.target_path, 3))), false) AS fits
    FROM relations r
    FULL JOIN (
        SELECT s.name, s.id, s.relative_path, s.number
        FROM (
            SELECT d.name, d.id, d.relative_path, d.number,
                row_number() OVER (PARTITION BY d.name ORDER BY length(d.relative_path), d.relative_path) AS place
            FROM (
                SELECT '**/' || lower(split_part(d.relative_path, '/', -1)) AS name, d.id, d.relative_path, d.number
                FROM documents d
                WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection::collection
                    AND EXISTS (SELECT FROM relations r WHERE r.name LIKE '**/%')
                UNION ALL
                SELECT d.number, d.id, d.relative_path, d.number
                FROM documents d
                WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection::collection
                    AND d.number <> '' AND EXISTS (SELECT FROM relations r WHERE r.name LIKE '%#%')
            ) d
            WHERE (d.name IN (SELECT r.name FROM relations r)) IS TRUE
        ) s
        WHERE s.place <= 30
    ) n ON n.name = r.name
    OFFSET 0
)
UPDATE document_links l SET target_id = f.target_id
FROM (
    SELECT DISTINCT ON (c.id, c.ordinal) c.id AS document_id, c.ordinal, CASE
        WHEN c.found_id IS NOT NULL THEN c.found_id
        WHEN c.fits AND (NOT c.by_number OR count(*) FILTER (WHERE c.fits) OVER (PARTITION BY c.id, c.ordinal) = 1)
        THEN c.named_id END AS target_id
    FROM candidates c
    WHERE c.id IS NOT NULL
    ORDER BY c.id, c.ordinal, c.fits DESC, starts_with(lower(c.path), lower(regexp_replace(c.relative_path, '[^/]*$', ''))) DESC,
        length(c.path), c.path
) f
WHERE l.project_id = @project_id AND l.document_id = f.document_id AND l.ordinal = f.ordinal
    AND l.target_id IS DISTINCT FROM f.target_id;

-- name: LinkPairs :many
-- The pairs of given documents in which the first one links to the second.
SELECT l.document_id AS from_id, d.id AS to_id
FROM document_links l
JOIN documents d ON d.project_id = @project_id AND d.id = ANY(@documents::bigint[]) AND (d.id = l.target_id
    OR d.relative_path IN (l.target_path, l.fallback_path)
    OR right(lower('/' || d.relative_path), length(l.target_path) - 2) = lower(substr(l.target_path, 3)))
WHERE l.project_id = @project_id AND l.document_id = ANY(@documents::bigint[]);

-- name: LinkEdges :many
-- The tenant's link graph, in the order of the texts, without relations and links that lead nowhere. At most 100,000
-- links, ten for each of 10,000 documents, so that nobody can fill a server's memory with rows.
-- A target that begins with **/ is a wikilink: it means a path that ends with the rest. If several paths do, the
-- fallback wins, then a path in the folder of the link's document, then the shortest. If more than 30 documents have
-- the same name, the query compares a wikilink only with the 30 shortest paths and the one beside the link's document.
--
-- Statistics may not know the tenant yet, so the form of the query and the settings of db decide the plan. Links come
-- from document_links_pkey, and their targets from the key of documents. The FULL JOIN is there because PostgreSQL
-- cannot run it as a nested loop. OFFSET 0 keeps PostgreSQL from turning it into another join.
WITH links AS (
    SELECT d.relative_path AS source_path, l.ordinal, l.target_path, l.fallback_path,
        t.relative_path AS found_path, t.promotion_level AS found_level,
        CASE WHEN t.relative_path IS NULL AND l.beside IS NOT NULL THEN lower(regexp_replace(l.target_path, '^.*/', '')) END AS name
    FROM documents d
    CROSS JOIN LATERAL (
        SELECT l.ordinal, l.target_path, l.fallback_path, CASE WHEN l.target_path LIKE '**/%'
            THEN regexp_replace(d.relative_path, '[^/]*$', '') || substr(l.target_path, 4) END AS beside
        FROM document_links l
        WHERE l.project_id = @project_id AND l.document_id = d.id AND l.relation = ''
        OFFSET 0
    ) l
    LEFT JOIN LATERAL (
        SELECT t.relative_path, t.promotion_level
        FROM unnest(ARRAY[l.target_path, l.fallback_path, l.beside]) WITH ORDINALITY w (path, place)
        CROSS JOIN LATERAL (
            SELECT t.relative_path, t.promotion_level FROM documents t
            WHERE t.project_id = @project_id AND t.tenant_id = @tenant_id AND t.collection = @collection AND t.relative_path = w.path
            OFFSET 0
        ) t
        ORDER BY w.place
        LIMIT 1
    ) t ON true
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
),
candidates AS (
    SELECT l.source_path, l.ordinal, l.target_path, l.fallback_path,
        coalesce(l.found_path, n.relative_path) AS path, coalesce(l.found_level, n.promotion_level) AS level
    FROM links l
    FULL JOIN (
        SELECT s.name, s.relative_path, s.promotion_level
        FROM (
            SELECT n.name, d.relative_path, d.promotion_level,
                row_number() OVER (PARTITION BY n.name ORDER BY length(d.relative_path), d.relative_path) AS place
            FROM documents d, LATERAL lower(regexp_replace(d.relative_path, '^.*/', '')) AS n(name)
            WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        ) s
        WHERE s.place <= 30
    ) n ON n.name = l.name
    OFFSET 0
)
SELECT DISTINCT ON (c.source_path, c.ordinal) c.source_path::text AS source_path, c.path::text AS target_path, c.level::promotion_level AS target_level
FROM candidates c
WHERE (c.path IN (c.target_path, c.fallback_path) OR right(lower('/' || c.path), length(c.target_path) - 2) = lower(substr(c.target_path, 3)))
ORDER BY c.source_path, c.ordinal, lower(c.path) = lower(c.fallback_path) DESC,
    starts_with(lower(c.path), lower(regexp_replace(c.source_path, '[^/]*$', ''))) DESC, length(c.path), c.path
LIMIT 100000;
