-- name: LinkDeleteByPaths :exec
DELETE FROM document_links l
WHERE l.project_id = @project_id AND l.document_id IN (
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = ANY(@relative_paths::text[]));

-- name: LinkInsertMany :exec
-- As ChunkInsertMany.
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

-- name: LinkEdges :many
-- The tenant's link graph, links to nothing and relations left out, in the order of the texts. At most 100,000,
-- which is ten in each of 10,000 documents, so that nobody can fill a server's memory with rows.
-- A target that begins with **/ is a wikilink, which means a path that ends so. Of several, the fallback comes
-- first, then those in the folder of the link's document, then the shortest.
SELECT d.relative_path AS source_path, coalesce(t.relative_path, f.relative_path, w.relative_path)::text AS target_path,
    coalesce(t.promotion_level, f.promotion_level, w.promotion_level)::promotion_level AS target_level
FROM document_links l
JOIN documents d ON d.project_id = @project_id AND d.id = l.document_id
LEFT JOIN documents t ON t.project_id = @project_id AND t.tenant_id = @tenant_id
    AND t.collection = @collection AND t.relative_path = l.target_path
LEFT JOIN documents f ON t.id IS NULL AND l.fallback_path <> '' AND f.project_id = @project_id
    AND f.tenant_id = @tenant_id AND f.collection = @collection AND f.relative_path = l.fallback_path
LEFT JOIN (
    SELECT DISTINCT ON (n.document_id, n.ordinal) n.document_id, n.ordinal, p.id, p.relative_path, p.promotion_level
    FROM document_links n
    JOIN documents s ON s.project_id = @project_id AND s.id = n.document_id
    JOIN documents p ON p.project_id = @project_id AND p.tenant_id = @tenant_id AND p.collection = @collection
        AND lower(regexp_replace(p.relative_path, '^.*/', '')) = lower(regexp_replace(n.target_path, '^.*/', ''))
        AND right(lower('/' || p.relative_path), length(n.target_path) - 2) = lower(substr(n.target_path, 3))
    WHERE n.project_id = @project_id AND n.tenant_id = @tenant_id AND n.target_path LIKE '**/%'
    ORDER BY n.document_id, n.ordinal, lower(p.relative_path) = lower(n.fallback_path) DESC,
        starts_with(lower(p.relative_path), lower(regexp_replace(s.relative_path, '[^/]*$', ''))) DESC, length(p.relative_path), p.relative_path
) w ON w.document_id = l.document_id AND w.ordinal = l.ordinal
WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND d.collection = @collection
    AND coalesce(t.id, f.id, w.id) IS NOT NULL AND l.relation = ''
ORDER BY d.relative_path, l.ordinal
LIMIT 100000;
