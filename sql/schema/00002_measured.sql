-- What the benchmarks asked for.

-- +goose Up

-- Nothing searches by words yet, and the column with its index were a third of
-- what a passage takes on the disk. Whoever makes use of words decides anew how
-- to keep them: an index on the expression needs no column.
DROP INDEX passages_lexemes;
ALTER TABLE passages DROP COLUMN lexemes;

-- Standard and promoted documents are searched apart. With the level before the
-- hash the passages of one group are neighbours, to be counted and compared from
-- the index alone. Every search names its levels, all of them if need be.
DROP INDEX document_chunks_passage;
CREATE INDEX document_chunks_passage ON document_chunks
    (project_id, tenant_id, collection, promotion_level, passage_hash) INCLUDE (document_id, ordinal);

-- +goose Down
DROP INDEX document_chunks_passage;
CREATE INDEX document_chunks_passage ON document_chunks (project_id, tenant_id, collection, passage_hash)
    INCLUDE (document_id, promotion_level);
ALTER TABLE passages ADD COLUMN lexemes tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', heading), 'A') || to_tsvector('english', content)
) STORED;
CREATE INDEX passages_lexemes ON passages USING gin (lexemes);
