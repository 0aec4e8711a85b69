-- name: DocumentStamps :many
-- The size, times and hash of each indexed file. A sync compares them with the disk.
SELECT relative_path, file_size, file_mtime, file_ctime, file_inode, content_hash, schema_hash
FROM documents
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection;

-- name: DocumentUpsertMany :exec
-- Each column is one array. Places, names and messages of a row are lines of one text, because unnest would join the
-- lists of all rows. The id of a new document has the tenant's id in its upper half, and is one more than the tenant's
-- last. A sequence will not do on Citus, where it may be on another node than the row. So the statement needs the lock
-- of TenantIncrementVersion. The row of the tenant names the node.
INSERT INTO documents (
    project_id, tenant_id, id, collection, relative_path, title, own_title, file_title, summary, tags, doc_type, doc_date, dated, promotion_level,
    content_hash, schema_hash, char_count, file_size, file_mtime, file_ctime, file_inode, chunk_count, places, names,
    messages, triggers, cues, status, holds_until, number
)
SELECT t.project_id, t.id,
    d.ordinal + coalesce((
        SELECT max(l.id) FROM documents l
        WHERE l.project_id = @project_id AND l.id > t.id::bigint << 32 AND l.id < (t.id::bigint + 1) << 32
    ), t.id::bigint << 32),
    @collection, d.relative_path, d.title, d.title, d.file_title, d.summary, d.tags, d.doc_type, d.doc_date,
    d.dated, d.promotion_level, d.content_hash, d.schema_hash, d.char_count, d.file_size, d.file_mtime,
    d.file_ctime, d.file_inode, d.chunk_count, string_to_array(nullif(d.places, ''), E'\n'),
    string_to_array(nullif(d.names, ''), E'\n'), string_to_array(nullif(d.messages, ''), E'\n'), nullif(d.triggers, '')::jsonb,
    string_to_array(nullif(d.cues, ''), E'\n'), d.status, d.holds_until, d.number
FROM tenants t
CROSS JOIN (
    SELECT unnest(@relative_paths::text[]) AS relative_path,
        generate_subscripts(@relative_paths::text[], 1) AS ordinal,
        unnest(@titles::text[]) AS title,
        unnest(@file_titles::text[]) AS file_title,
        unnest(@summaries::text[]) AS summary,
        unnest(@tags::text[]) AS tags,
        unnest(@doc_types::text[]) AS doc_type,
        unnest(@doc_dates::text[]) AS doc_date,
        unnest(@dated::boolean[]) AS dated,
        unnest(@promotion_levels::promotion_level[]) AS promotion_level,
        unnest(@content_hashes::bytea[]) AS content_hash,
        unnest(@schema_hashes::text[]) AS schema_hash,
        unnest(@char_counts::integer[]) AS char_count,
        unnest(@file_sizes::bigint[]) AS file_size,
        unnest(@file_mtimes::timestamptz[]) AS file_mtime,
        unnest(@file_ctimes::timestamptz[]) AS file_ctime,
        unnest(@file_inodes::bigint[]) AS file_inode,
        unnest(@chunk_counts::integer[]) AS chunk_count,
        unnest(@places::text[]) AS places,
        unnest(@names::text[]) AS names,
        unnest(@messages::text[]) AS messages,
        unnest(@triggers::text[]) AS triggers,
        unnest(@cues::text[]) AS cues,
        unnest(@statuses::text[]) AS status,
        unnest(@untils::text[]) AS holds_until,
        unnest(@numbers::text[]) AS number
) AS d
WHERE t.project_id = @project_id AND t.id = @tenant_id
ON CONFLICT (project_id, tenant_id, collection, relative_path) DO UPDATE SET
    title = excluded.title, own_title = excluded.own_title, file_title = excluded.file_title, summary = excluded.summary, tags = excluded.tags, doc_type = excluded.doc_type,
    doc_date = excluded.doc_date, dated = excluded.dated, promotion_level = excluded.promotion_level, content_hash = excluded.content_hash,
    schema_hash = excluded.schema_hash, char_count = excluded.char_count,
    file_size = excluded.file_size, file_mtime = excluded.file_mtime,
    file_ctime = excluded.file_ctime, file_inode = excluded.file_inode, chunk_count = excluded.chunk_count,
    places = excluded.places, names = excluded.names, messages = excluded.messages, triggers = excluded.triggers,
    cues = excluded.cues, status = excluded.status, holds_until = excluded.holds_until, number = excluded.number;

-- name: DocumentUpdateTitles :exec
-- If three documents have the same title, it is probably that of a form, such as "RFC template": then each gets the
-- title of its file. Two are often a document and its translation. Copies of the same size keep the title, and so do
-- files of the same name, such as versions of a page. Each write ends with this statement, so it looks only at the
-- given own titles and at documents with the title of their file, over documents_own_titles and documents_of_files.
UPDATE documents d SET title = t.title
FROM (
    SELECT n.id, n.title AS current, CASE WHEN count(*) OVER same > 2 AND min(n.file_title) OVER same <> max(n.file_title) OVER same
        AND min(n.file_size) OVER same <> max(n.file_size) OVER same THEN n.file_title ELSE n.own_title END AS title
    FROM (
        SELECT md5(unnest(@own_titles::text[])) AS hash
        UNION
        SELECT md5(f.own_title) FROM documents f
        WHERE f.project_id = @project_id AND f.tenant_id = @tenant_id AND f.title <> f.own_title
    ) w
    CROSS JOIN LATERAL (
        SELECT n.id, n.title, n.own_title, n.file_title, n.file_size FROM documents n
        WHERE n.project_id = @project_id AND n.tenant_id = @tenant_id AND n.collection = @collection::collection
            AND md5(n.own_title) = w.hash
        OFFSET 0
    ) n
    WINDOW same AS (PARTITION BY n.own_title COLLATE "C")
) t
WHERE d.project_id = @project_id AND d.id = t.id AND t.title <> t.current;

-- name: DocumentTouchMany :exec
-- Updates the stamps of files whose content is still the same.
UPDATE documents SET file_size = f.file_size, file_mtime = f.file_mtime, file_ctime = f.file_ctime, file_inode = f.file_inode
FROM (
    SELECT unnest(@relative_paths::text[]) AS relative_path,
        unnest(@content_hashes::bytea[]) AS content_hash,
        unnest(@file_sizes::bigint[]) AS file_size,
        unnest(@file_mtimes::timestamptz[]) AS file_mtime,
        unnest(@file_ctimes::timestamptz[]) AS file_ctime,
        unnest(@file_inodes::bigint[]) AS file_inode
) AS f
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection
    AND documents.relative_path = f.relative_path AND documents.content_hash = f.content_hash;

-- name: DocumentDeleteByPaths :exec
-- Foreign keys delete chunks and links.
DELETE FROM documents
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection
    AND relative_path = ANY(@relative_paths::text[]);

-- name: DocumentCountByType :many
SELECT doc_type, count(*) AS documents
FROM documents
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection
GROUP BY doc_type;

-- name: DocumentsByPath :many
SELECT id, relative_path, title, summary, char_count, doc_type, doc_date, promotion_level,
    file_size, file_mtime, file_ctime, file_inode
FROM documents
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection
    AND relative_path = ANY(@relative_paths::text[]);

-- name: DocumentsNamed :many
-- The documents with a path of a given form, or with a number such as #12, the shortest path first. The query
-- compares all paths of the tenant.
SELECT relative_path, title
FROM documents
WHERE project_id = @project_id AND tenant_id = @tenant_id AND collection = @collection
    AND (relative_path ~* sqlc.narg('path')::text OR right(number, length(sqlc.narg('number')::text)) = sqlc.narg('number')::text)
ORDER BY length(relative_path), relative_path
LIMIT 10;

-- name: DocumentCitations :many
-- The places that the tenant's documents cite, up to 32 MiB in all, as in DocumentPlaces.
SELECT path, places
FROM (
    SELECT d.relative_path AS path, d.places, sum(pg_column_size(d.places || '{}')) OVER (ORDER BY d.id) AS bytes
    FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = @collection AND d.places IS NOT NULL
) AS d
WHERE bytes <= 33554432
ORDER BY path;

-- name: DocumentPlaces :many
-- The tenant's documents that cite places of the repository, quote code, have triggers, or are critical. With cues,
-- only those that have one of them, over documents_cues. The lists of one document may take a megabyte, so they are
-- read up to 32 MiB in all, and the rest of the documents goes without. || gives a value its size before compression.
-- Triggers are read first: nothing else says what they say.
SELECT id, collection, path, title, date, level, (CASE WHEN bytes <= 33554432 THEN places END)::text[] AS places,
    (CASE WHEN bytes <= 33554432 THEN names END)::text[] AS names,
    (CASE WHEN bytes <= 33554432 THEN messages END)::text[] AS messages,
    coalesce(CASE WHEN declared_bytes <= 33554432 THEN triggers::text END, '')::text AS declared
FROM (
    SELECT d.id, d.collection, d.relative_path AS path, d.title, d.doc_date AS date, d.promotion_level AS level,
        d.places, d.names, d.messages, d.triggers,
        sum(coalesce(octet_length(d.triggers::text), 0)) OVER (ORDER BY d.id) AS declared_bytes,
        sum(pg_column_size(d.places || '{}') + pg_column_size(d.names || '{}') + pg_column_size(d.messages || '{}'))
            OVER (ORDER BY d.id) AS bytes
    FROM documents d
    WHERE d.project_id = @project_id AND d.tenant_id = @tenant_id AND d.collection = ANY(@collections::collection[])
        AND (d.places IS NOT NULL OR d.names IS NOT NULL OR d.messages IS NOT NULL OR d.triggers IS NOT NULL
            OR d.promotion_level = 'critical')
        AND (sqlc.narg('cues')::text[] IS NULL OR d.cues && sqlc.narg('cues')::text[])
) AS d
ORDER BY path;
