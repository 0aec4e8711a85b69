-- name: PassageExisting :many
-- Which of the passages the project has.
SELECT hash FROM passages
WHERE collection = @collection AND project_id = @project_id AND hash = ANY(@hashes::uuid[]);

-- name: PassageInsertMany :exec
-- Rows must come sorted by hash: two servers that insert the same passages in different orders would
-- deadlock. terms, lexical and meaning are texts with a semicolon between rows, because PostgreSQL would
-- read arrays of such texts character by character. A row has its terms as an array in PostgreSQL's
-- notation, its weights as a sparsevec, and its meaning as a halfvec or ''. promoted spares the row an
-- update if promoted chunks use it. tenant_id can be any tenant of the project; it names the node on Citus.
INSERT INTO passages (collection, project_id, hash, heading, content, terms, lexical, meaning, promoted)
SELECT @collection, t.project_id, p.hash, p.heading, p.content, p.terms::integer[], p.lexical::sparsevec, nullif(p.meaning, '')::halfvec, p.promoted
FROM tenants t
CROSS JOIN (
    SELECT unnest(@hashes::uuid[]) AS hash,
        unnest(@headings::text[]) AS heading,
        unnest(@contents::text[]) AS content,
        unnest(string_to_array(@terms, ';')) AS terms,
        unnest(string_to_array(@lexicals, ';')) AS lexical,
        unnest(string_to_array(@meanings, ';')) AS meaning,
        unnest(@promoted::boolean[]) AS promoted
) AS p
WHERE t.project_id = @project_id AND t.id = @tenant_id
ON CONFLICT (collection, project_id, hash) DO NOTHING;


-- name: PassageDeleteAltered :exec
-- Deletes passages whose stored text differs from the given text. The foreign key deletes their vectors.
-- The transaction inserts the passages again.
DELETE FROM passages p
USING (
    SELECT unnest(@hashes::uuid[]) AS hash, unnest(@headings::text[]) AS heading, unnest(@contents::text[]) AS content
) AS f
WHERE p.collection = @collection AND p.project_id = @project_id AND p.hash = f.hash
    AND p.hash = ANY(@hashes::uuid[]) AND (p.heading, p.content) <> (f.heading, f.content);

-- name: PassageDeleteByProject :exec
-- For a project that is gone. The foreign key deletes the vectors of the passages. Needs
-- LockProjectExclusive.
DELETE FROM passages WHERE project_id = @project_id;
