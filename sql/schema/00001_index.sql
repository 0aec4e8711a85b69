-- The whole index: which documents a checkout has (tenants, documents,
-- document_chunks, document_links) and the text and vectors that they share
-- (passages). project_id leads every key: it keeps one project's text out of
-- another's, and is the distribution column on Citus.

-- +goose Up
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TYPE collection AS ENUM ('compounding', 'external', 'handbook');

-- Ordered: comparison operators rank the levels.
CREATE TYPE promotion_level AS ENUM ('standard', 'important', 'critical');

-- What made the vectors. Vectors of two rows are never compared.
CREATE TABLE embedding_models (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text    NOT NULL,
    digest         text    NOT NULL,
    dimensions     integer NOT NULL,
    prompt_version integer NOT NULL,
    UNIQUE (name, digest, dimensions, prompt_version)
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
    -- Counts the transactions that changed the tenant's documents: what a
    -- cache of them is keyed by.
    version            bigint      NOT NULL DEFAULT 0,
    -- How far the index is behind the files, as the server that indexes says.
    sync_status        jsonb,
    first_seen         timestamptz NOT NULL DEFAULT now(),
    last_seen          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, branch_name, path_hash)
);

CREATE TABLE documents (
    project_id      integer         NOT NULL,
    tenant_id       integer         NOT NULL,
    id              bigint          GENERATED ALWAYS AS IDENTITY,
    collection      collection      NOT NULL,
    relative_path   text            NOT NULL,
    title           text            NOT NULL,
    summary         text            NOT NULL,
    doc_type        text            NOT NULL,
    doc_date        text            NOT NULL,
    promotion_level promotion_level NOT NULL,
    tags            text[]          NOT NULL,
    frontmatter     jsonb           NOT NULL,
    -- SHA-256 of the file's bytes.
    content_hash    bytea           NOT NULL,
    -- Fingerprint of the schema that the front matter was validated against.
    schema_hash     text            NOT NULL,
    char_count      integer         NOT NULL,
    line_count      integer         NOT NULL,
    file_size       bigint          NOT NULL,
    file_mtime      timestamptz     NOT NULL,
    -- 0 when the whole text is one passage.
    chunk_count     integer         NOT NULL,
    indexed_at      timestamptz     NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, tenant_id, collection, relative_path),
    FOREIGN KEY (project_id, tenant_id) REFERENCES tenants ON DELETE CASCADE
);

-- Where a passage stands in a document. passage_hash has no foreign key: a key
-- into the shared table would lock a passage's row for every document that
-- uses it. Writers hold the project's advisory lock shared instead, and the
-- sweep of unreferenced passages holds it exclusively.
CREATE TABLE document_chunks (
    project_id      integer         NOT NULL,
    tenant_id       integer         NOT NULL,
    document_id     bigint          NOT NULL,
    collection      collection      NOT NULL,
    ordinal         integer         NOT NULL,
    start_line      integer         NOT NULL,
    end_line        integer         NOT NULL,
    promotion_level promotion_level NOT NULL,
    passage_hash    uuid            NOT NULL,
    header_path     text            NOT NULL,
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Answers "does this tenant have this passage, and at which level" from the
-- index alone, for the semi-join of every search.
CREATE INDEX document_chunks_passage ON document_chunks (project_id, tenant_id, collection, passage_hash)
    INCLUDE (document_id, promotion_level);

CREATE TABLE document_links (
    project_id  integer NOT NULL,
    tenant_id   integer NOT NULL,
    document_id bigint  NOT NULL,
    ordinal     integer NOT NULL,
    target_path text    NOT NULL,
    PRIMARY KEY (project_id, document_id, ordinal),
    FOREIGN KEY (project_id, document_id) REFERENCES documents ON DELETE CASCADE
);

CREATE INDEX document_links_tenant ON document_links (project_id, tenant_id);

-- A unit of embedded text, stored once a project however many checkouts have
-- it. hash: the first 128 bits of a SHA-256 over the model's identity and the
-- exact embedded text (uuid is PostgreSQL's fixed-size 16-byte type).
CREATE TABLE passages (
    collection collection    NOT NULL,
    project_id integer       NOT NULL,
    hash       uuid          NOT NULL,
    created_at timestamptz   NOT NULL DEFAULT now(),
    heading    text          NOT NULL,
    content    text          NOT NULL,
    lexemes    tsvector      GENERATED ALWAYS AS (
        setweight(to_tsvector('english', heading), 'A') || to_tsvector('english', content)
    ) STORED,
    embedding  halfvec(1024) NOT NULL,
    PRIMARY KEY (collection, project_id, hash)
) PARTITION BY LIST (collection);

CREATE TABLE passages_compounding PARTITION OF passages FOR VALUES IN ('compounding');
CREATE TABLE passages_external    PARTITION OF passages FOR VALUES IN ('external');
CREATE TABLE passages_handbook    PARTITION OF passages FOR VALUES IN ('handbook');

-- 2,056 bytes, just over the TOAST threshold: PLAIN keeps the vector in the row,
-- where an exact scan reads it three times faster.
ALTER TABLE passages_compounding ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE passages_external    ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE passages_handbook    ALTER COLUMN embedding SET STORAGE PLAIN;

-- One HNSW graph a collection, so that no collection's neighbours crowd out
-- another's. m and ef_construction are twice pgvector's defaults.
CREATE INDEX passages_compounding_embedding ON passages_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 128);
CREATE INDEX passages_external_embedding ON passages_external
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 128);
CREATE INDEX passages_handbook_embedding ON passages_handbook
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 128);

CREATE INDEX passages_lexemes ON passages USING gin (lexemes);

-- +goose Down
DROP TABLE passages, document_links, document_chunks, documents, tenants, projects, embedding_models;
DROP TYPE promotion_level, collection;
-- The vector extension stays: other tables of the database may use it.
