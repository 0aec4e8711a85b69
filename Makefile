# "make" lists what there is to make. The go command does the work; the folder
# internal/testenv holds how PostgreSQL and Ollama come to it.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# What the go command does by itself differs with a C compiler on the machine,
# which install.sh may add between two builds.
export CGO_ENABLED ?= 0

tool     = go tool -modfile=tools.mod
provide  = internal/testenv/install.sh && go run ./internal/testenv/with
services = $(provide) -database -ollama --
# Without the drivers of other databases, which would be nearly all of it.
goose    = go run -modfile=goose.mod \
	-tags=no_clickhouse,no_libsql,no_mssql,no_mysql,no_sqlite3,no_vertica,no_ydb \
	github.com/pressly/goose/v3/cmd/goose -dir sql/schema

.PHONY: help
help: ## List these targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/\1	\2/p' Makefile | \
		awk -F '\t' '{ printf "make %-11s %s\n", $$1, $$2 }'

.PHONY: demo
demo: build ## Index the demo project, search it and ask it, over a real server
	$(services) go run ./internal/demo

.PHONY: test
test: ## Run all tests against a real PostgreSQL and a real Ollama
	$(services) sh -c 'go test -short -timeout=20m ./... && $(said)'

.PHONY: race
race: ## Run them again under the race detector
	$(services) sh -c 'CGO_ENABLED=1 go test -short -race -timeout=30m ./... && $(said)'

said = echo "Tested against PostgreSQL with pgvector, and Ollama with $$CDOCS_TEST_OLLAMA_MODELS models."

.PHONY: conformance
conformance: ## Try the server with the official suite, Inspector and clients of the protocol
	dir=$$(internal/conformance/install.sh) && export CDOCS_CONFORMANCE="$$dir" && \
		$(provide) -database -- go test -count=1 ./internal/conformance

# The tests of this folder run in make test too, with a few operations.
.PHONY: soak
soak: ## Change files at random and kill servers for some minutes, and time saves
	$(provide) -database -- go test -count=1 -timeout=20m -v ./internal/soak -operations=10000 -saves=100

.PHONY: check
check: lint sql vuln race ## All that a change has to pass besides make test

.PHONY: lint
lint: ## Check the format, and run go vet and golangci-lint
	@unformatted=$$($(tool) gofumpt -l .) || exit; test -z "$$unformatted" || \
		{ echo "make format would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	$(tool) golangci-lint run ./...

# The database is private in any case, since the tables stay in it. The plain
# goose makes them: what users are told to run is tried here.
.PHONY: sql
sql: export CDOCS_TEST_DATABASE_URL =
sql: ## Check that db/ is what sqlc makes of sql/, and prepare every query
	$(tool) sqlc diff
	$(provide) -database -- sh -c '$(goose) postgres "$$CDOCS_TEST_DATABASE_URL" up && \
		SQLC_DATABASE_URL="$$CDOCS_TEST_DATABASE_URL" $(tool) sqlc vet'

# The list of vulnerabilities comes over the network. Where it is out of reach
# nothing is checked, which is an error only with VULNDB=required, as in CI.
.PHONY: vuln
vuln: ## Look for known vulnerabilities in what the code calls
	@echo "govulncheck ./..."; found=$$($(tool) govulncheck ./... 2>&1); status=$$?; echo "$$found"; \
	case "$(VULNDB) $$found" in \
	required*) exit $$status ;; \
	*"fetching vulnerabilities:"*) echo "WARNING: no vulnerability was looked for: the database is out of reach" >&2 ;; \
	*) exit $$status ;; \
	esac

.PHONY: format
format: ## Format the code
	$(tool) golangci-lint fmt

.PHONY: generate
generate: ## Make db/ from sql/, and what docs/ has of schemas and tools
	$(tool) sqlc generate
	cp project/config.schema.json docs/config.schema.json
	go run ./internal/tooldocs

.PHONY: build
build: ## Build bin/compound-docs
	go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/compound-docs ./cmd/server

.PHONY: install
install: build ## Install it where the go command installs programs, or into BINDIR
	@bin=$${BINDIR:-$$(go env GOBIN)}; bin=$${bin:-$$(go env GOPATH)/bin}; \
	mkdir -p "$$bin" && install -m 755 bin/compound-docs "$$bin/compound-docs" && echo "$$bin/compound-docs"

.PHONY: clean
clean: ## Remove what was built here
	rm -rf bin
