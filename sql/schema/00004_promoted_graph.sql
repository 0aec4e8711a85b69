-- Promoted documents are searched apart. They are few: in the graph of all
-- passages a search for them passes by ten others for each, in one of their own
-- it need not. Only a project's own documents have levels.

-- +goose Up

-- Those from before the triggers. Whatever is promoted meanwhile they see to.
UPDATE passages p SET promoted = true
WHERE p.collection = 'compounding' AND NOT p.promoted AND EXISTS (
    SELECT 1 FROM document_chunks c
    WHERE c.project_id = p.project_id AND c.collection = p.collection AND c.passage_hash = p.hash
        AND c.promotion_level > 'standard');

CREATE INDEX passages_compounding_promoted ON passages_compounding
    USING hnsw (embedding halfvec_cosine_ops) WITH (m = 32, ef_construction = 128) WHERE promoted;

-- +goose Down
DROP INDEX passages_compounding_promoted;
