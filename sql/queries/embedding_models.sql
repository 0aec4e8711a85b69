-- name: EmbeddingModelUpsert :one
INSERT INTO embedding_models (name, digest, dimensions, prompt_version)
VALUES (@name, @digest, @dimensions, @prompt_version)
ON CONFLICT (name, digest, dimensions, prompt_version) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: EmbeddingModelFind :one
SELECT id FROM embedding_models
WHERE name = @name AND digest = @digest AND dimensions = @dimensions AND prompt_version = @prompt_version;
