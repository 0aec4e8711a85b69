-- Which passages stand in promoted documents, for the next migration. This one
-- takes no time: searches wait for a lock on passages until it ends.

-- +goose Up

-- Set with the first chunk above the standard level that points at the passage,
-- and kept: a search asks document_chunks who has it, and at which level.
ALTER TABLE passages ADD COLUMN promoted boolean NOT NULL DEFAULT false;

-- Whoever writes a chunk: servers of an earlier release know nothing of it. One by
-- one and in the order of their keys, so that two that promote the same passages
-- do not deadlock.
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
DROP TRIGGER document_chunks_inserted ON document_chunks;
DROP TRIGGER document_chunks_updated ON document_chunks;
DROP FUNCTION promote_passages();
ALTER TABLE passages DROP COLUMN promoted;
