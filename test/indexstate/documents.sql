-- Every document of a branch with its chunks, texts, vectors and links, one a line.
SELECT concat_ws(' ', d.collection, to_json(d.relative_path), encode(d.content_hash, 'hex'), d.chunk_count,
    d.promotion_level,
    (SELECT string_agg(concat_ws('/', c.ordinal, c.start_line, c.end_line, c.promotion_level, c.header_path,
            coalesce(md5(p.heading || p.content), 'NO PASSAGE'), 'vector:' || coalesce(md5(halfvec_send(e.embedding)), 'none')),
            ',' ORDER BY c.ordinal)
        FROM document_chunks c
        LEFT JOIN passages p ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
        LEFT JOIN embeddings e ON e.collection = c.collection AND e.project_id = c.project_id AND e.hash = c.passage_hash
            AND e.model_id = t.embedding_model_id
        WHERE c.project_id = d.project_id AND c.document_id = d.id),
    (SELECT string_agg(concat_ws(' ', l.relation, l.target_path, r.relative_path), ',' ORDER BY l.ordinal) FROM document_links l
        LEFT JOIN documents r ON r.project_id = l.project_id AND r.id = l.target_id
        WHERE l.project_id = d.project_id AND l.document_id = d.id))
FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
WHERE t.branch_name = $1 ORDER BY d.collection, d.relative_path COLLATE "C"
