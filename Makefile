# make check is what the README tells a reader to run, make check-all what CI runs.
GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOCOGNIT    ?= github.com/uudashr/gocognit/cmd/gocognit@v1.3.0 -ignore '_test\.go$$|testdata/'
DEADCODE    ?= golang.org/x/tools/cmd/deadcode@v0.52.0
STATIC      := -tags netgo,osusergo,sqlite_omit_load_extension -ldflags '-s -w -linkmode external -extldflags -static'

# A release is a static program at a random address whose tables are read-only once it runs,
# and whose C code guards its stack. TestHardened holds it against that. The same source gives the same bytes.
HARDEN  := -fstack-protector-strong -D_FORTIFY_SOURCE=2
RELEASE := -trimpath -buildmode=pie -tags netgo,osusergo,sqlite_omit_load_extension \
	-ldflags '-s -w -buildid= -linkmode external -extldflags "-static-pie -Wl,-z,relro,-z,now,-z,noexecstack"'

.PHONY: build install release vulnerabilities check check-all format vet lint measure test long race stress soak mutate histories times hooks static update bench tune impact economics accept references definitions site picture clean

build: ## the program, in bin/; -trimpath would compile all grammars a second time
	$(GO) build -o bin/code-intel ./cmd/code-intel

install: ## the program, where go install puts it
	$(GO) install ./cmd/code-intel

release: ## the program as it is given away, dist/code-intel, checked; compiles all grammars once more
	CGO_CFLAGS="-O2 $(HARDEN)" $(GO) build $(RELEASE) -o dist/code-intel ./cmd/code-intel
	$(GO) test ./test -run '^TestHardened$$' -count 1 -release dist/code-intel

vulnerabilities: build ## known vulnerabilities of what the program is made of; VULNDB=file:///FOLDER is a copy of the database
	sh script/vulnerabilities bin/code-intel $(VULNDB)

check: format vet lint test static ## what the README tells you to run: every test, long ones with a sample of their cases

check-all: check long race vulnerabilities ## what CI runs: the long tests whole, the race detector and known vulnerabilities, besides

format:
	@out=$$(gofmt -l cmd internal test); test -z "$$out" || { echo "gofmt -w these:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet ./...
	$(GO) vet -tags tune ./internal/index
	$(GO) vet -tags conformance ./internal/mcp
	$(GO) vet -tags bench ./test/bench

lint:
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(GOCOGNIT) -over 35 cmd internal test

measure: ## how large the code is, how complex its functions, and what nothing calls
	$(GO) test ./test -run '^TestSize$$' -count 1 -v
	@$(GO) run $(GOCOGNIT) -f '{{.Complexity}}' cmd internal test 2>/dev/null | sort -n | awk -v all=$$(git grep -h '^func ' -- '*.go' ':!*_test.go' ':!*testdata*' | wc -l) \
		'{c[NR] = $$1} END {none = all - NR; at = int(all / 2) - none; printf "cognitive complexity: median %d, 99th percentile %d, most %d\n", c[at], c[int(all * .99) - none], c[NR]}'
	$(GO) run $(DEADCODE) -test ./...

# The temporary files of tests lie in memory where there is some: those of t.TempDir, too, which
# GOTMPDIR would put elsewhere. vet has run already, and nobody debugs these programs.
# Many tests wait for processes: twice as many packages as processors run at once.
TESTS = GOTMPDIR= TMPDIR=$$(sh script/testdir) $(GO) test -vet=off -ldflags=-w -p $$((2 * $$(getconf _NPROCESSORS_ONLN)))

test: ## the quick tier: go test ./... with temporary files in memory
	$(TESTS) -timeout 30m ./...

# The long tests. Without being named they skip or try a sample of their cases; package
# test/tier does that. TestTiers holds this list against the tests.
HOSTILE     := TestThrottled$$|TestFirstQuestion|TestHostile|TestManySlow$$|TestOutlineHostile|TestLongLines|TestUnclosedElements|TestASCII$$|TestFaults$$|TestDamagedBlocks$$|TestLittleMemory$$
CRASH       := TestKill|TestDying|TestSaving|Interrupted$$|TestMergeWith$$|TestProcesses$$|TestDamage|Heals?$$|WhileOpen$$|TestLeaveStale|TestKeepUnderALock|TestLockLeft
ADVERSARIAL := TestAttacks|TestHonest|TestTricks|TestHarmless|TestRunsNothing$$
HISTORIES   := TestHistories$$|TestTreeEqualsSweep
ADDING      := TestClient$$|TestLanguage$$|TestTool$$
LONG        := $(HOSTILE)|$(CRASH)|$(ADVERSARIAL)|$(HISTORIES)|$(ADDING)

long: ## the long tests, whole, those of test/ first, which wait most: hostile input, killed processes, damaged files, attacks and tricks, random histories, the walks of docs/design/adding.md
	$(TESTS) -timeout 60m -run '$(LONG)' $$(grep -rl '"codeintel/test/tier"' --include='*_test.go' internal cmd test | xargs -n1 dirname | sort -ru | sed 's|^|./|')

# The packages that share memory between goroutines, and those that drive the whole server.
RACE := ./internal/index/... ./internal/search ./internal/mcp ./internal/session ./internal/git ./internal/files ./internal/audit/... \
	./internal/memory/... ./internal/embedding/... ./internal/dashboard ./internal/verify ./internal/pipeline/service ./internal/pipeline/pastruns \
	./internal/platform/... ./internal/syntax/treesitter ./internal/cli ./test/robustness ./test/e2e/...

race: ## the quick tier of these packages under the race detector
	$(TESTS) -race -timeout 40m $(RACE)

stress: ## a real server under hostile conditions; minutes; as root also a full disk
	$(GO) test -tags stress -run TestStress -count 1 -timeout 60m -v ./test/robustness ./test/e2e ./test/e2e/pipeline

times: ## how long the server takes in each phase on 5,000 files; writes docs/design/enforcement-tests.md
	$(GO) test ./test/e2e -run '^TestTimes$$' -times -count 1 -v

hooks: ## how long a hook takes, as a process, 1,200 times during a session; writes docs/design/enforcement-tests.md
	$(GO) test ./test/e2e -run '^TestHooks$$' -hooks -count 1 -v

soak: histories ## more histories; kill servers at every point of whole sessions and at random moments; goes on where it stopped; SOAK="-minutes 60 -seed 7", SOAK="-minutes 90 -sweep"
	$(GO) test ./test/e2e -run '^TestSoak(Forge)?$$' -soak -count 1 -timeout 0 -v $(or $(SOAK),-minutes 10)

mutate: ## take each rule out in turn: exactly its own attacks get through; goes on where it stopped; MUTATE="-within 1h", MUTATE='-rules "checks as much"'
	$(GO) test ./test/e2e -run '^TestMutations$$' -mutate -count 1 -timeout 10h -v $(MUTATE)
	$(GO) test ./test/e2e/pipeline -run '^TestMutations$$' -mutate -count 1 -timeout 10h -v $(MUTATE)

histories: ## 1,000 more random git histories (N=10000: more), added to internal/taskbranch/testdata/histories.json; CPU: 3 minutes per 1,000
	$(GO) test -run '^TestHistories$$' -count 1 -timeout 10h -v ./internal/taskbranch -histories $(or $(N),1000)
	$(GO) test ./test/e2e -run '^TestHistoriesPage$$' -update

static: ## a program that runs on any Linux of this architecture
	$(GO) build $(STATIC) -o bin/code-intel-static ./cmd/code-intel
	@bin/code-intel-static version >/dev/null

update: ## rewrite golden files; read the diff before you commit it
	CODE_INTEL_TESTS=all $(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' internal cmd test | xargs -n1 dirname | sort -ru | sed 's|^|./|') -update

bench: ## against peers, as a user meets it; writes docs/design/benchmarks.md; BENCH="-profile", "-short", "-runs 3"
	$(GO) test -tags bench -run TestBench -count 1 -timeout 60m -v ./test/bench $(BENCH)

tune: ## weights of ranking by questions that are not kept here; docs/design/ranking.md says how; TUNE="-data FILE …"
	$(GO) test -tags tune -run TestTune -count 1 -timeout 120m -v ./internal/index $(TUNE)

impact: ## impact on real commits that it does not know, docs/design/history.md; IMPACT="-repositories FOLDER,FOLDER"
	$(GO) test -tags tune -run TestMeasure -count 1 -timeout 120m -v ./internal/search/impact $(IMPACT)

economics: ## what it costs an agent to see the lines of a change, docs/design/economics.md; ECONOMICS="-repositories FOLDER,FOLDER", "-data FILE -corpora FOLDER"
	$(GO) test -tags tune -run TestEconomics -count 1 -timeout 120m -v ./internal/search/explore $(ECONOMICS)

references: build ## find_references against tools that have the compiler's knowledge; writes docs/design/references.md
	python3 test/acceptance/references/run.py --write docs/design

definitions: ## symbols against Universal Ctags, which must be installed; writes docs/design/definitions.md
	python3 test/acceptance/references/definitions.py --write docs/design/definitions.md

accept: build ## whole sessions and pipelines by real clients, the Chroma store by a real server, a real embedding model, the protocol by its official suites, the dashboard in a real Chromium; fetched once; writes docs/design/enforcement-tests.md, docs/reference/clients.md
	python3 test/acceptance/run.py --write docs/design/enforcement-tests.md
	python3 test/acceptance/forge.py
	python3 test/acceptance/terminal.py --write docs/reference/clients.md
	python3 test/acceptance/gate.py
	GO="$(GO)" python3 test/acceptance/chroma.py
	GO="$(GO)" python3 test/acceptance/model.py
	GO="$(GO)" python3 test/acceptance/conformance.py --write docs/reference/clients.md
	python3 test/acceptance/references/run.py
	python3 test/acceptance/dashboard.py

site: ## a web site of docs/, in dist/site; fetches mkdocs-material once, from PyPI
	@test -x dist/site-env/bin/mkdocs || { python3 -m venv dist/site-env && dist/site-env/bin/pip -q install mkdocs-material==9.8.1; }
	NO_MKDOCS_2_WARNING=1 dist/site-env/bin/mkdocs build --quiet --strict

picture: build ## the recorded terminal of the README, docs/images/terminal.svg
	script/picture

clean:
	rm -rf bin dist
