-- name: LinkDeleteByDocuments :exec
DELETE FROM document_links
WHERE project_id = @project_id AND document_id = ANY(@document_ids::bigint[]);

-- name: LinkInsertMany :copyfrom
INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path)
VALUES (@project_id, @tenant_id, @document_id, @ordinal, @target_path);

-- name: LinkEdges :many
-- The tenant's link graph, links to nothing left out, in the order of the texts.
SELECT d.relative_path AS source_path, l.target_path, t.promotion_level AS target_level
FROM document_links l
JOIN documents d ON d.project_id = l.project_id AND d.id = l.document_id
JOIN documents t ON t.project_id = l.project_id AND t.tenant_id = l.tenant_id
    AND t.collection = d.collection AND t.relative_path = l.target_path
WHERE l.project_id = @project_id AND l.tenant_id = @tenant_id AND d.collection = @collection
ORDER BY d.relative_path, l.ordinal;
