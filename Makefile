# make check is what CI runs; nothing else decides.
GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
STATIC      := -tags netgo,osusergo,sqlite_omit_load_extension -ldflags '-s -w -linkmode external -extldflags -static'

.PHONY: build install check format vet lint test race stress static update bench accept references clean

build: ## the program, in bin/; -trimpath would compile all grammars a second time
	$(GO) build -o bin/code-intel ./cmd/code-intel

install: ## the program, where go install puts it
	$(GO) install ./cmd/code-intel

check: format vet lint race static

format:
	@out=$$(gofmt -l cmd internal *.go); test -z "$$out" || { echo "gofmt -w these:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet ./...

lint:
	$(GO) run $(STATICCHECK) ./...

test: ## fast, without the race detector
	$(GO) test ./...

# Tests of hostile input are about time and size: the race detector would only
# multiply both. They run without it.
HOSTILE := Hostile|LongLines|Unclosed|Mutations

race:
	$(GO) test -race -timeout 15m -skip '$(HOSTILE)' ./...
	$(GO) test -timeout 15m -run '$(HOSTILE)' ./internal/... .

stress: ## a real server under hostile conditions; minutes; as root also a full disk
	$(GO) test -tags stress -run TestStress -count 1 -timeout 60m -v .

static: ## a program that runs on any Linux of this architecture
	$(GO) build $(STATIC) -o bin/code-intel-static ./cmd/code-intel
	@bin/code-intel-static version >/dev/null

update: ## rewrite golden files; read the diff before you commit it
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' internal cmd | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

bench: ## against peers, as a user meets it; writes docs/benchmarks.md; BENCH="-profile", "-short", "-runs 3"
	$(GO) test -tags bench -run TestBench -count 1 -timeout 60m -v . $(BENCH)

references: build ## find_references against gopls, pyright and tsserver; writes docs/references.md
	python3 accept/references/run.py --write docs/references.md

accept: build ## whole sessions by real clients, the Chroma store by a real server; fetched from npm once
	python3 accept/run.py
	GO="$(GO)" python3 accept/chroma.py
	python3 accept/references/run.py

clean:
	rm -rf bin dist
