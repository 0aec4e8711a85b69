-- name: LinkDeleteByPaths :exec
DELETE FROM document_links l
WHERE l.project_id = @project_id AND l.document_id IN (
    SELECT d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = ANY(@relative_paths::text[]));

-- name: LinkInsertMany :exec
-- As ChunkInsertMany.
INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, supersedes)
SELECT d.project_id, @tenant_id, d.id, l.ordinal, l.target_path, l.fallback_path, l.supersedes
FROM (
    SELECT unnest(@relative_paths::text[]) AS relative_path,
        unnest(@ordinals::integer[]) AS ordinal,
        unnest(@target_paths::text[]) AS target_path,
        unnest(@fallback_paths::text[]) AS fallback_path,
        unnest(@supersedes::boolean[]) AS supersedes
) AS l
CROSS JOIN LATERAL (
    SELECT d.project_id, d.id FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection
        AND d.relative_path = l.relative_path
    OFFSET 0
) AS d;

-- name: LinkEdges :many
-- The tenant's link graph, links to nothing and to superseded documents left out, in the order of the texts.
SELECT d.relative_path AS source_path, coalesce(t.relative_path, f.relative_path)::text AS target_path,
    coalesce(t.promotion_level, f.promotion_level)::promotion_level AS target_level
FROM document_links l
JOIN documents d ON d.project_id = @project_id AND d.id = l.document_id
LEFT JOIN documents t ON t.project_id = @project_id AND t.tenant_id = @tenant_id
    AND t.collection = @collection AND t.relative_path = l.target_path
LEFT JOIN documents f ON t.id IS NULL AND l.fallback_path <> '' AND f.project_id = @project_id
    AND f.tenant_id = @tenant_id AND f.collection = @collection AND f.relative_path = l.fallback_path
WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND d.collection = @collection
    AND coalesce(t.id, f.id) IS NOT NULL AND NOT l.supersedes
ORDER BY d.relative_path, l.ordinal;
