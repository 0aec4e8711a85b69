-- name: EmbeddingModelUpsert :one
INSERT INTO embedding_models (name, digest, dimensions, prompt_version)
VALUES (@name, @digest, @dimensions, @prompt_version)
ON CONFLICT (name, digest, dimensions, prompt_version) DO UPDATE SET name = excluded.name
RETURNING id;
