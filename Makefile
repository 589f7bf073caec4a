# frontdesk: `make run` starts the stack on this machine, `make test` tests it, `make help` lists the rest.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
VULNDB      ?= https://vuln.go.dev

# -trimpath keeps folder names out of the programs; lambda.norpc leaves out the server of a runtime that AWS has
# retired. Tests and lint use the same flags, so that Go compiles shared packages once. Go asks git for the commit. If
# git refuses to answer, as in a checkout of another user, Go builds nothing: then it does not ask.
GOSAME := -trimpath -tags=lambda.norpc $(if $(shell git log -1 --format=%h 2>/dev/null),,-buildvcs=false)
export CGO_ENABLED := 0
export GOFLAGS     := $(filter-out $(GOSAME),$(GOFLAGS)) $(GOSAME)

# Without this, the compiler and the linker spend a fifth of their time on garbage collection.
COMPILE := GOGC=off GOMEMLIMIT=512MiB

# The platform of the bootstraps: Lambda on arm64, unless told otherwise. A function does not contain its commit, so a
# deployment replaces only functions whose code has changed.
GOOS    ?= linux
GOARCH  ?= arm64
BUILD    = GOOS=$(GOOS) GOARCH=$(GOARCH) $(GO) build -ldflags "-s -w"
FUNCTION = $(BUILD) -buildvcs=false

FUNCTIONS := $(shell sed -n 's/^  \([A-Za-z]\{1,\}Function\):$$/\1/p' template.yaml)

# Programs for this machine. One run of Go builds all functions, and reads shared packages once; where some do not
# compile, it builds the others. Go's temporary files are on the same disk as the programs, so Go moves each program
# there in one step: a build that is killed leaves no half of a program. $(call build-local,3,go build …) shows how far
# the build of 3 programs is.
PROGRAMS := .local/functions
define build-local
@mkdir -p $(PROGRAMS)/.tmp
@{ $(COMPILE) GOTMPDIR='$(CURDIR)/$(PROGRAMS)/.tmp' $(2) 2>&1; echo "status $$?"; } | .make/progress $(1)
endef
build-tool = $(call build-local,1,$(BUILD) -v -o bin/frontdesk ./internal/operate/frontdesk)
run functions/local bin/frontdesk: GOOS =
run functions/local bin/frontdesk: GOARCH =

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z/%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 24

.PHONY: run
run: ## run the whole stack on this machine; PORT=3001 for another port, RUN=--seed for flags of frontdesk local
	@command -v '$(GO)' >/dev/null || { echo 'make run: Go is not installed: https://go.dev/dl/' >&2; exit 1; }
	$(build-tool)
	@exec bin/frontdesk local $(RUN)

.PHONY: bin/frontdesk
bin/frontdesk: ## build the command-line tool
	$(build-tool)

.PHONY: build
build: $(FUNCTIONS:%=build/%) ## build every function for Lambda into .local/lambda

.PHONY: build/%
build/%:
	@$(MAKE) --no-print-directory build-$* ARTIFACTS_DIR=.local/lambda/$*

# `sam build` calls this, with ARTIFACTS_DIR set. SendMailFunction is built from functions/send-mail.
build-%Function:
	$(FUNCTION) -o $(ARTIFACTS_DIR)/bootstrap ./functions/$(shell echo $* | sed -E 's/([a-z])([A-Z])/\1-\2/g' | tr A-Z a-z)

# The functions are built once for all packages. A test binary is linked without data for debuggers, and only when it
# has changed: .make/link keeps it, which saves 25 s of CPU. go vet is left to make lint. GOGC=5 and P=1 set the
# garbage collector of the tests, and how many packages run at once; Go's default is one for each core.
GOTEST  := LINKED='$(CURDIR)/.local/linked' FUNCTIONS_BUILT=1 $(GO) test -vet=off \
  -toolexec="env $(COMPILE) '$(CURDIR)/.make/link'" -ldflags=-s $(P:%=-p %)
.PHONY: test test/project test/bench
test: test/bench test/project ## run every test that needs no browser (the README's test command)

test/project: functions/local
	$(GOTEST) -shuffle=on ./...

test/bench: functions/local
	cd internal/prove/bench && $(GOTEST) ./...

# One package after the other, because Chromium alone keeps two cores busy.
BROWSED = $(sort $(dir $(shell grep -rl --include='*_test.go' frontdesk/internal/prove/browsertest internal)))
.PHONY: test/browser
test/browser: functions/local ## run the tests that drive Chromium
	FRONTDESK_BROWSER=yes $(GOTEST) -p 1 $(BROWSED:%=./%) -run 'InABrowser$$'

.PHONY: test/clients
test/clients: ## lint the contract, send mails by the clients that five generators make of it, and test the drivers
	.ci/clients

.PHONY: test/pages
test/pages: functions/local ## paste every block of the pages into zsh and bash, twice
	FRONTDESK_PASTE=yes $(GOTEST) -count=1 ./internal/operate/frontdesk -run '^TestBlocksPasteIntoTerminals$$'

.PHONY: functions/local
functions/local: # as the local stack builds them
	$(call build-local,$(words $(FUNCTIONS)),$(FUNCTION) -v -o $(PROGRAMS)/ ./functions/...)

.PHONY: lint
lint: ## gofmt, vet (the tool for macOS and Windows, too), staticcheck, govulncheck where its database is reached, and cfn-lint where it is installed
	@unformatted=$$(gofmt -l functions internal); test -z "$$unformatted" || { echo "not formatted:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./internal/operate/frontdesk/...
	GOOS=windows $(GO) vet ./internal/operate/frontdesk/...
	$(GO) -C internal/prove/bench vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) -C internal/prove/bench run $(STATICCHECK) ./...
	@if curl -fsS -m 10 -o /dev/null $(VULNDB)/index/db.json 2>/dev/null; then $(GO) run $(GOVULNCHECK) -db $(VULNDB) ./...; \
	  else echo "$(VULNDB) was not reached: no known vulnerability was looked for"; fi
	@if command -v cfn-lint >/dev/null; then cfn-lint template.yaml; else echo "cfn-lint is not installed: template.yaml was not linted"; fi

.PHONY: bench
bench: ## measure everything beside its peers, and report it; COUNT=5 for the medians of five runs
	@mkdir -p .local/bench
	bash -o pipefail -c "$(GO) -C internal/prove/bench test -run '^$$' -bench . -benchtime 1s -count $(or $(COUNT),1) -timeout 2h . | tee .local/bench/results.txt"
	$(GO) -C internal/prove/bench run ./report ../../../.local/bench/results.txt | tee .local/bench/report.md

.PHONY: bench/page
bench/page: ## put what make bench measured last into internal/docs/costs.md
	cp .local/bench/results.txt internal/prove/bench/results.txt
	$(GO) -C internal/prove/bench run ./report -page ../../docs/costs.md results.txt

.PHONY: stress
stress: ## two minutes of load while everything fails, then look for what was promised; STRESS='-seed 7' for its flags
	$(GO) run ./internal/prove/stress $(STRESS)

.PHONY: clean
clean: ## remove what was built, and the local stack's data
	rm -rf .local bin .aws-sam
