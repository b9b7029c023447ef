# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. VARIANT=asan|tsan|debug|clang|fuzz builds beside the default one.

CC ?= cc
VARIANT ?=
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -Wformat=2 -Wcast-qual -Wswitch-enum -Werror
PKGS := jansson libcurl libmicrohttpd yaml-0.1
CPPFLAGS += -I. -D_GNU_SOURCE
CFLAGS_BASE := -std=c17 -g $(WARN) -fno-strict-overflow -fstack-protector-strong
OPT := -O2
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lgnutls -lpthread
O := build/obj

ifeq ($(VARIANT),asan)
CFLAGS_BASE += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DSKR_DEBUG
OPT := -O1
else ifeq ($(VARIANT),tsan)
CFLAGS_BASE += -fsanitize=thread -fno-omit-frame-pointer -DSKR_DEBUG
OPT := -O1
else ifeq ($(VARIANT),debug)
CFLAGS_BASE += -DSKR_DEBUG
OPT := -O0
else ifeq ($(VARIANT),clang)
CC := clang
endif
ifneq ($(VARIANT),)
O := build/$(VARIANT)
endif
# The default variant leaves the program where users look for it.
BIN := $(if $(VARIANT),$(O)/sakkara,build/sakkara)

TOPOLOGY_SRC := $(wildcard topology/*.c)
CORE_SRC := $(wildcard core/*.c core/*/*.c)
SERVER_SRC := $(filter-out server/main.c,$(wildcard server/*.c server/*/*.c))
LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(TOPOLOGY_SRC) $(CORE_SRC))
SERVER_OBJ := $(patsubst %.c,$(O)/%.o,$(SERVER_SRC))
UNIT_SRC := $(wildcard test/unit/test_*.c)
UNIT_BIN := $(patsubst %.c,$(O)/%,$(UNIT_SRC))
PROPERTY_SRC := $(wildcard test/property/test_*.c)
PROPERTY_BIN := $(patsubst %.c,$(O)/%,$(PROPERTY_SRC))

.PHONY: all clean unit property
all: $(BIN)

$(BIN): $(O)/server/main.o $(SERVER_OBJ) $(O)/libskr.a
	$(CC) $(CFLAGS_BASE) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/libskr.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_BASE) $(OPT) $(CFLAGS) -MMD -MP -c -o $@ $<

# One program a test file; helpers of the tests are the other .c files of their folder.
TEST_HELPER_OBJ = $(patsubst %.c,$(O)/%.o,$(filter-out test/$(1)/test_%.c,$(wildcard test/$(1)/*.c)))
$(UNIT_BIN): $(O)/test/unit/%: $(O)/test/unit/%.o $(call TEST_HELPER_OBJ,unit) $(SERVER_OBJ) $(O)/libskr.a
	$(CC) $(CFLAGS_BASE) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
$(PROPERTY_BIN): $(O)/test/property/%: $(O)/test/property/%.o $(call TEST_HELPER_OBJ,property) $(O)/libskr.a
	$(CC) $(CFLAGS_BASE) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

unit: $(UNIT_BIN)
	@set -e; for t in $(UNIT_BIN); do $$t; done
property: $(PROPERTY_BIN)
	@set -e; for t in $(PROPERTY_BIN); do $$t; done

clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
