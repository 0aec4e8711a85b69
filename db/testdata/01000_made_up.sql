-- What only a release that stops the servers of earlier ones may do.

-- +goose Up
ALTER TABLE tenants RENAME TO checkouts;
-- +goose Down
ALTER TABLE checkouts RENAME TO tenants;
