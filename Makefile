# saturate: `make` builds, `make demo` shows it at work, `make test` runs everything.
.PHONY: build demo test lint cross gen counts bench accept audit oracle race fuzz newrule wheels release-snapshot clean
SHELL := bash
export CGO_ENABLED := 0
# What is compiled does not depend on the folder, so that another checkout finds it in the cache.
export GOFLAGS := -trimpath

TOOLS := go tool -modfile=tools/tools.mod

build:
	go build -ldflags "-s -w" -o saturate ./cmd/saturate

# The main job on the example, from set-up to a report to open.
demo: build
	scripts/demo

# Everything that CI runs. `make lint` and `make cross` are part of it.
test: lint cross
	scripts/test

lint:
	@out=$$($(TOOLS) gofumpt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$out" ]; then echo "gofumpt would change: $$out"; exit 1; fi
	go vet ./...
	$(TOOLS) staticcheck ./...

# Other systems compile, and without the GPU the binary is fully static.
cross:
	GOOS=linux GOARCH=arm64 go build -o /dev/null ./cmd/saturate
	GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/saturate
	GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/saturate
	GOOS=freebsd GOARCH=amd64 go build -o /dev/null ./cmd/saturate
	GOOS=openbsd GOARCH=amd64 go build -o /dev/null ./cmd/saturate
	go build -tags nocuda -o /dev/null ./cmd/saturate

# What is generated from something else in the tree.
gen:
	go generate ./...

# Long lines, tangled functions, unused exports, stray rule codes. `go run ./tools/counts -v` names each place.
counts:
	go run ./tools/counts

# The skeleton of a rule: make newrule CODE=SAT321 NAME=some-name
newrule:
	go run ./internal/rule/newrule $(CODE) $(NAME)

# Side by side with other tools, at pinned versions: peers/ holds scripts and raw results.
bench:
	scripts/bench

# Long acceptance runs: oracles over everything, kill loops, big inputs, real launchers and libraries. A test in
# internal/lint fails when one that asks for SATURATE_ACCEPT is missing here.
ACCEPT := SATURATE_ACCEPT=1 go test -count=1 -v -timeout 90m
WITH_PYTHON := SATURATE_TEST_PYTHON=$$(scripts/setup | tail -1)/bin/python
ENGINES := $$(scripts/setup-engines | tail -1)/bin
accept: audit oracle race
	SATURATE_TEST_MOTO=$(ENGINES)/moto_server $(ACCEPT) -run 'KilledAtRandom|SpeedAgainst' ./internal/tts ./internal/cli ./internal/dataset ./internal/optimize
	$(ACCEPT) -run 'SimulatedCluster|SameByNsight|Accessible|BundleIsReproducible|Broken|Renamed' ./internal/shard ./internal/analyze ./internal/web ./internal/rule
	SATURATE_TEST_ENGINES=$(ENGINES)/python $(ACCEPT) -run EnginesRunShards ./internal/cli
	e=$(ENGINES); if [ -x "$$e/mypy" ]; then cd python && $$e/mypy; else echo "mypy is missing: types were not checked"; fi
	$(WITH_PYTHON) $(ACCEPT) -run PythonReadsShards ./internal/dataset
	$(WITH_PYTHON) $(ACCEPT) -run 'Real|Simulated|Planted|SharedBaseline' ./internal/verify
	$(WITH_PYTHON) $(ACCEPT) -run 'ExampleWaitsLess|Mischief|Planted|Shapes|FilesStay|AA|TwoRanks|TriedInForks' ./internal/optimize/...
	$(WITH_PYTHON) $(ACCEPT) -run 'KilledProgram|FindsSteps|NamesWhatCosts|Forked' ./internal/probe
	$(WITH_PYTHON) $(ACCEPT) -run 'Script|AgentOnTheExample|Whisper' ./internal/cli ./internal/tune/setting

oracle:
	SATURATE_ORACLE=1 SATURATE_TEST_PYTHON=$$(scripts/setup | tail -1)/bin/python go test -count=1 -timeout 60m -v -run 'TestOracle|CPython' ./internal/pysrc

# Known holes in the dependencies (says so where the data cannot be reached), and their licences.
audit:
	scripts/audit

# The Python wheels of all platforms, into dist/. No Python is needed, and two builds of one commit are the same bytes.
wheels:
	go run ./tools/wheel

# Everything that a release has, built and checked on this machine: wheels, archives, SBOMs, SHA256SUMS. Nothing is published.
release-snapshot: wheels
	go run ./tools/release
	cd dist && sha256sum --check --quiet SHA256SUMS

# Data races. The detector needs a C compiler; the program does not.
race:
	CGO_ENABLED=1 go test -race -timeout 60m ./...

# Every fuzz target in turn, EACH of them so long; prints how many inputs each one got.
EACH ?= 40s
fuzz:
	scripts/fuzz $(EACH)

clean:
	rm -rf saturate build dist
