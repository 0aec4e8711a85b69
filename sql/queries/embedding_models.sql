-- name: EmbeddingModelUpsert :one
INSERT INTO embedding_models (name, digest, dimensions, prompt_version)
VALUES (@name, @digest, @dimensions, @prompt_version)
ON CONFLICT (name, digest, dimensions, prompt_version) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: EmbeddingModelFind :one
SELECT id FROM embedding_models
WHERE name = @name AND digest = @digest AND dimensions = @dimensions AND prompt_version = @prompt_version;

-- name: EmbeddingModelCalibrate :exec
UPDATE embedding_models
SET matched = @matched::float8, unmatched = @unmatched::float8, variance = @variance::float8, own_first = @own_first::float8
WHERE id = @id;

-- Finds no row while the model is not calibrated.
-- name: EmbeddingModelCalibration :one
SELECT matched::float8 AS matched, unmatched::float8 AS unmatched, variance::float8 AS variance, own_first::float8 AS own_first
FROM embedding_models
WHERE id = @id AND own_first IS NOT NULL;

-- name: EmbeddingModelMeaning :one
-- The model, and what its cosines mean if that was measured.
SELECT id, matched, unmatched, variance, own_first FROM embedding_models
WHERE name = @name AND digest = @digest AND dimensions = @dimensions AND prompt_version = @prompt_version;
