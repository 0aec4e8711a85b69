module github.com/compound-docs/compound-docs

go 1.26.0

require github.com/pressly/goose/v3 v3.30.1
