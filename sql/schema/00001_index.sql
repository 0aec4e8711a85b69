-- The whole index. tenants, documents, document_chunks and document_links say which documents a
-- checkout has. passages and embeddings have the text and the vectors that checkouts share.
-- project_id leads every key: it keeps one project's text out of another's, and is the distribution
-- column on Citus.

-- CHECK bounds each text by what a document or a checkout can need, so that a writer cannot
-- make servers read more. The keys of an index are short anyway. No time is infinite: servers could not read it.

-- +goose Up
-- IF NOT EXISTS would ask for the right to create an extension that is there, where
-- tables are distributed.
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
    -- The meaning of its cosines, measured once: see rag/calibration.
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
    -- Both version and generation begin with the time of registration. So the numbers of a database that
    -- was dropped never come back.
    version            bigint      NOT NULL DEFAULT extract(epoch FROM now()) * 1000,
    -- Counts the deletions of the checkout's own documents. A server that registered the
    -- checkout before the last deletion may no longer write.
    generation         bigint      NOT NULL DEFAULT extract(epoch FROM now()) * 1000,
    -- Set by a deletion, and cleared by the next activation. Only a checkout with
    -- external docs has a row in between.
    deleted_at         timestamptz,
    -- The server that indexes the tenant, and until when by this database's clock,
    -- unless it renews that. NULL for none. See db/lease.go.
    holder             text,
    lease_until        timestamptz,
    -- The fencing token. Each new indexing server increments it, and a write with an older epoch
    -- fails.
    epoch              bigint      NOT NULL DEFAULT 0,
    -- How far the index is behind the files, as the server that indexes says.
    sync_status        jsonb,
    -- When passages of the project that no document uses were last looked for, in the row of
    -- its first tenant.
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
    -- Nobody who may write can make a sum of these overflow.
    CHECK (version BETWEEN 0 AND 1::bigint << 53 AND generation BETWEEN 0 AND 1::bigint << 53 AND epoch BETWEEN 0 AND 1::bigint << 53)
);

-- Whether another server may take a lease. It may if the lease has ended. A renewal lasts 15 seconds.
-- If a lease ends later than twice that, somebody has set the database's clock back, and the server
-- may take it too. Twice, because a renewal may come while the caller's statement waits. The caller
-- gives now(): Citus refuses to evaluate it beside a column.
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
    -- By its own text and by its file. DocumentUpdateTitles, with which each write ends, makes title of one of them.
    own_title       text            NOT NULL DEFAULT '',
    file_title      text            NOT NULL DEFAULT '',
    summary         text            NOT NULL,
    -- Separated by "; ".
    tags            text            NOT NULL,
    doc_type        text            NOT NULL,
    doc_date        text            NOT NULL,
    -- The document itself says the date. Git or the file has it otherwise.
    dated           boolean         NOT NULL DEFAULT true,
    promotion_level promotion_level NOT NULL,
    -- SHA-256 of the file's bytes.
    content_hash    bytea           NOT NULL,
    -- Fingerprint of the schema that the front matter was validated against.
    schema_hash     text            NOT NULL,
    char_count      integer         NOT NULL,
    file_size       bigint          NOT NULL,
    file_mtime      timestamptz     NOT NULL,
    -- When the file system last changed the file's entry, which no program sets:
    -- an edit that keeps size and file_mtime moves it. The year 1 while a change
    -- could go unseen even so: then the next sync reads the file again.
    file_ctime      timestamptz     NOT NULL,
    -- Which file it is: another one at the same path may have the same times.
    file_inode      bigint          NOT NULL,
    -- How many chunks the text behind the front matter has; 0 when it is one.
    chunk_count     integer         NOT NULL,
    -- Whether the document says of itself that it holds, as rag/said.StatusWord puts it, '' if it says
    -- nothing; and the last day on which it holds, '' for ever.
    status          text            NOT NULL DEFAULT '',
    holds_until     text            NOT NULL DEFAULT '',
    -- The number of a decision below its folder, such as docs/adr/#12, '' without one.
    number          text            NOT NULL DEFAULT '',
    -- The places of the repository that the document cites, such as src/pool.go:12-20;
    -- NULL for none.
    places          text[],
    -- The names of code that the document has, and what it quotes that a program may have printed; NULL for none.
    names           text[],
    messages        text[],
    -- The acts at which the document wants to be heard, a list of rag/said.Trigger; NULL for none.
    triggers        jsonb,
    -- How an act finds the document by its triggers and places, see internal/hooks/trigger.Cues; NULL for none.
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

-- Whether a filter lets a document through. A field that the filter lacks is NULL. It alone knows the fields. PostgreSQL
-- puts its text into each query.
-- +goose StatementBegin
CREATE FUNCTION admits(doc_types text[], paths text[], other_paths text[], doc_type text, path text) RETURNS boolean
IMMUTABLE LANGUAGE sql AS $$
    SELECT (doc_types IS NULL OR doc_type = ANY(doc_types)) AND (paths IS NULL OR path = ANY(paths))
        AND (other_paths IS NULL OR path <> ALL(other_paths))
$$;
-- +goose StatementEnd

-- The places of passages in documents. passage_hash has no foreign key: a key into the shared table
-- would lock a passage's row for every document that uses it. Writers hold the project's advisory
-- lock shared instead, and the sweep of unreferenced passages holds it exclusively.
CREATE TABLE document_chunks (
    project_id      integer         NOT NULL,
    tenant_id       integer         NOT NULL,
    document_id     bigint          NOT NULL,
    collection      collection      NOT NULL,
    -- From 0 in the order of the text. Below 0 for a question that the document answers.
    ordinal         integer         NOT NULL,
    start_line      integer         NOT NULL,
    end_line        integer         NOT NULL,
    promotion_level promotion_level NOT NULL,
    passage_hash    uuid            NOT NULL,
    header_path     text            NOT NULL CHECK (octet_length(header_path) <= 65536),
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Answers "which passages does this tenant have at this level" from the index
-- alone. Standard and promoted documents are searched apart: with the level before
-- the hash the passages of one group are neighbours, to be counted and compared.
-- Every search names its levels.
CREATE INDEX document_chunks_passage ON document_chunks
    (project_id, tenant_id, collection, promotion_level, passage_hash) INCLUDE (document_id, ordinal);

CREATE TABLE document_links (
    project_id  integer NOT NULL,
    tenant_id   integer NOT NULL,
    document_id bigint  NOT NULL,
    ordinal     integer NOT NULL,
    target_path text    NOT NULL,
    -- Where the link leads if no document has target_path, '' for nowhere.
    fallback_path text  NOT NULL,
    -- How the document stands to the target: '' for a link, or else supersedes, superseded_by, amends,
    -- amended_by or mentions. A target that ends with # and a number is the decision of that number in the folder.
    relation    text    NOT NULL,
    -- The document that a relation names, by LinkResolveRelations; NULL for none, and for a link.
    target_id   bigint,
    CHECK (octet_length(target_path || fallback_path || relation) <= 65536),
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Each search that meets a change asks for these few.
CREATE INDEX document_links_relations ON document_links (project_id, tenant_id) WHERE relation <> '';
CREATE INDEX documents_cues ON documents USING gin (cues);
CREATE INDEX documents_numbers ON documents (project_id, tenant_id) WHERE number <> '';
CREATE INDEX documents_of_files ON documents (project_id, tenant_id) WHERE title <> own_title;
CREATE INDEX documents_own_titles ON documents (project_id, tenant_id, md5(own_title));
CREATE INDEX documents_statuses ON documents (project_id, tenant_id) WHERE status <> '' OR holds_until <> '';

-- A unit of text that is searched and embedded, stored once a project however many
-- checkouts have it. hash: the first 128 bits of a SHA-256 over heading and content
-- (uuid is PostgreSQL's fixed-size 16-byte type).
CREATE TABLE passages (
    collection collection  NOT NULL,
    project_id integer     NOT NULL,
    hash       uuid        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now() CHECK (isfinite(created_at)),
    heading    text        NOT NULL,
    content    text        NOT NULL,
    -- The distinct terms of both, as hashes of project and term from 1 to 10^9, so
    -- that one index answers for every project.
    terms      integer[]   NOT NULL,
    -- The document's side of BM25: the weight of each term. Its inner product with
    -- the query's side is the passage's BM25. It has an element for each term that could be.
    lexical    sparsevec(1000000000) NOT NULL,
    -- The vector of both, by rag/wordvec. NULL for a text without a piece, and for one that is
    -- not in English.
    meaning    halfvec(256),
    -- Set with the first chunk above the standard level that points at the passage,
    -- and kept: a search asks document_chunks who has it, and at which level.
    promoted   boolean     NOT NULL DEFAULT false,
    -- A passage is long only if it is mostly white space.
    CHECK (octet_length(heading) <= 65536 AND octet_length(content) <= 5242880 AND cardinality(terms) <= 65536),
    PRIMARY KEY (collection, project_id, hash)
) PARTITION BY LIST (collection);

CREATE TABLE passages_compounding PARTITION OF passages FOR VALUES IN ('compounding');
CREATE TABLE passages_external    PARTITION OF passages FOR VALUES IN ('external');
CREATE TABLE passages_handbook    PARTITION OF passages FOR VALUES IN ('handbook');

CREATE INDEX passages_terms ON passages USING gin (terms);

-- No query is planned by what these columns hold, and long values take ANALYZE most of
-- its time.
ALTER TABLE passages_compounding ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;
ALTER TABLE passages_external ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;
ALTER TABLE passages_handbook ALTER heading SET STATISTICS 0, ALTER content SET STATISTICS 0,
    ALTER terms SET STATISTICS 0, ALTER lexical SET STATISTICS 0,
    ALTER meaning SET STATISTICS 0;

-- The vectors of the passages. A passage without a row of the model is in the queue for
-- that reason alone. promoted is that of the passage.
CREATE TABLE embeddings (
    collection collection    NOT NULL,
    project_id integer       NOT NULL,
    model_id   integer       NOT NULL REFERENCES embedding_models,
    hash       uuid          NOT NULL,
    embedding  halfvec(1024) NOT NULL,
    promoted   boolean       NOT NULL,
    -- A vector is looked up by passage and model, or for its passage alone.
    PRIMARY KEY (collection, project_id, hash, model_id),
    FOREIGN KEY (collection, project_id, hash) REFERENCES passages ON DELETE CASCADE
) PARTITION BY LIST (collection);

CREATE TABLE embeddings_compounding PARTITION OF embeddings FOR VALUES IN ('compounding');
CREATE TABLE embeddings_external    PARTITION OF embeddings FOR VALUES IN ('external');
CREATE TABLE embeddings_handbook    PARTITION OF embeddings FOR VALUES IN ('handbook');

-- A vector has 2,056 bytes, just over the TOAST threshold, and belongs in the row, where an
-- exact scan reads it three times faster. STORAGE PLAIN would be lost with each move of a
-- shard of Citus; storage parameters are kept.
ALTER TABLE embeddings_compounding SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;
ALTER TABLE embeddings_external    SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;
ALTER TABLE embeddings_handbook    SET (toast_tuple_target = 8160), ALTER embedding SET STATISTICS 0;

-- One HNSW graph a collection, so that no collection's neighbours crowd out
-- another's. Few links that are well chosen, searched widely (hnsw.ef_search), find
-- more than many, and are cheaper to add to.
CREATE INDEX embeddings_compounding_embedding ON embeddings_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);
CREATE INDEX embeddings_external_embedding ON embeddings_external
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);
CREATE INDEX embeddings_handbook_embedding ON embeddings_handbook
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128);

-- Promoted documents are searched apart. They are few: in the graph of all vectors a search for
-- them scans ten others for each. Only a project's own documents have levels.
CREATE INDEX embeddings_compounding_promoted ON embeddings_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 128) WHERE promoted;

-- How many vectors the HNSW index of a partition holds, or that of its promoted
-- passages, by the statistics. It takes a table, not a collection: in a distributed database that is
-- the node's part of the table.
-- +goose StatementBegin
CREATE FUNCTION graph_size(partition oid, promoted boolean) RETURNS bigint STABLE LANGUAGE sql AS $$
    SELECT coalesce(max(greatest(c.reltuples, 0)), 0)::bigint
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_am a ON a.oid = c.relam
    WHERE i.indrelid = partition AND a.amname = 'hnsw' AND (i.indpred IS NOT NULL) = promoted
$$;
-- +goose StatementEnd

-- A place where a passage stands, as a search returns it.
CREATE VIEW found_chunks AS
SELECT c.project_id, d.id, d.relative_path, d.title, left(d.summary, 2000) AS summary, left(d.tags, 2000) AS tags, d.char_count, d.doc_type, d.doc_date, d.dated, d.promotion_level,
    d.content_hash, d.file_size, d.file_mtime, d.file_ctime, d.file_inode,
    c.ordinal, c.header_path, c.start_line, c.end_line
FROM document_chunks c
JOIN documents d ON d.project_id = c.project_id AND d.id = c.document_id;

-- Marks the passages of chunks that are promoted, one by one and in the order of
-- their keys, so that two transactions that promote the same passages do not
-- deadlock.
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
        -- A transaction that adds a vector locks the passage's row until it commits. So it
        -- reads this update, or this update finds its vector.
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
DROP FUNCTION admits(text[], text[], text[], text, text);
DROP FUNCTION graph_size(oid, boolean);
DROP FUNCTION lease_free(timestamptz, timestamptz);
DROP TYPE promotion_level, collection;
-- The vector extension stays: other tables of the database may use it.
