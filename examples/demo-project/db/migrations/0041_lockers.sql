-- +goose Up
SET lock_timeout = '2s';
ALTER TABLE shipments ADD COLUMN locker_id bigint;
