-- What a next release may do to the schema while servers of this one are at work.

-- +goose Up
CREATE TYPE made_up AS ENUM ('one', 'two');
ALTER TABLE documents ADD COLUMN made_up made_up NOT NULL DEFAULT 'one';
ALTER TABLE passages ADD COLUMN made_up_terms integer[];
CREATE INDEX documents_made_up ON documents (project_id, made_up);
CREATE TABLE made_up_notes (
    project_id  integer NOT NULL,
    document_id bigint  NOT NULL,
    note        text    NOT NULL,
    PRIMARY KEY (project_id, document_id),
    FOREIGN KEY (project_id, document_id) REFERENCES documents (project_id, id) ON DELETE CASCADE
);
-- +goose Down
DROP TABLE made_up_notes;
DROP INDEX documents_made_up;
ALTER TABLE passages DROP COLUMN made_up_terms;
ALTER TABLE documents DROP COLUMN made_up;
DROP TYPE made_up;
