# wheelpack: one Makefile, not recursive.
#   make                 build/release/wheelpack
#   make demo            the main job on real wheels
#   make test            all tests; MODE=debug|release|asan|fault, T=NAME runs one unit test
# OS is the name of the system layer in src/os; CROSS is a compiler prefix.

MODE ?= release
PREFIX ?= /usr/local
OS ?= posix
CROSS ?=
CC := $(CROSS)gcc
AR := $(CROSS)ar
B := build/$(MODE)

PKGS := libcurl libzip openssl libcjson libutf8proc zlib
CPPFLAGS += -Iinclude -Isrc -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE
CFLAGS_COMMON := -std=c11 -g -Wall -Wextra -Wshadow -Wmissing-prototypes -Wvla -Wformat=2 -Wpointer-arith \
	-Wno-missing-field-initializers -fno-common -fstack-protector-strong
CFLAGS_release := -O2 -D_FORTIFY_SOURCE=2
CFLAGS_debug := -O0
CFLAGS_asan := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_fault := -O1 -DWP_FAULT
LDFLAGS_asan := -fsanitize=address,undefined
CFLAGS := $(CFLAGS_COMMON) $(CFLAGS_$(MODE)) $(if $(WERROR),-Werror)
LDLIBS = $(shell pkg-config --libs libcurl libzip libcrypto libcjson libutf8proc zlib) -lpthread -ldl -lm

LIB_SRC := $(filter-out src/os/os_fault.c,$(wildcard src/base/*.c src/os/posix_*.c src/os/os_*.c src/os/par.c src/ext/*.c \
	src/py/*.c src/model/*.c src/bin/*.c src/wheel/*.c src/resolve/*.c src/fetch/*.c src/bundle/*.c \
	src/install/*.c src/doctor/*.c src/probe/*.c))
ifeq ($(MODE),fault)
LIB_SRC += src/os/os_fault.c
endif
CLI_SRC := $(wildcard src/cli/*.c)
DATA := manifests/pytorch.json manifests/windows-baseline.json src/probe/matmul.ptx

LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$B/%.o) $B/embed.o
UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/t_*.c))

.PHONY: scenarios all demo test setup-build setup-test unit valgrind fault fuzz layers ptx-check vectors install clean
all: $B/wheelpack

demo: setup-build
	$(MAKE) all
	sh tools/demo.sh $B/wheelpack

test: setup-test
	$(MAKE) test-built

setup-build:
	@sh tools/setup.sh
setup-test:
	@sh tools/setup.sh test

install: all
	install -D -m 755 $B/wheelpack $(DESTDIR)$(PREFIX)/bin/wheelpack

$B/wheelpack: $(CLI_OBJ) $B/libwheelpack.a
	$(CC) $(CFLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

$B/libwheelpack.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$B/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -include src/base/banned.h -MMD -MP -c -o $@ $<

# In a fault build the real calls get other names and os_fault.c supplies the public ones.
ifeq ($(MODE),fault)
$B/src/os/posix_%.o: CPPFLAGS += -include src/os/os_fault.h
endif

# The manifests travel inside the program.
$B/embed.c: tools/embed.sh $(DATA)
	@mkdir -p $(@D)
	sh tools/embed.sh $(DATA) >$@.tmp
	mv $@.tmp $@
$B/embed.o: $B/embed.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$B/tests/%: tests/unit/%.c $B/libwheelpack.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS_$(MODE)) -MMD -MP -MF $@.d -o $@ $< $B/libwheelpack.a -lcmocka $(LDLIBS)

# A driver library for t_probe, which loads it at run time.
$B/tests/libfakecuda.so: tests/fake/fakecuda.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fPIC -shared -o $@ $<
$B/tests/t_probe: | $B/tests/libfakecuda.so

T ?= *
unit: $(patsubst %,$B/tests/%,$(if $(filter-out *,$T),t_$T,$(UNIT)))
	sh tests/run_unit.sh $^

# Cases of the packaging standards; the file is not in this repository: make vectors VECTORS=packaging.json
VECTORS ?=
export VECTORS
TEST_PROGRAMS += $B/tests/vectors
$B/tests/vectors: $(wildcard tests/vectors/*.c) tests/vectors/vectors.h $B/libwheelpack.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS_$(MODE)) -o $@ $(filter %.c,$^) $B/libwheelpack.a $(LDLIBS)

# Fuzz targets: as tests they replay their corpus; `make fuzz` searches with clang's libFuzzer, SECONDS each.
FUZZ := $(patsubst tests/fuzz/f_%.c,%,$(wildcard tests/fuzz/f_*.c))
SECONDS ?= 60
TEST_PROGRAMS += $(FUZZ:%=$B/tests/fuzz_%)
$B/tests/fuzz_%: tests/fuzz/f_%.c tests/fuzz/fuzz.h $B/libwheelpack.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS_$(MODE)) -o $@ $< $B/libwheelpack.a $(LDLIBS)
build/fuzz/%: tests/fuzz/f_%.c tests/fuzz/fuzz.h $(LIB_SRC)
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -Itests -include src/base/banned.h -DWP_LIBFUZZER -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o $@ $< $(LIB_SRC) $(LDLIBS)
fuzz: $(FUZZ:%=build/fuzz/%)
	for t in $(FUZZ); do mkdir -p build/fuzz/found/$$t && build/fuzz/$$t -max_total_time=$(SECONDS) -max_len=8192 \
		-artifact_prefix=build/fuzz/$$t- build/fuzz/found/$$t tests/fuzz/corpus/$$t || exit 1; done

# What `make test` runs once everything it needs is installed.
.PHONY: test-built
test-built: $B/wheelpack $(UNIT:%=$B/tests/%) $(TEST_PROGRAMS)
	sh tests/run.sh $B $(UNIT:%=$B/tests/%)

valgrind: $(UNIT:%=$B/tests/%) $(TEST_PROGRAMS)
	WRAP="valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite" \
		sh tests/run_unit.sh $(UNIT:%=$B/tests/%)

# Every command, once for each system call that can fail. Only in MODE=fault.
fault: $B/wheelpack
	python3 tests/fault.py $B/wheelpack

vectors: $B/tests/vectors
	$B/tests/vectors $(VECTORS)

# Resolver scenarios of packse, by hand: make scenarios SCENARIOS=scenarios.json
scenarios: $B/tests/scenarios
	$< $(SCENARIOS)

$B/tests/scenarios: tests/scenarios.c $B/libwheelpack.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS_$(MODE)) -MMD -MP -MF $@.d -o $@ $< $B/libwheelpack.a $(LDLIBS)

layers:
	sh tests/layers.sh

ptx-check:
	sh tests/ptx.sh

clean:
	rm -rf build

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(wildcard $B/tests/*.d)
