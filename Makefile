# "make" lists the targets. The go command does the work. The program
# test/testenv/withservices provides PostgreSQL and Ollama to it.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# Go from Debian 12, 1.19, cannot read go.mod, and its message does not say what to do.
go_needed = 1.26
go_found := $(shell go version 2>/dev/null | sed 's/.*go\([0-9][0-9.]*\).*/\1/')
ifneq (,$(filter-out help clean,$(MAKECMDGOALS)))
ifneq (yes,$(shell printf '%s\n' $(go_needed) '$(go_found)' | sort -V -C && echo yes))
$(error compound-docs needs Go $(go_needed) or newer, and this machine has $(or $(go_found),none). Install it from https://go.dev/dl, and have it first in PATH)
endif
endif

# The default of the go command depends on whether the machine has a C compiler,
# and withservices may install one between two builds.
export CGO_ENABLED ?= 0

tool           = go tool -modfile=tools.mod
build_services = go build -trimpath -o bin/withservices ./test/testenv/withservices
with_database  = $(build_services) && bin/withservices -database --
with_services  = $(build_services) && bin/withservices -database -ollama --
print_services = echo "Tested against $$CDOCS_TEST_SERVICES."
# The tags leave out the drivers of other databases, most of goose's size.
goose          = go run -modfile=goose.mod \
	-tags=no_clickhouse,no_libsql,no_mssql,no_mysql,no_sqlite3,no_vertica,no_ydb \
	github.com/pressly/goose/v3/cmd/goose -dir sql/schema

.PHONY: help
help: ## List these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1	\2/p' Makefile | \
		awk -F '\t' '{ printf "make %-15s %s\n", $$1, $$2 }'

.PHONY: demo
demo: build ## Index the demo project, search it and ask it questions, over a real server
	go run -trimpath ./test/demo

# The packages whose tests have goroutines in the test's own process. The race
# detector sees nothing in the others, nor in programs that a test starts.
race_packages = ./db ./internal/setup/pgserver ./internal/stdio ./internal/workspace ./rag/... ./tools ./watch ./test/fakeollama ./test/testenv
test_packages = ./...

# quick leaves out the tests of slow kinds, of which CI leaves out none.
quick = yes
# With -trimpath, a second clone of the same tree compiles nothing again. All programs have it, because what is
# compiled without it does not serve those with it.
# Most tests wait for services, so three packages at once keep two processors busy.
at_once = -p=3
# Tests write many small files, which costs some file systems as much as the tests. CI writes to the disk.
in_memory = -memory

.PHONY: test
test: export CDOCS_TEST_QUICK = $(quick)
test: ## Run the tests but for slow kinds against a real PostgreSQL and a real Ollama
	$(build_services) && bin/withservices -database -ollama -program $(in_memory) -- \
		sh -c 'go test -trimpath $(at_once) -short -timeout=30m $(test_packages) && $(print_services)'
	@test -z "$(quick)" || { echo "make ci also runs the tests in which"; \
		grep -rhoE 'testenv.Slow.t, "[^"]+' --include='*_test.go' . | cut -d '"' -f 2 | sort | uniq -c; }

.PHONY: test-race
test-race: ## Run the tests of packages with goroutines under the race detector
	$(with_services) sh -c 'CGO_ENABLED=1 go test -trimpath -short -race -timeout=30m $(race_packages) && $(print_services)'

# Programs that tests start count too, where they end by themselves. Tests that look at the
# program's own file fail here, since a script starts it: make test says what is right.
.PHONY: coverage
coverage: export CDOCS_TEST_COVERAGE = $(CURDIR)/bin/coverage
coverage: ## Run all tests, and say how much of each of the product's packages they run
	rm -rf bin/coverage bin/coverage.tests && mkdir -p bin/coverage bin/coverage.tests
	-$(with_services) go test -short -timeout=30m -cover -coverpkg=./... $(test_packages) -args -test.gocoverdir=$(CURDIR)/bin/coverage.tests
	go tool covdata textfmt -i=bin/coverage,bin/coverage.tests -o=bin/coverage.txt
	go tool covdata percent -i=bin/coverage,bin/coverage.tests | grep -v /test/

# In it, make test leaves out the packages that make test-race has tested.
.PHONY: ci
ci: export CDOCS_TEST_ROUTE = native
ci: quick =
ci: at_once =
ci: in_memory =
ci: test_packages = $$(go list ./... | grep -v -x -F "$$(go list $(race_packages))")
ci: export FUZZTIME = 2000x
ci: lint cross sql vuln modules test-race test fuzz test-containers test-citus ## Run make check, test, fuzz, test-containers and test-citus, as CI does
	@echo "make ci has passed."; cat bin/skipped/*

# A target that can be skipped has a file here: empty, or the line with which make ci ends.
bin/skipped:
	@mkdir -p $@

# The second run tests the newest PostgreSQL. One package at a time, because a model in a container
# is slow beside others.
container_packages = ./test/containers ./test/compose ./db ./tools
.PHONY: test-containers
test-containers: export CDOCS_TEST_ROUTE = containers
test-containers: export CDOCS_TEST_DATABASE_URL =
test-containers: export CDOCS_TEST_OLLAMA_HOST =
test-containers: ## Run the tests that depend on the services, with both in Docker containers
	$(build_services)
	test/testenv/scripts/docker.sh bin/withservices -database -ollama -- \
		sh -c 'go test -count=1 -p=1 -timeout=15m $(container_packages) && $(print_services)'
	CDOCS_TEST_POSTGRES=18 test/testenv/scripts/docker.sh bin/withservices -database -- \
		sh -c 'go test -count=1 ./db && $(print_services)'

# CITUS=DIR names a folder with the source of Citus, to be built and installed first. AWAY=5m
# keeps a worker away for five minutes, while documents of its projects and of others are saved.
.PHONY: test-citus
test-citus: | bin/skipped ## Run the tests on a cluster of Citus, where it is installed or CITUS=DIR has its source
	@skipped=bin/skipped/test-citus; sh test/testenv/scripts/citus.sh $(CITUS) >$$skipped || exit; test ! -s $$skipped || { cat $$skipped; exit 0; }; \
		export CDOCS_POSTGRES="$$($${PG_CONFIG:-pg_config} --bindir)"; $(with_services) sh -c 'CDOCS_TEST_CITUS=1 CDOCS_TEST_AWAY=$(AWAY) go test -count=1 -timeout=15m -run=Citus ./db ./test/containers && $(print_services)'

compose = docker compose -f deploy/compose.yaml
PROFILE ?= cpu
# The images for the CPU are built where they cannot be pulled.
with_images = $(if $(filter cpu,$(PROFILE)),$(build_services) && bin/withservices -images --)

.PHONY: up
up: ## Start PostgreSQL and Ollama in containers, with PROFILE=nvidia or amd on a GPU
	$(with_images) $(compose) --profile $(PROFILE) up --detach --wait

.PHONY: down
down: ## Stop and remove these containers; their data stays
	$(compose) --profile cpu --profile nvidia --profile amd down

.PHONY: image
image: platform = linux/$(shell go env GOARCH)
image: ## Build compound-docs, the container image of the server
	GOOS=linux go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/image/$(platform)/compound-docs ./cmd/server
	docker build --tag compound-docs --build-arg TARGETPLATFORM=$(platform) --file deploy/server/Dockerfile bin/image

.PHONY: conformance
conformance: ## Test the server with the official MCP conformance suite and clients
	dir=$$(test/conformance/install.sh) && export CDOCS_CONFORMANCE="$$dir" && \
		$(with_database) go test -count=1 ./test/conformance

# CDOCS_PICTURES=DIR keeps the pictures of the page. Without a Chromium the test is skipped.
.PHONY: page
page: ## Try the page of 500 documents in a headless Chromium, with axe-core, and type 900 words
	dir=$$(test/browser/install.sh) && CDOCS_BROWSER="$$dir" go test -count=1 -timeout=30m -v ./test/browser

# The go command fuzzes one target at a time. Two of them run side by side, with one
# worker each. An input that finds new code is made smaller for at most a second: with
# the default, a minute, that takes most of the time. CI gives a number of inputs and no
# time: a target that is busy when its time ends is now and then reported as failed.
FUZZTIME ?= 5m
fuzz_packages = $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME=5m or 1000x, or only those that match FUZZ=REGEXP
	@list=$$(go test -list '^Fuzz.*$(FUZZ)' $(fuzz_packages)) || { echo "$$list"; exit 1; }; echo "$$list" | \
		awk '/^Fuzz/ { targets[++n] = $$1 } $$1 == "ok" { for (; n > 0; n--) print $$2, targets[n] }' | \
		xargs -P 2 -n 2 sh -c 'go test -run="^$$" -fuzz="^$$1\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=1s -parallel=1 "$$0"'

# make test runs a short form of these tests.
.PHONY: soak
soak: ## Change files at random, kill servers, break connections and stop services, for two hours
	$(with_database) sh -c 'go test -count=1 -timeout=90m -v ./test/soak -operations=10000 -schedules=500 && \
		go test -count=1 -timeout=90m -v ./test/soak -run=StaysFlat -long=1h && \
		CDOCS_TEST_OUTAGE=60s go test -count=1 -timeout=20m ./cmd/server ./internal/workspace ./watch'

# QUICK=1 takes minutes instead of hours, and does not write docs/benchmarks.md.
# ONLY=REGEXP measures only the rows whose names match.
.PHONY: bench
bench: build ## Measure cost, and write docs/benchmarks.md
	$(build_services) && bin/withservices -database -large -ollama -- go run ./test/bench -only='$(ONLY)' $(if $(QUICK),-quick,-write docs/benchmarks.md)

.PHONY: recording
recording: build ## Record a session in a terminal: docs/recording.svg
	go run -trimpath ./test/demo -record

# MODEL="FILE.gguf FILE.gguf" judges these embedding models too, COLLECTIONS="DIR DIR" other
# collections. HOOK=yes judges what hooks add instead, and FIT=yes fits what a score means.
.PHONY: eval
eval: build ## Judge search on the questions of test/eval, by words and with each model at hand
	$(with_services) go run ./test/eval $(HOOK:%=-hook) $(FIT:%=-fit) $(MODEL:%=-model %) $(COLLECTIONS)

.PHONY: check
check: lint cross sql vuln modules test-race ## Run lint, cross, sql, vuln, modules and test-race

.PHONY: lint
lint: ## Check the format, and run go vet and golangci-lint
	@unformatted=$$($(tool) gofumpt -l .) || exit; test -z "$$unformatted" || \
		{ echo "make format would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	$(tool) golangci-lint run ./...

# A release is built for amd64 and arm64 of each; see .goreleaser.yaml.
SYSTEMS ?= windows/amd64 darwin/arm64
.PHONY: cross
cross: ## Check that the program builds for the other systems of a release
	@for system in $(SYSTEMS); do echo "go build for $$system"; \
		GOOS=$${system%/*} GOARCH=$${system#*/} go build -o /dev/null ./cmd/server || exit; done

# The database is always a private one, because the tables stay in it. goose's
# command line, which users may run, creates them.
.PHONY: sql
sql: export CDOCS_TEST_DATABASE_URL =
sql: ## Check that db/ is up to date with sql/, and prepare every query
	$(tool) sqlc diff
	$(with_database) sh -c '$(goose) postgres "$$CDOCS_TEST_DATABASE_URL" up && \
		SQLC_DATABASE_URL="$$CDOCS_TEST_DATABASE_URL" $(tool) sqlc vet'

# Servers migrate by themselves when they first connect. A statement that does not get
# its lock within a second fails, so that no search waits behind it.
COMMAND ?= status
.PHONY: migrate
migrate: ## Run goose on DATABASE_URL, with COMMAND=status, up or down
	@PGOPTIONS="$${PGOPTIONS:--c lock_timeout=1s}" $(goose) \
		postgres "$${DATABASE_URL:?is missing: make migrate COMMAND=status DATABASE_URL=postgres://…}" $(COMMAND)

# The list of vulnerabilities comes over the network. Without it nothing is checked,
# which is an error only with VULNDB=required, as in CI.
.PHONY: vuln
vuln: | bin/skipped ## Look for known vulnerabilities in the code that is called
	@echo "govulncheck ./..."; : >bin/skipped/vuln; found=$$($(tool) govulncheck ./... 2>&1); status=$$?; echo "$$found"; \
	case "$(VULNDB) $$found" in \
	required*) exit $$status ;; \
	*"fetching vulnerabilities:"*) echo "make vuln is skipped: the list of vulnerabilities cannot be downloaded" | tee bin/skipped/vuln ;; \
	*) exit $$status ;; \
	esac

# MIT-0 is not known to go-licenses: segmentio/asm is in the page's template.
licenses = $(tool) go-licenses
ours     = ./cmd/server --ignore github.com/compound-docs --ignore github.com/segmentio/asm
allowed  = Apache-2.0,BSD-3-Clause,MIT,MPL-2.0

.PHONY: modules
modules: ## Check that no module was altered, and that docs/licenses.md has the licence of each
	go mod verify
	@$(licenses) check $(ours) --allowed_licenses=$(allowed) --stderrthreshold=FATAL --logtostderr=false
	@$(licenses) report $(ours) --template test/release/licenses.md.tmpl --stderrthreshold=FATAL --logtostderr=false | \
		diff docs/licenses.md - || { echo "run make licenses" >&2; exit 1; }

.PHONY: licenses
licenses: ## Write docs/licenses.md, and the texts of all licences as NOTICES.txt
	$(licenses) report $(ours) --template test/release/licenses.md.tmpl > docs/licenses.md
	$(licenses) report $(ours) --template test/release/notices.txt.tmpl > NOTICES.txt

.PHONY: packaging
packaging: ## Write the man page and the completions of packages into bin/packaging/
	mkdir -p bin/packaging
	go run ./test/release/manual <docs/commands.md | gzip -9n >bin/packaging/compound-docs.1.gz
	for shell in bash zsh fish; do go run ./cmd/server completion $$shell >bin/packaging/compound-docs.$$shell || exit; done

.PHONY: format
format: ## Format the code
	$(tool) golangci-lint fmt

.PHONY: generate
generate: ## Generate db/ from sql/, docs/config.schema.json, docs/tools.md and docs/commands.md
	$(tool) sqlc generate
	cp internal/project/config.schema.json docs/config.schema.json
	go run ./test/tooldocs
	go test ./cmd/server -run='^TestCommandsPage' -update

.PHONY: build
build: ## Build bin/compound-docs
	go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/compound-docs ./cmd/server

.PHONY: install
install: build ## Install compound-docs into the GOBIN folder, or into BINDIR, and PostgreSQL into ../lib beside it
	@bin=$${BINDIR:-$$(go env GOBIN)}; bin=$${bin:-$$(go env GOPATH)/bin}; \
	mkdir -p "$$bin" && install -m 755 bin/compound-docs "$$bin/compound-docs" && \
	go run -trimpath ./test/postgres/fetch -optional -to "$$bin/../lib/compound-docs/postgresql" && \
	echo "Now run in your own repository: $$bin/compound-docs init"

# GoReleaser is built from the source that this hash is of.
goreleaser_version = v2.15.1
goreleaser_sum     = h1:qgg9Y4JfURDRnt43eA76QRkzlWCYIph/yz4jyQdczMs=
goreleaser         = bin/goreleaser-$(goreleaser_version)
$(goreleaser): module = github.com/goreleaser/goreleaser/v2@$(goreleaser_version)
$(goreleaser):
	go mod download -json $(module) | grep -q '"Sum": "$(goreleaser_sum)"'
	GOBIN=$(CURDIR)/bin go install $(module) && mv bin/goreleaser $@

.PHONY: goreleaser
goreleaser: $(goreleaser) ## Build GoReleaser into bin/, which takes minutes

.PHONY: postgresql
postgresql: ## Download the PostgreSQL of each system that a release contains, into bin/postgresql
	go run ./test/postgres/fetch -all -to bin/postgresql

# What lists the contents, signs and pushes is where the workflow runs.
.PHONY: release
release: $(goreleaser) ## Build what a release has into dist/, and make a draft of it unless SNAPSHOT=1
	$(goreleaser) release --clean $(if $(SNAPSHOT),--snapshot --skip=sbom --skip=sign --skip=docker)
	$(if $(SNAPSHOT),@if docker info >/dev/null 2>&1; then $(MAKE) image; else echo "No container image: no Docker engine answers."; fi)

.PHONY: test-release
test-release: $(goreleaser) ## Build a release, and install and use each kind of package in a bare root
	$(with_database) go test -count=1 -timeout=30m ./test/release

.PHONY: clean
clean: ## Remove bin/ and dist/
	rm -rf bin dist
