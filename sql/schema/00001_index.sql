-- The whole index. tenants, documents, document_chunks and document_links say which documents a
-- checkout has. passages and embeddings have the text and the vectors that checkouts share.
-- project_id comes first in every key: it keeps one project's text out of another's, and is the distribution
-- column on Citus.

-- CHECK bounds each text by the most that a document or a checkout can need, so that a writer cannot make
-- servers read more. Keys of an index need no bound. No time is infinite, because servers could not read it.

-- +goose Up
-- On Citus, IF NOT EXISTS would ask for the right to create the extension even if it exists already.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    END IF;
END
$$;
-- +goose StatementEnd

CREATE TYPE collection AS ENUM ('compounding', 'external', 'handbook');

-- Ordered: comparison operators rank the levels.
CREATE TYPE promotion_level AS ENUM ('standard', 'important', 'critical');

-- The models that made the vectors. Vectors of two rows are never compared.
CREATE TABLE embedding_models (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text    NOT NULL,
    digest         text    NOT NULL,
    dimensions     integer NOT NULL,
    prompt_version integer NOT NULL,
    -- The calibration of its cosines, measured once: see rag/calibration. NULL before.
    matched        double precision,
    unmatched      double precision,
    variance       double precision,
    own_first      double precision,
    UNIQUE (name, digest, dimensions, prompt_version),
    CHECK (num_nulls(matched, unmatched, variance, own_first) IN (0, 4))
);

CREATE TABLE projects (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);

-- One checkout on one branch.
CREATE TABLE tenants (
    project_id         integer     NOT NULL REFERENCES projects ON DELETE CASCADE,
    id                 integer     GENERATED ALWAYS AS IDENTITY,
    branch_name        text        NOT NULL,
    path_hash          text        NOT NULL,
    repo_root          text        NOT NULL,
    embedding_model_id integer     REFERENCES embedding_models,
    -- Counts the transactions that changed the tenant's documents. Caches use it as a key.
    -- Both version and generation begin with the time of registration, so that the numbers of a dropped
    -- database never come back.
    version            bigint      NOT NULL DEFAULT extract(epoch FROM now()) * 1000,
    -- Counts the deletions of the checkout's own documents. A server that registered the
    -- checkout before the last deletion may no longer write.
    generation         bigint      NOT NULL DEFAULT extract(epoch FROM now()) * 1000,
    -- Set by a deletion, and cleared by the next activation. Only a checkout with
    -- external docs has a row in between.
    deleted_at         timestamptz,
    -- The server that indexes the tenant, and the end of its lease by this database's clock. NULL if no
    -- server does. See db/lease.go.
    holder             text,
    lease_until        timestamptz,
    -- The fencing token. Each new indexing server increments it, and a write with an older epoch
    -- fails.
    epoch              bigint      NOT NULL DEFAULT 0,
    -- How far the index is behind the files. The server that indexes writes it.
    sync_status        jsonb,
    -- When a server last looked for passages of the project that no document uses. Only the row of the
    -- project's first tenant has it.
    swept_at           timestamptz,
    first_seen         timestamptz NOT NULL DEFAULT now(),
    last_seen          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, branch_name, path_hash),
    CHECK ((holder IS NULL) = (lease_until IS NULL)),
    CHECK (isfinite(lease_until)),
    CHECK (isfinite(deleted_at) AND isfinite(swept_at) AND isfinite(first_seen) AND isfinite(last_seen)),
    CHECK (octet_length(repo_root || coalesce(holder, '')) <= 65536),
    CHECK (octet_length(sync_status::text) <= 1048576),
    -- So that no writer can make one of these overflow.
    CHECK (version BETWEEN 0 AND 1::bigint << 53 AND generation BETWEEN 0 AND 1::bigint << 53 AND epoch BETWEEN 0 AND 1::bigint << 53)
);

-- Whether another server may take a lease, because it has ended. A renewal lasts 15 seconds. If a lease ends
-- later than twice that, somebody has set the database's clock back, and another server may take it too.
-- Twice, because a renewal may come while the caller's statement waits. The caller passes now() as at,
-- because Citus refuses to evaluate it beside a column.
-- +goose StatementBegin
CREATE FUNCTION lease_free(lease_until timestamptz, at timestamptz) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
    SELECT lease_until IS NULL OR lease_until NOT BETWEEN at AND at + interval '30 seconds'
$$;
-- +goose StatementEnd

CREATE TABLE documents (
    project_id      integer         NOT NULL,
    tenant_id       integer         NOT NULL,
    id              bigint          NOT NULL, -- see DocumentUpsertMany
    collection      collection      NOT NULL,
    relative_path   text            NOT NULL,
    title           text            NOT NULL,
    -- The titles from the document's own text and from its file. DocumentUpdateTitles copies one of them to title.
    own_title       text            NOT NULL DEFAULT '',
    file_title      text            NOT NULL DEFAULT '',
    summary         text            NOT NULL,
    -- Separated by "; ".
    tags            text            NOT NULL,
    doc_type        text            NOT NULL,
    doc_date        text            NOT NULL,
    -- Whether the document itself says the date. Otherwise it comes from git or from the file.
    dated           boolean         NOT NULL DEFAULT true,
    promotion_level promotion_level NOT NULL,
    -- SHA-256 of the file's bytes.
    content_hash    bytea           NOT NULL,
    -- Fingerprint of the schema that the front matter was validated against.
    schema_hash     text            NOT NULL,
    char_count      integer         NOT NULL,
    file_size       bigint          NOT NULL,
    file_mtime      timestamptz     NOT NULL,
    -- When the file system last changed the file's entry. No program can set this time, so it changes even if an
    -- edit keeps size and file_mtime. It is the year 1 if a change could still go unseen: then the next sync
    -- reads the file again.
    file_ctime      timestamptz     NOT NULL,
    -- Identifies the file, because another file at the same path may have the same times.
    file_inode      bigint          NOT NULL,
    -- The number of chunks of the text after the front matter, or 0 if it is a single chunk.
    chunk_count     integer         NOT NULL,
    -- The status that the document says of itself, as a word of rag/said.StatusWord, or ''; and the last day on
    -- which it holds, or '' for no end.
    status          text            NOT NULL DEFAULT '',
    holds_until     text            NOT NULL DEFAULT '',
    -- The folder and number of a decision, such as docs/adr/#12, or ''.
    number          text            NOT NULL DEFAULT '',
    -- The places of the repository that the document cites, such as src/pool.go:12-20;
    -- NULL for none.
    places          text[],
    -- The names of code in the document, and its quotes that may be the output of a program; NULL for none.
    names           text[],
    messages        text[],
    -- The acts at which the document wants to be heard, a list of rag/said.Trigger; NULL for none.
    triggers        jsonb,
    -- The cues by which an act finds the document, see internal/hooks/trigger.Cues; NULL for none.
    cues            text[],
    CHECK (greatest(length(title), length(own_title), length(file_title)) <= 1000 AND octet_length(summary || tags || doc_type || doc_date || schema_hash || status || holds_until || number) <= 262144),
    CHECK (isfinite(file_mtime) AND isfinite(file_ctime)),
    CHECK (octet_length(content_hash) <= 32 AND pg_column_size(places) <= 1048576),
    CHECK (pg_column_size(names) <= 262144 AND pg_column_size(messages) <= 524288 AND pg_column_size(triggers) <= 262144),
    CHECK (pg_column_size(cues) <= 262144),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, tenant_id, collection, relative_path),
    FOREIGN KEY (project_id, tenant_id) REFERENCES tenants ON DELETE CASCADE
);

CREATE INDEX documents_types ON documents (project_id, tenant_id, collection, doc_type);

-- Whether a filter lets a document through. Each field of the filter is an object whose keys are the admitted values, or is
-- absent to admit all. Only this function and the Go type admission know the fields. PostgreSQL inlines the function
-- into each query, and finds a key of an object by a binary search.
-- +goose StatementBegin
CREATE FUNCTION admits(filter jsonb, doc_type text, path text) RETURNS boolean
IMMUTABLE LANGUAGE sql AS $$
    SELECT (NOT filter ? 'doc_types' OR filter -> 'doc_types' ? doc_type)
        AND (NOT filter ? 'paths' OR filter -> 'paths' ? path)
        AND NOT coalesce(filter -> 'other_paths' ? path, false)
$$;
-- +goose StatementEnd

-- The places of passages in documents. passage_hash has no foreign key, because this would lock a passage's
-- row for every document that uses it. Instead, writers hold the project's advisory lock shared, and the
-- removal of unused passages holds it exclusively.
CREATE TABLE document_chunks (
    project_id      integer         NOT NULL,
    tenant_id       integer         NOT NULL,
    document_id     bigint          NOT NULL,
    collection      collection      NOT NULL,
    -- From 0 in the order of the text. It is below 0 for a question that the document answers.
    ordinal         integer         NOT NULL,
    start_line      integer         NOT NULL,
    end_line        integer         NOT NULL,
    promotion_level promotion_level NOT NULL,
    passage_hash    uuid            NOT NULL,
    header_path     text            NOT NULL CHECK (octet_length(header_path) <= 65536),
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Lists the passages of a tenant at a level without reading the table. Searches treat standard and promoted
-- documents separately, and always name the levels. Because the level stands before the hash, passages of
-- one level are neighbours in the index, and quick to count and compare.
CREATE INDEX document_chunks_passage ON document_chunks
    (project_id, tenant_id, collection, promotion_level, passage_hash) INCLUDE (document_id, ordinal);

CREATE TABLE document_links (
    project_id  integer NOT NULL,
    tenant_id   integer NOT NULL,
    document_id bigint  NOT NULL,
    ordinal     integer NOT NULL,
    target_path text    NOT NULL,
    -- The target if no document has target_path, or '' for none.
    fallback_path text  NOT NULL,
    -- The relation of the document to the target: supersedes, superseded_by, amends, amended_by or mentions, or ''
    -- for a link. A target that ends with # and a number is the decision of that number in the folder.
    relation    text    NOT NULL,
    -- The document that a relation names, by LinkResolveRelations; NULL for none, and for a link.
    target_id   bigint,
    CHECK (octet_length(target_path || fallback_path || relation) <= 65536),
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Relations are few, and the first search after each change reads them.
CREATE INDEX document_links_relations ON document_links (project_id, tenant_id) WHERE relation <> '';
CREATE INDEX documents_cues ON documents USING gin (cues);
CREATE INDEX documents_numbers ON documents (project_id, tenant_id) WHERE number <> '';
CREATE INDEX documents_of_files ON documents (project_id, tenant_id) WHERE title <> own_title;
CREATE INDEX documents_own_titles ON documents (project_id, tenant_id, md5(own_title));
CREATE INDEX documents_statuses ON documents (project_id, tenant_id) WHERE status <> '' OR holds_until <> '';

-- A unit of text for searches and vectors. A project stores it once, even if many checkouts have it. hash is the
-- first 128 bits of a SHA-256 over heading and content; its type is uuid, because that has 16 bytes.
CREATE TABLE passages (
    collection collection  NOT NULL,
    project_id integer     NOT NULL,
    hash       uuid        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(created_at)),
    heading    text        NOT NULL,
    content    text        NOT NULL,
    -- The distinct terms of heading and content. Each is a hash of project and term from 1 to 10^9, so that one
    -- index serves all projects.
    terms      integer[]   NOT NULL,
    -- The weights of the terms for BM25. Their inner product with the weights of a query is the passage's BM25.
    -- The vector has a dimension for each possible term.
    lexical    sparsevec(1000000000) NOT NULL,
    -- The built-in vector of heading and content, by rag/wordvec. NULL if the text has no piece that wordvec knows,
    -- or is not in English.
    meaning    halfvec(256),
    -- Set when the first chunk above the standard level uses the passage, and never unset. A search reads the
    -- present levels from document_chunks.
    promoted   boolean     NOT NULL DEFAULT false,
    -- A passage is long only if it is mostly white space.
    CHECK (octet_length(heading) <= 65536 AND octet_length(content) <= 5242880 AND cardinality(terms) <= 65536),
    PRIMARY KEY (collection, project_id, hash)
) PARTITION BY LIST (collection);

CREATE TABLE passages_compounding PARTITION OF passages FOR VALUES IN ('compounding');
CREATE TABLE passages_external    PARTITION OF passages FOR VALUES IN ('external');
CREATE TABLE passages_handbook    PARTITION OF passages FOR VALUES IN ('handbook');

CREATE INDEX passages_terms ON passages USING gin (terms);

-- The planner needs no statistics about these columns, and ANALYZE would spend most of its time on them.
ALTER TABLE passages_compounding ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;
ALTER TABLE passages_external ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;
ALTER TABLE passages_handbook ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;

-- The vectors of the passages. A passage without a row of the model is in the queue. promoted is a copy of
-- passages.promoted.
CREATE TABLE embeddings (
    collection collection    NOT NULL,
    project_id integer       NOT NULL,
    model_id   integer       NOT NULL REFERENCES embedding_models,
    hash       uuid          NOT NULL,
    embedding  halfvec(1024) NOT NULL,
    promoted   boolean       NOT NULL,
    -- Queries look up a vector by its passage and model, or by its passage.
    PRIMARY KEY (collection, project_id, hash, model_id),
    FOREIGN KEY (collection, project_id, hash) REFERENCES passages ON DELETE CASCADE
) PARTITION BY LIST (collection);

CREATE TABLE embeddings_compounding PARTITION OF embeddings FOR VALUES IN ('compounding');
CREATE TABLE embeddings_external    PARTITION OF embeddings FOR VALUES IN ('external');
CREATE TABLE embeddings_handbook    PARTITION OF embeddings FOR VALUES IN ('handbook');

-- A vector has 2,056 bytes, just over the TOAST threshold. It must stay in the row, because an exact scan reads
-- it there three times faster. Citus would lose STORAGE PLAIN when it moves a shard, but it keeps storage
-- parameters.
ALTER TABLE embeddings_compounding SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;
ALTER TABLE embeddings_external    SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;
ALTER TABLE embeddings_handbook    SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;

-- Each collection has its own HNSW graph, so that one collection's vectors do not crowd out another's. A graph
-- with few, well-chosen links and a wide search (hnsw.ef_search) finds more than one with many links. It is
-- also cheaper to add to.
CREATE INDEX embeddings_compounding_embedding ON embeddings_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);
CREATE INDEX embeddings_external_embedding ON embeddings_external
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);
CREATE INDEX embeddings_handbook_embedding ON embeddings_handbook
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);

-- Promoted documents have their own graph. They are few: in the graph of all vectors, a search for them would
-- scan ten other vectors for each. Only a project's own documents have levels.
CREATE INDEX embeddings_compounding_promoted ON embeddings_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128) WHERE promoted;

-- The number of vectors in the HNSW index of a partition, or in that of its promoted passages, by the statistics.
-- It takes a table and not a collection, because on Citus a node has only a part of the table.
-- +goose StatementBegin
CREATE FUNCTION graph_size(partition oid, promoted boolean) RETURNS bigint STABLE LANGUAGE sql AS $$
    SELECT coalesce(max(greatest(c.reltuples, 0)), 0)::bigint
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_am a ON a.oid = c.relam
    WHERE i.indrelid = partition AND a.amname = 'hnsw' AND (i.indpred IS NOT NULL) = promoted
$$;
-- +goose StatementEnd

-- A place of a passage, with the columns that a search returns.
CREATE VIEW found_chunks AS
SELECT c.project_id, d.id, d.relative_path, d.title, left(d.summary, 2000) AS summary, left(d.tags, 2000) AS tags, d.char_count, d.doc_type, d.doc_date, d.dated, d.promotion_level,
    d.content_hash, d.file_size, d.file_mtime, d.file_ctime, d.file_inode,
    c.ordinal, c.header_path, c.start_line, c.end_line
FROM document_chunks c
JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id;

-- Marks the passages of promoted chunks. It marks one after the other in the order of their keys, so that two
-- transactions that promote the same passages do not deadlock.
-- +goose StatementBegin
CREATE FUNCTION promote_passages() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    chunk record;
BEGIN
    FOR chunk IN
        SELECT DISTINCT w.collection, w.project_id, w.passage_hash
        FROM written w WHERE w.promotion_level > 'standard'
        ORDER BY w.collection, w.project_id, w.passage_hash
    LOOP
        UPDATE passages p SET promoted = true
        WHERE p.collection = chunk.collection AND p.project_id = chunk.project_id AND p.hash = chunk.passage_hash
            AND NOT p.promoted;
        -- A transaction that adds a vector locks the passage's row until it commits. So either that transaction
        -- sees the update above, or this update finds its vector.
        UPDATE embeddings e SET promoted = true
        WHERE e.collection = chunk.collection AND e.project_id = chunk.project_id AND e.hash = chunk.passage_hash
            AND NOT e.promoted;
    END LOOP;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER document_chunks_inserted AFTER INSERT ON document_chunks
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION promote_passages();
CREATE TRIGGER document_chunks_updated AFTER UPDATE ON document_chunks
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION promote_passages();

-- +goose Down
DROP VIEW found_chunks;
DROP TABLE embeddings, passages, document_links, document_chunks, documents, tenants, projects, embedding_models;
DROP FUNCTION promote_passages();
DROP FUNCTION admits(jsonb, text, text);
DROP FUNCTION graph_size(oid, boolean);
DROP FUNCTION lease_free(timestamptz, timestamptz);
DROP TYPE promotion_level, collection;
-- The vector extension stays: other tables of the database may use it.
