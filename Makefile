# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. VARIANT=asan|tsan|debug|quick|clang|analyze|fuzz builds beside the
# default one, into build/VARIANT/.

# Nothing here needs make's own rules, which it would try on each of 3,000 files: a second each time it starts.
MAKEFLAGS += --no-builtin-rules
CC ?= cc
VARIANT ?=
# The last released number, CHANGELOG.md has what is in it; a build says its commit too.
NUMBER := 0.2.0
VERSION := $(NUMBER)-$(shell git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)
REVISION := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE := $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -Wformat=2 -Wcast-qual -Wswitch-enum -Werror
PKGS := jansson libcurl libmicrohttpd yaml-0.1
CPPFLAGS += -I. -D_GNU_SOURCE
DEBUG := -g
CFLAGS_BASE := -std=c17 $(WARN) -fno-strict-overflow -fstack-protector-strong
OPT := -O2
# Expanded when something is linked, not before: `make deps` works without pkg-config.
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lgnutls -lpthread
O := build/obj

ifeq ($(VARIANT),asan)
CFLAGS_BASE += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DSKR_DEBUG
OPT := -O1
DEBUG := -g1
else ifeq ($(VARIANT),tsan)
CFLAGS_BASE += -fsanitize=thread -fno-omit-frame-pointer -DSKR_DEBUG
OPT := -O1
DEBUG := -g1
else ifeq ($(VARIANT),debug)
CFLAGS_BASE += -DSKR_DEBUG
OPT := -O0
else ifeq ($(VARIANT),quick)
# A first look: a third of the compiler's time.
CFLAGS_BASE := $(filter-out -Werror,$(CFLAGS_BASE))
OPT := -O0
DEBUG :=
else ifeq ($(VARIANT),clang)
# For its warnings, which come from the sources alone.
CC := clang
OPT := -O0
DEBUG :=
else ifeq ($(VARIANT),analyze)
CC := gcc
# Entries that uthash links into a table are taken for lost; leaks are left to LeakSanitizer and valgrind.
# The code is that of the default variant, byte for byte: the gate compiles it once, for both.
CFLAGS_BASE += -fanalyzer -Wno-analyzer-malloc-leak -fno-plt
DEBUG :=
else ifeq ($(VARIANT),fuzz)
CC := clang
CFLAGS_BASE += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DSKR_DEBUG
OPT := -O1
else ifneq ($(VARIANT),)
$(error VARIANT=$(VARIANT) is not one of asan tsan debug quick clang analyze fuzz)
endif
CFLAGS_BASE += $(DEBUG)
ifneq ($(VARIANT),)
O := build/$(VARIANT)
else
# Functions of libraries are called where they are, not through a table of jumps: 6 % of what simulate takes.
CFLAGS_BASE += -fno-plt
endif
# The default variant leaves the program where users look for it.
BIN := $(if $(VARIANT),$(O)/sakkara,build/sakkara)
# The same program as a plugin: `kubectl sakkara` runs the first of this name in PATH.
PLUGIN := $(dir $(BIN))kubectl-sakkara

TOPOLOGY_SRC := $(wildcard topology/*.c topology/*/*.c)
CORE_SRC := $(wildcard core/*.c core/*/*.c core/*/*/*.c)
SERVER_SRC := $(filter-out server/main.c,$(wildcard server/*.c server/*/*.c server/*/*/*.c))
LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(TOPOLOGY_SRC) $(CORE_SRC))
SERVER_OBJ := $(patsubst %.c,$(O)/%.o,$(SERVER_SRC)) $(O)/server/ui/page_html.o
HEADERS := $(wildcard topology/*.h topology/*/*.h core/*.h core/*/*.h core/*/*/*.h server/*.h server/*/*.h server/*/*/*.h)
UNIT_SRC := $(wildcard test/unit/*/test_*.c test/unit/*/*/test_*.c test/unit/*/*/*/test_*.c)
UNIT_BIN := $(patsubst %.c,$(O)/%,$(UNIT_SRC))
# Those that can start a thread: what ThreadSanitizer is for.
THREADED_UNIT_BIN = $(patsubst %.c,$(O)/%,$(shell test/threaded.sh $(UNIT_SRC)))
PROPERTY_SRC := $(wildcard test/property/test_*.c)
PROPERTY_BIN := $(patsubst %.c,$(O)/%,$(PROPERTY_SRC))
INTEGRATION_SRC := $(wildcard test/integration/test_*.c)
INTEGRATION_BIN := $(patsubst %.c,$(O)/%,$(INTEGRATION_SRC))
INTEGRATION_SH := $(wildcard test/integration/test_*.sh)
BENCH_SRC := $(wildcard test/bench/bench_*.c)
BENCH_BIN := $(patsubst %.c,$(O)/%,$(BENCH_SRC))
FUZZ_SRC := $(wildcard test/fuzz/fuzz_*.c)
FUZZ_BIN := $(patsubst %.c,$(O)/%,$(FUZZ_SRC))
REPLAY_BIN := $(patsubst test/fuzz/fuzz_%.c,$(O)/test/fuzz/replay_%,$(FUZZ_SRC))
# Helpers of the tests are the other .c files of their folder.
HELPER_SRC = $(filter-out $(UNIT_SRC) $(PROPERTY_SRC) $(INTEGRATION_SRC) $(BENCH_SRC) $(FUZZ_SRC) \
	test/fuzz/replay.c,$(wildcard test/$(1)/*.c))
HELPER_OBJ = $(patsubst %.c,$(O)/%.o,$(call HELPER_SRC,$(1)))
TEST_SRC := $(wildcard test/*.c test/*/*.c) $(UNIT_SRC)
ALL_C := $(TOPOLOGY_SRC) $(CORE_SRC) server/main.c $(SERVER_SRC) $(TEST_SRC)
ALL_H := $(HEADERS) $(wildcard test/*.h test/*/*.h)

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
LINK = $(CC) $(CFLAGS_BASE) $(OPT) $(CFLAGS) $(LDFLAGS)
# Hundreds of programs of tests: the faster linker takes a third of the time, where there is one.
TEST_LD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
# Without the hundred thousand addresses that a program would adjust wherever it lies, half of the time, with ASan.
TEST_LINK = $(LINK) $(TEST_LD) -no-pie

.PHONY: dist dist-check manifests ship upstream upstream-record fleet-load soak replicas full faults ui-check ui-pictures explore planted planted-roles all deps demo sandbox check unit unit-arm64 property prove integration goldens unit-threaded e2e e2e-next e2e-all e2e-sandbox e2e-agree scenarios e2e-demo bench bench-e2e \
	bench-solver bench-counts bench-start bench-simulate benchmarks asan tsan fuzz fuzz-replay objects lint lint-cppcheck lint-analyzer \
	lint-clang format format-check check-layers man install uninstall image image-check clean help FORCE
.DEFAULT_GOAL := all
# Objects stay, also those a chain of implicit rules made.
.SECONDARY:

all: $(BIN) $(PLUGIN) ## build/sakkara, and its link for kubectl

# ---- building ----

$(BIN): $(O)/server/main.o $(O)/libserver.a $(O)/libskr.a
	$(LINK) -o $@ $^ $(LDLIBS)

$(PLUGIN): $(BIN)
	ln -sf sakkara $@

$(O)/libskr.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_BASE) $(OPT) $(CFLAGS) -MMD -MP -c -o $@ $<
# The page's bytes, with the symbols that ld names after the path.
$(O)/server/ui/page_html.o: server/ui/page.html
	@mkdir -p $(@D)
	$(LD) -r -b binary -z noexecstack -o $@ $<
ifeq ($(VARIANT),clang)
# The object is empty: no warning comes from code that is generated.
$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_BASE) $(OPT) $(CFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -fsyntax-only $<
	@touch $@
endif
ifeq ($(VARIANT),asan)
# Oracles enumerate for three quarters of the time of their tests. The sanitizers are for what they judge.
ORACLES := $(patsubst %,$(O)/test/property/%.o,enumerator dp)
$(ORACLES): CFLAGS_BASE := $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(CFLAGS_BASE))
$(ORACLES): OPT := -O2
endif
# Tests that state what holds are compiled once and run once.
$(addsuffix .o,$(UNIT_BIN) $(INTEGRATION_BIN)): OPT := -O0 $(DEBUG:-g=-g1)

# Rewritten only when it changes.
$(O)/version.txt: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION) $(REVISION) $(DATE)' | cmp -s - $@ || echo '$(VERSION) $(REVISION) $(DATE)' >$@
$(O)/server/version.o: $(O)/version.txt
$(O)/server/version.o: CPPFLAGS += -DSKR_VERSION='"$(VERSION)"' -DSKR_REVISION='"$(REVISION)"' \
	-DSKR_DATE='"$(DATE)"'

# Archives, so that a test program links only what it uses.
$(O)/libserver.a: $(SERVER_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
# $(1): folder of tests
define HELPER_ARCHIVE
$(O)/test/$(1)/libhelp.a: $(call HELPER_OBJ,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$(AR) rcs $$@ $$^
endef
$(foreach folder,unit property integration bench fuzz,$(eval $(call HELPER_ARCHIVE,$(folder))))
LIBS := $(O)/libserver.a $(O)/libskr.a
# What every program of tests has: its main(), and the outputs that are kept.
TEST_MAIN := $(O)/test/test.o $(O)/test/golden.o

$(UNIT_BIN): $(O)/test/unit/%: $(O)/test/unit/%.o $(TEST_MAIN) $(O)/test/unit/libhelp.a $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka
# The engine's rig serves both.
$(PROPERTY_BIN): $(O)/test/property/%: $(O)/test/property/%.o $(TEST_MAIN) \
		$(O)/test/property/libhelp.a $(O)/test/unit/libhelp.a $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka
$(INTEGRATION_BIN): $(O)/test/integration/%: $(O)/test/integration/%.o $(TEST_MAIN) \
		$(O)/test/integration/libhelp.a $(O)/test/unit/libhelp.a $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka
# What fits is judged by an oracle of the property tests; the frame's rig serves here, too.
$(BENCH_BIN): $(O)/test/bench/%: $(O)/test/bench/%.o $(O)/test/bench/libhelp.a \
		$(O)/test/property/libhelp.a $(O)/test/unit/libhelp.a $(LIBS)
	$(LINK) -o $@ $^ $(LDLIBS) -lcmocka -lm
DEVICES_BIN := $(O)/test/upstream/devices/ours/ours
$(DEVICES_BIN): $(DEVICES_BIN).o $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS)
# It plans with the engine on its rig.
VOLUMES_BIN := $(O)/test/upstream/volumes/ours/ours
$(VOLUMES_BIN): $(VOLUMES_BIN).o $(O)/test/unit/libhelp.a $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka
# The fuzzer of the engine plays in the world of its property tests.
FUZZ_HELP := $(O)/test/fuzz/libhelp.a $(O)/test/property/libhelp.a $(O)/test/unit/libhelp.a
$(FUZZ_BIN): $(O)/test/fuzz/%: $(O)/test/fuzz/%.o $(FUZZ_HELP) $(LIBS)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(LDLIBS) -lcmocka
$(REPLAY_BIN): $(O)/test/fuzz/replay_%: $(O)/test/fuzz/fuzz_%.o $(O)/test/fuzz/replay.o \
		$(FUZZ_HELP) $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka

objects: $(LIB_OBJ) $(SERVER_OBJ) $(O)/server/main.o

deps: ## install what is needed from the distribution; nothing happens when it is all there
	@.ci/deps.sh all

# Pages of the commands come from their tables, those of the files are written by hand.
MAN := $(addprefix $(O)/man/,sakkara.8 kubectl-sakkara.1 sakkara-topology.5 sakkara-group.5)
man: $(MAN) ## man pages, in build/obj/man
$(O)/man/%.8 $(O)/man/%.1: $(BIN)
	@mkdir -p $(@D)
	@$(BIN) __man $* >$@.new && mv $@.new $@
$(O)/man/%.5: docs/man/%.5
	@mkdir -p $(@D)
	@sed 's/^\(.TH [^ ]* 5\) "" "sakkara"/\1 "$(firstword $(subst T, ,$(DATE)))" "sakkara $(VERSION)"/' $< >$@

SHARE = $(DESTDIR)$(PREFIX)/share
install: $(BIN) $(MAN) ## program, man pages, completions, configurations, manifests, documents below DESTDIR/PREFIX
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/sakkara
	ln -sf sakkara $(DESTDIR)$(PREFIX)/bin/kubectl-sakkara
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin configs/kubectl_complete-sakkara
	install -D -m 644 -t $(SHARE)/man/man8 $(O)/man/sakkara.8
	install -D -m 644 -t $(SHARE)/man/man1 $(O)/man/kubectl-sakkara.1
	install -D -m 644 -t $(SHARE)/man/man5 $(O)/man/sakkara-topology.5 $(O)/man/sakkara-group.5
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
		$(SHARE)/fish/vendor_completions.d
	$(BIN) completion bash >$(SHARE)/bash-completion/completions/sakkara
	ln -sf sakkara $(SHARE)/bash-completion/completions/kubectl-sakkara
	$(BIN) completion zsh >$(SHARE)/zsh/site-functions/_sakkara
	$(BIN) completion fish >$(SHARE)/fish/vendor_completions.d/sakkara.fish
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/sakkara/configs configs/*.yaml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/sakkara/manifests manifests/*.yaml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sakkara README.md CHANGELOG.md LICENSE docs/*.md
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sakkara/workloads docs/workloads/*
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sakkara/roles docs/roles/*

uninstall: ## what install left below DESTDIR/PREFIX
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,sakkara kubectl-sakkara kubectl_complete-sakkara) \
		$(SHARE)/man/man8/sakkara.8 $(SHARE)/man/man1/kubectl-sakkara.1 \
		$(addprefix $(SHARE)/man/man5/,sakkara-topology.5 sakkara-group.5) \
		$(addprefix $(SHARE)/bash-completion/completions/,sakkara kubectl-sakkara) \
		$(SHARE)/zsh/site-functions/_sakkara $(SHARE)/fish/vendor_completions.d/sakkara.fish
	rm -rf $(SHARE)/sakkara $(SHARE)/doc/sakkara

# With whatever builds images here, or IMAGE_TOOL.
IMAGE ?= sakkara:latest
IMAGE_BASE ?= debian:bookworm-slim
image: ## the daemon's image IMAGE on IMAGE_BASE, with docker, podman or buildah
	@tool="$(IMAGE_TOOL)"; [ -n "$$tool" ] || tool=$$(.ci/image-tool.sh) || exit 1; set -x; \
		$$tool build --build-arg BASE=$(IMAGE_BASE) --build-arg VERSION=$(VERSION) \
		--build-arg REVISION=$(REVISION) --build-arg DATE=$(DATE) -t $(IMAGE) .
image-check: $(BIN) ## the image, built on a minimal Debian without a registry, and run (root)
	@test/image.sh $(BIN)

clean: ## remove build/
	rm -rf build

# ---- running ----

# make without -j: as many at once as there are processors.
JOBS := $(or $(JOBS),$(shell nproc 2>/dev/null || echo 2))

demo: ## the worked example through the engine, no cluster
	@.ci/deps.sh build
	@if [ ! -x build/sakkara ]; then \
		$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=quick build/quick/sakkara && build/quick/sakkara demo; \
	else \
		$(MAKE) --no-print-directory -s -j$(JOBS) build/sakkara && build/sakkara demo; \
	fi

sandbox: ## a cluster on localhost for kubectl, with the daemon beside it, until Ctrl-C
	@.ci/deps.sh build
	@$(MAKE) --no-print-directory -s -j$(JOBS) build/sakkara build/kubectl-sakkara
	@exec build/sakkara sandbox

check: ## what every change has to pass
	@.ci/deps.sh all
	@test/check.sh

unit: $(UNIT_BIN) ## unit tests
	@test/run-programs.sh unit $(UNIT_BIN)
unit-arm64: ## the same for arm64, under qemu
	@test/arm64.sh
ifneq ($(filter unit-threaded,$(MAKECMDGOALS)),)
unit-threaded: $(THREADED_UNIT_BIN)
	@test/run-programs.sh unit-threaded $^
endif
property: $(PROPERTY_BIN) ## property tests
	@test/run-programs.sh property $(PROPERTY_BIN)
# They wait more than they compute; the one that waits for Leases takes longest and comes first.
LEASES_BIN := $(O)/test/integration/test_replicas
integration: $(INTEGRATION_BIN) $(BIN) $(PLUGIN) ## the program and its server parts, from outside
	@SAKKARA=$(BIN) JOBS=$${JOBS:-$$(($$(nproc) + 2))} test/run-programs.sh integration \
		$(LEASES_BIN) $(INTEGRATION_SH) $(filter-out $(LEASES_BIN),$(INTEGRATION_BIN))

# The programs that compare outputs with files of the tree.
GOLDEN_BIN = $(patsubst %.c,$(O)/%,$(shell grep -l 'golden_\(check\|is\)' $(UNIT_SRC) $(INTEGRATION_SRC)))
goldens: $(GOLDEN_BIN) $(BIN) $(PLUGIN) ## writes every kept output of the tests anew; git diff shows what became of them
	@UPDATE=1 SAKKARA=$(BIN) test/run-programs.sh goldens $(GOLDEN_BIN) test/integration/test_views.sh
	@git status --short -- test

# N problems a property; a problem that fails is made smaller and kept among the known ones.
PROVE_BIN := $(filter $(O)/test/property/test_solver%,$(PROPERTY_BIN))
prove: $(PROVE_BIN) ## the solver against its oracles, N=1000000 problems (SEED: of the day)
	@set -e; for p in $^; do \
		N=$${N:-1000000} SEED=$${SEED:-$$(date +%Y%m%d)} KEEP=test/solve/known nice -n 10 $$p; done

# The same program with a malloc() of its own (test/explore_memory.c), which no sanitiser could see through.
EXPLORE_BIN := $(O)/test/property/$(if $(VARIANT),test_engine,explore)
$(O)/test/property/explore: $(O)/test/property/test_engine.o $(O)/test/explore_memory.o $(TEST_MAIN) \
		$(O)/test/property/libhelp.a $(O)/test/unit/libhelp.a $(LIBS)
	$(TEST_LINK) -o $@ $^ $(LDLIBS) -lcmocka
$(O)/test/explore_memory.o: override CFLAGS += -fno-builtin
ifeq ($(VARIANT),)
# So does this one: 14 % of its time. The sanitizers' program has theirs.
$(O)/test/property/test_explanations: $(O)/test/explore_memory.o
endif
explore: $(EXPLORE_BIN) ## the engine under SEEDS=2000 random schedules of faults; one that fails is shortened
	@test/explore.sh $<
planted: ## whether make explore finds bugs that are planted one at a time (test/planted.txt)
	@test/planted.sh
planted-roles: ## whether the property tests of roles find bugs that are planted one at a time (test/planted-roles.txt)
	@test/planted.sh --roles

e2e: $(BIN) ## the program on a real control plane (needs Go)
	@test/e2e/run.sh
fleet-load: $(BIN) ## hubs and Karmada in motion, at full size, on a real control plane (needs Go)
	@SAKKARA_FLEET_CLUSTERS=200 SAKKARA_FLEET_PLACEMENTS=300 SAKKARA_FLEET_MEMBERS=1000 SAKKARA_FLEET_BINDINGS=3000 \
	    SAKKARA_FLEET_ROUNDS=$${ROUNDS:-12} SAKKARA_E2E_PLANES=1 test/e2e/run.sh -run "$${ONLY:-InMotion}"
soak: $(BIN) ## one namespace at war with another one: DURATION=10m, RATE=200 pods a second, GANGS=0 a second or as many as there is time for (needs Go)
	@SAKKARA_E2E_PLANE=$${PLANE:-real} SAKKARA_SOAK_RATE=$${RATE:-200} SAKKARA_SOAK_GANGS=$${GANGS:-0} \
	    SAKKARA_SOAK="$${DURATION:-2m}" test/e2e/tagged.sh soak 120m "^TestBenchSoak\$$"
replicas: $(BIN) ## two daemons, whose leader goes in every way (needs Go)
	@SAKKARA_E2E_PLANE=$${PLANE:-real} test/e2e/tagged.sh replicas 10m ^TestReplicas_
operators: $(BIN) ## the operators of workloads themselves and their samples (needs Go)
	@SAKKARA_E2E_PLANE=real test/e2e/tagged.sh operators 40m ^TestOperators_
upstream: $(BIN) $(DEVICES_BIN) $(VOLUMES_BIN) ## random bindings for karmada-scheduler, Placements for OCM's controller, and both for ours, then both beside ours on one hub: N=500, SEED=1 (needs Go)
	@test/upstream/run.sh karmada -n $${N:-500} -seed $${SEED:-1}
	@test/upstream/run.sh ocm -n $${N:-500} -seed $${SEED:-1}
	@test/upstream/devices/run.sh -n $$((8 * $${N:-500})) -seed $${SEED:-1}
	@test/upstream/volumes/run.sh -n $$((4 * $${N:-500})) -seed $${SEED:-1}
	@test/e2e/run.sh -run TestBeside
upstream-record: $(BIN) $(DEVICES_BIN) $(VOLUMES_BIN) ## the problems of these two that every run of the gate plays, with the answers that both gave (needs Go)
	@test/upstream/run.sh karmada --record
	@test/upstream/run.sh ocm --record
	@test/upstream/devices/run.sh --record
	@test/upstream/volumes/run.sh --record
full: $(BIN) ## groups of a thousand members, and their cost for kube-scheduler (needs Go)
	@SAKKARA_E2E_PLANE=real test/e2e/tagged.sh full 20m ^TestFull_
faults: $(BIN) ## daemon, kube-scheduler, API server and etcd killed and stopped at random: DURATION=5m, GANGS=200, SEED of the day (needs Go)
	@SAKKARA_E2E_PLANE=$${PLANE:-real} SAKKARA_E2E_PLANES=1 SAKKARA_FAULTS=$${DURATION:-5m} SAKKARA_FAULTS_GANGS=$${GANGS:-200} \
	    SAKKARA_FAULTS_SEED=$${SEED:-$$(date +%Y%m%d)} test/e2e/run.sh -run EverybodyDies
e2e-next: $(BIN) ## make e2e on Kubernetes 1.37.1, or ONLY=Entry of it (needs Go)
	@SAKKARA_E2E_VERSION=1.37.1 SAKKARA_E2E_STATES=build/e2e/next test/e2e/run.sh $${ONLY:+-run "$$ONLY"}
e2e-all: $(BIN) ## the same on every supported version
	@ALL=1 test/e2e/run.sh
e2e-sandbox: $(BIN) ## the same scenarios on the sandbox (needs Go, builds no control plane)
	@SAKKARA_E2E_PLANE=sandbox test/e2e/run.sh
e2e-agree: ## whether make e2e and make e2e-sandbox left the same states behind
	@test/e2e/agree.sh
scenarios: ## docs/scenarios.md from the sources of the scenarios
	@test/e2e/scenarios.sh write
e2e-demo: $(BIN) ## the worked example on a real control plane
	@test/e2e/demo.sh

TIMED_BIN := $(filter-out %/bench_counts %/bench_start %/bench_simulate,$(BENCH_BIN))
bench: $(TIMED_BIN) ## every benchmark that needs no cluster
	@set -e; for b in $(TIMED_BIN); do echo "== $$b"; $$b; done
bench-counts: $(filter %/bench_counts,$(BENCH_BIN)) ## the solver's instructions, against those kept
	@CC="$(CC)" FLAGS="$(OPT) $(CFLAGS)" test/bench/counts.sh $<
bench-solver: $(filter $(O)/test/bench/bench_solver%,$(BENCH_BIN)) ## the solver; CHIC_SCHED=DIR: beside the reference
	@set -e; for b in $^; do CHIC_SCHED="$(CHIC_SCHED)" $$b; done
# The kept page changes only when all of it could be made.
SOLVER_BENCH := $(foreach part,solver solver_rules solver_reference placement propagation,$(O)/test/bench/bench_$(part))
benchmarks: $(SOLVER_BENCH) ## docs/benchmarks.md, as bench-solver
	@mkdir -p $(O)/test/bench
	@CC="$(CC)" CHIC_SCHED="$(CHIC_SCHED)" test/bench/benchmarks.sh $^ >$(O)/test/bench/benchmarks.md
	@cp $(O)/test/bench/benchmarks.md docs/benchmarks.md
bench-start: $(O)/test/bench/bench_start $(BIN) ## CPU and memory of the start: NODES=10000 PODS=100000 GROUPS=0 SIZE=10
	@$< $${NODES:-10000} $${PODS:-100000} 500 $${GROUPS:-0} $${SIZE:-10}
bench-simulate: $(O)/test/bench/bench_simulate $(BIN) ## CPU and memory of simulate: NODES=20000 GANGS=250 SIZE=128
	@$< $${NODES:-20000} $${GANGS:-250} $${SIZE:-128}
bench-e2e: $(BIN) ## against the bare kube-scheduler on a real control plane
	@test/e2e/bench.sh

# ---- proving ----

asan: ## unit, property and integration tests under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory -s VARIANT=asan unit property integration
tsan: ## tests of threads under ThreadSanitizer
	@$(MAKE) --no-print-directory -s VARIANT=tsan unit-threaded integration
fuzz: ## libFuzzer on every byte from outside, FUZZ_SECONDS each
	@$(MAKE) --no-print-directory -s VARIANT=fuzz fuzz-run
.PHONY: fuzz-run
fuzz-run: $(FUZZ_BIN)
	@test/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZ_BIN)
fuzz-replay: $(REPLAY_BIN) ## the corpus of the fuzzers, once
	@test/fuzz/replay.sh $(REPLAY_BIN)

lint: lint-cppcheck lint-clang lint-analyzer ## cppcheck, clang's warnings, gcc -fanalyzer
lint-cppcheck:
	@test/cppcheck.sh $(TOPOLOGY_SRC) $(CORE_SRC) server/main.c $(SERVER_SRC)
lint-analyzer:
	@$(MAKE) --no-print-directory -s VARIANT=analyze objects
lint-clang:
	@$(MAKE) --no-print-directory -s VARIANT=clang objects $(patsubst %.c,build/clang/%.o,$(TEST_SRC))

dist: ## a release in build/dist: archives, deb, rpm, apk, chart, SBOMs, sums (needs Go, for nfpm)
	@release/dist.sh
dist-check: ## whether two builds of it are the same bytes, and what is in it
	@test/ship/dist.sh
manifests: ## manifests/*.yaml and manifests/kustomize from the chart (needs Go, for helm)
	@manifests/generate.sh
ui-check: $(BIN) ## the page in Chromium and Firefox (needs node; SAKKARA_UI_LARGE=1: 5,000 nodes)
	@test/ui/run.sh
ui-pictures: $(BIN) ## docs/images from the sandbox (needs node and Chromium)
	@test/ui/run.sh --pictures
ship: $(BIN) ## the chart and what is installed from it, with helm and kubectl (needs Go; PROMTOOL=1: alerts too)
	@test/ship/run.sh

format: ## clang-format on every source
	@test/format.sh fix $(ALL_C) $(ALL_H)
format-check: ## whether that would change anything
	@test/format.sh check $(ALL_C) $(ALL_H)
check-layers: ## server -> core -> topology, the pure core, no circles of files
	@test/check-layers.sh
	@test/check-circles.sh

help: ## this list
	@grep -hE '^[a-z0-9-]+:.* ## ' $(firstword $(MAKEFILE_LIST)) | sort | \
		sed -E 's/^([a-z0-9-]+):.* ## (.*)/  \1\t\2/' | expand -t 18

-include $(patsubst %.c,$(O)/%.d,$(ALL_C))
