-- name: EmbeddingModelUpsert :one
INSERT INTO embedding_models (name, digest, dimensions, prompt_version)
VALUES (@name, @digest, @dimensions, @prompt_version)
ON CONFLICT (name, digest, dimensions, prompt_version) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: EmbeddingModelCalibrate :exec
UPDATE embedding_models
SET matched = @matched::float8, unmatched = @unmatched::float8, variance = @variance::float8, own_first = @own_first::float8
WHERE id = @id;

-- name: EmbeddingModelFind :one
-- The model and its calibration, which is NULL if it was not measured.
SELECT id, matched, unmatched, variance, own_first FROM embedding_models
WHERE name = @name AND digest = @digest AND dimensions = @dimensions AND prompt_version = @prompt_version;
