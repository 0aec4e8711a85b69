-- A small index in version 1 of the schema: every table has rows. The fixture of every version has
-- the rows that db/migrations_test.go looks for after a migration: a project on two branches that
-- share a passage, external docs, and a handbook. A passage's first term is the coordinate of its
-- vector that is 1.

INSERT INTO embedding_models (id, name, digest, dimensions, prompt_version) OVERRIDING SYSTEM VALUE
VALUES (1, 'mxbai-embed-large', 'sha256:0123', 1024, 1);

INSERT INTO projects (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'filled'), (2, ':handbook');

INSERT INTO tenants (
    project_id, id, branch_name, path_hash, repo_root, embedding_model_id, version, generation, deleted_at, epoch, sync_status,
    first_seen, last_seen
) OVERRIDING SYSTEM VALUE VALUES
    (1, 1, 'main', '0123456789abcdef', '/repo', 1, 7, 2, NULL, 3, '{"done": 2}', '2026-01-01 00:00+00', '2026-01-02 00:00+00'),
    (1, 2, 'next', '0123456789abcdef', '/repo', 1, 1, 0, NULL, 1, NULL, '2026-01-01 00:00+00', '2026-01-02 00:00+00'),
    (2, 3, '', '', '', 1, 1, 0, NULL, 0, NULL, '2026-01-01 00:00+00', '2026-01-02 00:00+00');

INSERT INTO documents (
    project_id, tenant_id, id, collection, relative_path, title, summary, tags, doc_type, doc_date, promotion_level,
    content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count, places
) VALUES
    (1, 1, 1, 'compounding', 'docs/pool.md', 'Pool', 'Exhausted', 'pool; sql', 'problem', '2026-01-02', 'critical',
        '\x01', 'schema', 40, 44, '2026-01-01 00:00+00', '2026-01-01 00:00+00', 7, 2, '{src/pool.go}'),
    (1, 1, 2, 'compounding', 'docs/labels.md', 'Labels', 'Umlauts', '', 'insight', '2026-01-03', 'standard',
        '\x02', '', 20, 22, '2026-01-01 00:00+00', '2026-01-01 00:00+00', 7, 0, NULL),
    (1, 2, 3, 'compounding', 'docs/labels.md', 'Labels', 'Umlauts', '', 'insight', '2026-01-03', 'important',
        '\x02', '', 20, 22, '2026-01-01 00:00+00', '2026-01-01 00:00+00', 7, 0, NULL),
    (1, 1, 4, 'external', 'manual/setup.md', 'Setup', '', '', '', '', 'standard',
        '\x03', '', 10, 10, '2026-01-01 00:00+00', '2026-01-01 00:00+00', 7, 0, NULL),
    (2, 3, 5, 'handbook', 'handbook/keys.md', 'Keys', '', '', 'office', '', 'standard',
        '\x04', '', 10, 10, '2026-01-01 00:00+00', '2026-01-01 00:00+00', 7, 0, NULL);

INSERT INTO document_chunks (
    project_id, tenant_id, document_id, collection, ordinal, start_line, end_line, promotion_level, passage_hash, header_path
) VALUES
    (1, 1, 1, 'compounding', 0, 5, 6, 'critical', '00000000-0000-4000-8000-000000000001', '## Cause'),
    (1, 1, 1, 'compounding', 1, 7, 9, 'critical', '00000000-0000-4000-8000-000000000002', '## Cure'),
    (1, 1, 2, 'compounding', 0, 1, 3, 'standard', '00000000-0000-4000-8000-000000000003', ''),
    (1, 2, 3, 'compounding', 0, 1, 3, 'important', '00000000-0000-4000-8000-000000000003', ''),
    (1, 1, 4, 'external', 0, 1, 1, 'standard', '00000000-0000-4000-8000-000000000004', ''),
    (2, 3, 5, 'handbook', 0, 1, 1, 'standard', '00000000-0000-4000-8000-000000000005', '');

INSERT INTO document_links (project_id, tenant_id, document_id, ordinal, target_path, fallback_path, relation) VALUES
    (1, 1, 1, 0, 'docs/labels.md', '', ''),
    (1, 1, 2, 0, 'docs/gone.md', 'docs/missing.md', '');

INSERT INTO passages (collection, project_id, hash, created_at, heading, content, terms, lexical, meaning, promoted)
SELECT p.collection::collection, p.project_id, p.hash::uuid, '2026-01-02 00:00+00', p.heading, p.content,
    ARRAY[p.term, 1000], format('{%s:1.5,1000:0.9}/1000000000', p.term)::sparsevec,
    CASE p.collection WHEN 'compounding' THEN ('[1' || repeat(',0', 255) || ']')::halfvec END, p.collection = 'compounding'
FROM (VALUES
    ('compounding', 1, '00000000-0000-4000-8000-000000000001', 'Pool > ## Cause', 'Jobs kept their connections.', 1),
    ('compounding', 1, '00000000-0000-4000-8000-000000000002', 'Pool > ## Cure', 'Acquire one per attempt.', 2),
    ('compounding', 1, '00000000-0000-4000-8000-000000000003', 'Labels', 'The printer knows no umlauts.', 3),
    ('external', 1, '00000000-0000-4000-8000-000000000004', 'Setup', 'Install the server.', 4),
    ('handbook', 2, '00000000-0000-4000-8000-000000000005', 'Keys', 'Badges open doors.', 5)
) AS p (collection, project_id, hash, heading, content, term);

INSERT INTO embeddings (collection, project_id, model_id, hash, embedding, promoted)
SELECT p.collection, p.project_id, 1, p.hash,
    ('[' || repeat('0,', p.terms[1] - 1) || '1' || repeat(',0', 1024 - p.terms[1]) || ']')::halfvec, p.promoted
FROM passages p;
