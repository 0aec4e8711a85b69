# "make" lists what there is to make. The go command does the work; the folder
# test/testenv holds how PostgreSQL and Ollama come to it.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# What the go command does by itself differs with a C compiler on the machine,
# which the installation of services may add between two builds.
export CGO_ENABLED ?= 0

tool     = go tool -modfile=tools.mod
provide  = go build -o bin/withservices ./test/testenv/withservices && bin/withservices
services = $(provide) -database -ollama --
# Without the drivers of other databases, which would be nearly all of it.
goose    = go run -modfile=goose.mod \
	-tags=no_clickhouse,no_libsql,no_mssql,no_mysql,no_sqlite3,no_vertica,no_ydb \
	github.com/pressly/goose/v3/cmd/goose -dir sql/schema

.PHONY: help
help: ## List these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1	\2/p' Makefile | \
		awk -F '\t' '{ printf "make %-15s %s\n", $$1, $$2 }'

.PHONY: demo
demo: build ## Index the demo project, search it and ask it, over a real server
	$(services) go run ./test/demo

.PHONY: test
test: ## Run all tests against a real PostgreSQL and a real Ollama
	$(services) sh -c 'go test -short -timeout=20m $(tested) && $(said)'

.PHONY: test-race
test-race: ## Run those under the race detector in whose packages it sees something
	$(services) sh -c 'CGO_ENABLED=1 go test -short -race -timeout=30m $(raced) && $(said)'

# The detector sees its own process: not the programs that tests of other packages
# start, and nothing in packages without goroutines.
raced  = ./db ./internal/workspace ./rag/... ./tools ./watch ./test/fakeollama ./test/testenv
tested = ./...

# No test runs twice on the same services.
.PHONY: ci
ci: export CDOCS_TEST_ROUTE = native
ci: tested = $$(go list ./... | grep -v -x -F "$$(go list $(raced))")
ci: lint sql vuln test-race test test-containers ## Run make check, make test and make test-containers, as CI does

said = echo "Tested against $$CDOCS_TEST_SERVICES."

# The suite of containers, and what else depends on the services; then what depends
# on PostgreSQL, on its newest version.
.PHONY: test-containers
test-containers: export CDOCS_TEST_ROUTE = containers
test-containers: export CDOCS_TEST_DATABASE_URL =
test-containers: export CDOCS_TEST_OLLAMA_HOST =
test-containers: ## Run the tests that matter there against both in Docker containers
	go build -o bin/withservices ./test/testenv/withservices
	test/testenv/scripts/docker.sh bin/withservices -database -ollama -- sh -c '$(contained) && $(said)'
	CDOCS_TEST_POSTGRES=18 test/testenv/scripts/docker.sh bin/withservices -database -- sh -c 'go test -count=1 ./db && $(said)'

contained = go test -count=1 -timeout=15m ./test/containers ./test/testenv ./test/compose ./db ./tools

compose = docker compose -f deploy/compose.yaml
PROFILE ?= cpu
# Images are built where they cannot be pulled; there are none of those for GPUs.
images  = $(if $(filter cpu,$(PROFILE)),go build -o bin/withservices ./test/testenv/withservices && bin/withservices -images --)

.PHONY: up
up: ## Start PostgreSQL and Ollama in containers, with PROFILE=nvidia or amd on a GPU
	$(images) $(compose) --profile $(PROFILE) up --detach --wait

.PHONY: down
down: ## Stop and remove them; what they have stored stays
	$(compose) --profile cpu --profile nvidia --profile amd down

.PHONY: image
image: ## Build the container image compound-docs of the server
	GOOS=linux go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/image/compound-docs ./cmd/server
	docker build --tag compound-docs --file deploy/server/Dockerfile bin/image

.PHONY: conformance
conformance: ## Try the server with the official suite, Inspector and clients of the protocol
	dir=$$(test/conformance/install.sh) && export CDOCS_CONFORMANCE="$$dir" && \
		$(provide) -database -- go test -count=1 ./test/conformance

# These tests run in make test too, in a short form.
.PHONY: soak
soak: ## Change files at random, kill servers, stop services and time saves, for half an hour
	$(provide) -database -- sh -c 'go test -count=1 -timeout=20m -v ./test/soak -operations=10000 -saves=100 && \
		CDOCS_TEST_OUTAGE=60s go test -count=1 -timeout=20m ./cmd/server ./internal/workspace ./watch'

# QUICK=1 takes minutes instead of hours, and leaves docs/benchmarks.md alone.
# ONLY=REGEXP measures only the rows whose names match.
.PHONY: bench
bench: build ## Measure cost and recall on real parts, and write docs/benchmarks.md
	$(provide) -database -large -ollama -- go run ./test/bench -only='$(ONLY)' $(if $(QUICK),-quick,-write docs/benchmarks.md)

.PHONY: eval
eval: ## Measure search on the judged questions of test/eval, against their baseline
	$(provide) -database -ollama -- go test -count=1 -v -run='^TestEval_OwnSet' ./cmd/server

.PHONY: check
check: lint sql vuln test-race ## All that a change has to pass besides make test

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

# What every server does by itself when it first connects. A statement that gets no
# lock within a second fails, rather than have searches wait behind it.
COMMAND ?= status
.PHONY: migrate
migrate: ## Run the plain goose on DATABASE_URL, with COMMAND=status, up or down
	@PGOPTIONS="$${PGOPTIONS:--c lock_timeout=1s}" $(goose) \
		postgres "$${DATABASE_URL:?is missing: make migrate COMMAND=status DATABASE_URL=postgres://…}" $(COMMAND)

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
	cp internal/project/config.schema.json docs/config.schema.json
	go run ./test/tooldocs

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
