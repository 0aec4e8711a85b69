-- Every document that is not whole: in one statement, so at one instant.
SELECT concat_ws(' ', t.branch_name, d.collection, d.relative_path, 'chunk_count', d.chunk_count,
	'chunks', c.chunks, 'from', c.first, 'to', c.last, 'without passage', c.bare, 'of other level', c.other_level,
	'out of the graph', c.unreachable, 'with a vector of other level', c.other_vector,
	'out of the lines', c.outside, 'of another tenant', c.strange, 'links', l.links, 'to', l.last)
FROM documents d
JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
CROSS JOIN LATERAL (
	SELECT count(*) AS chunks, min(c.ordinal) AS first, max(c.ordinal) AS last,
		count(*) FILTER (WHERE p.hash IS NULL) AS bare,
		count(*) FILTER (WHERE c.promotion_level <> d.promotion_level) AS other_level,
		count(*) FILTER (WHERE c.promotion_level > 'standard' AND NOT p.promoted) AS unreachable,
		count(*) FILTER (WHERE EXISTS (SELECT FROM embeddings e WHERE e.collection = c.collection
			AND e.project_id = c.project_id AND e.hash = c.passage_hash AND e.promoted <> p.promoted)) AS other_vector,
		count(*) FILTER (WHERE c.start_line < 1 OR c.end_line < c.start_line) AS outside,
		count(*) FILTER (WHERE c.tenant_id <> d.tenant_id OR c.collection <> d.collection) AS strange
	FROM document_chunks c LEFT JOIN passages p
		ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
	WHERE c.project_id = d.project_id AND c.document_id = d.id) c
CROSS JOIN LATERAL (
	SELECT count(*) AS links, min(ordinal) AS first, max(ordinal) AS last FROM document_links l
	WHERE l.project_id = d.project_id AND l.document_id = d.id) l
WHERE c.chunks = 0 OR c.first <> 0 OR c.last <> c.chunks - 1
	-- chunk_count leaves out the front matter, and is 0 for a single section.
	OR NOT CASE d.chunk_count WHEN 0 THEN c.chunks <= 2 ELSE d.chunk_count > 1 AND c.chunks - d.chunk_count IN (0, 1) END
	OR c.bare + c.other_level + c.unreachable + c.other_vector + c.outside + c.strange > 0
	OR l.links > 0 AND (l.first <> 0 OR l.last <> l.links - 1)
