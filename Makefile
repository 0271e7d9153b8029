# wheelpack: one Makefile, not recursive.
#
#   make                 build/release/wheelpack
#   make demo            the main job on real wheels
#   make test            all tests;  make test-windows: those of the Windows program, under Wine
#   make windows         build/win/wheelpack.exe;  make portable: build/portable/wheelpack;  make tools: both in build/tools
#   make launchers       the small Windows programs that stand for scripts (x86_64-w64-mingw32-gcc)
#   make unit T=record   one unit test;  make valgrind, make fault, make fuzz: see CONTRIBUTING.md
#
# MODE=debug|release|asan|fault, WERROR=1 makes warnings errors, V=1 shows the commands. OS=win32 builds for Windows,
# STATIC=1 the Linux program that travels in bundles; both take their libraries from tools/windeps.sh.

MODE ?= release
PREFIX ?= /usr/local
OS := posix
STATIC :=
Q := $(if $(V),,@)

# ---- the system --------------------------------------------------------------------------------

libraries := curl ssl crypto nghttp2 zip z cjson utf8proc
ifeq ($(OS),win32)
B := build/win$(filter-out -release,-$(MODE))
EXE := .exe
CROSS := x86_64-w64-mingw32-
DEPS := $(shell sh tools/windeps.sh --print-path windows)
CPPFLAGS += -D_WIN32_WINNT=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -DCURL_STATICLIB -DCJSON_HIDE_SYMBOLS \
	-DUTF8PROC_STATIC
LDFLAGS += -static -Wl,--no-insert-timestamp $(if $(filter release,$(MODE)),-s)
late := bcrypt crypt32 normaliz user32 ws2_32
system_libraries := ws2_32 crypt32 bcrypt normaliz iphlpapi userenv psapi advapi32 ole32 shell32 user32 version rstrtmgr winhttp
else ifneq ($(STATIC),)
B := build/portable
DEPS := $(shell sh tools/windeps.sh --print-path linux)
LDFLAGS += -s -static-libgcc -Wl,--no-as-needed,--build-id=none,-z,relro,-z,now
# By their files: they hold nothing any more, but an older system looks for threads and dlopen in them.
system_libraries := m :libpthread.so.0 :libdl.so.2
else
B := build/$(MODE)
LDLIBS = $(shell pkg-config --libs libcurl libzip libssl libcrypto libcjson libutf8proc zlib) -lpthread -ldl -lm
endif
ifdef DEPS
CPPFLAGS += -I$(DEPS)/include
LDLIBS := $(if $(late),-L$B/late) -L$(DEPS)/lib $(libraries:%=-l%) $(system_libraries:%=-l%)
endif
CC := $(CROSS)gcc
AR := $(CROSS)ar

# ---- what is built from what; a new source file is named here ----------------------------------

base := arena ctx deflate deflate_code err json map near str vec zip
os := os_common par
ext := ca_openssl cudrv_dl hash_openssl http_curl http_curl_answer http_curl_setup inflate_zlib json_cjson unicode_utf8proc \
	url_curl zipwrite_libzip
py := core_metadata core_metadata_check direct_url entry_points headers marker marker_eval member_path metadata name pylock \
	pylock_select record requirement scan specifier specifier_empty specifier_repair specifier_span tag target variant \
	version version_key wheel_name
model := bundle compat fields lock pipconf request
bin := elf pe view
wheel := collide except layout match notes open stream texts
resolve := advise align build candidates claims conflict core direct explain facts lacking lock moment notes pool prefetch \
	propagate say solve trace
fetch := ca cache cache_writer catalog check download findlinks get html metadata packed page page_html page_json pages \
	session source transfer
bundle := carry layout pack peek read source tree verify verify_members write_dir write_file
install := activate ask beside check check_added check_files commit compile exe existing files fit install installed interpreter \
	journal lock_join lock_keep levels loose loose_lock loose_needs notes pip plan prefix preview receipt record_out refuse removal \
	removed repair rollback scripts search_windows share stage store store_fill store_index store_keep store_link store_plan store_take switch tree \
	uninstall unpack venv venv_windows wait
doctor := doctor facts graph ldcache libs_elf libs_pe names pc rules rules_driver rules_libs rules_set
probe := check probe report
cli := cmd_bundle cmd_check cmd_doctor cmd_install cmd_lock cmd_matrix cmd_probe cmd_repair cmd_rollback cmd_store cmd_target \
	cmd_uninstall cmd_verify explain_tree help main opts pip_index print progress relock reqfile request sources suggest trial \
	wheel_word
os_posix := posix_facts posix_file posix_proc posix_share posix_sys posix_tree
os_win32 := win32_console win32_disk win32_early win32_facts win32_file win32_lib win32_list win32_path win32_proc win32_share win32_sys win32_tree
os += $(os_$(OS)) $(if $(filter fault,$(MODE)),os_fault)

LIB := $(foreach room,base os ext py model bin wheel resolve fetch bundle install doctor probe,\
	$(addprefix src/$(room)/,$($(room))))
LIB_OBJ := $(LIB:%=$B/%.o)
CLI_OBJ := $(cli:%=$B/src/cli/%.o) $B/src/os/$(OS)_main.o $(if $(STATIC),$B/src/os/posix_old_glibc.o) $B/embed.o
RESOURCE := $(if $(EXE),$B/app.res)
LAUNCHERS := launcher-console.exe launcher-gui.exe
# Without the compiler for them they are empty files, and an install that needs one says so.
LAUNCHER_CC := $(shell command -v x86_64-w64-mingw32-gcc)
LAUNCHER_DIR := build/$(if $(LAUNCHER_CC),launcher,no-launcher)
DATA := manifests/pytorch.json manifests/windows-baseline.json src/probe/matmul.ptx $(LAUNCHERS:%=$(LAUNCHER_DIR)/%)
# Tests of one system. t_beside, t_install, t_loose, t_pip, t_preview, t_share, t_store and t_wait install for Linux, with its modes and links, and
# t_install_windows for Windows, on both systems; t_os_proc has shells, signals and limits, and t_os_win the same of Windows.
unit_not_win32 := t_beside t_install t_loose t_pip t_preview t_share t_store t_wait t_os_proc
unit_not_posix := t_os_win
UNIT := $(patsubst %,$B/tests/%$(EXE),$(filter-out $(unit_not_$(OS)),$(patsubst tests/unit/%.c,%,$(wildcard tests/unit/t_*.c))))
FUZZ := $(patsubst tests/fuzz/f_%.c,%,$(wildcard tests/fuzz/f_*.c))

# ---- flags -------------------------------------------------------------------------------------

CPPFLAGS += -Iinclude -Isrc -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE
WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wvla -Wformat=2 -Wpointer-arith -Wno-missing-field-initializers
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined
CFLAGS_release := -O2 -D_FORTIFY_SOURCE=2
CFLAGS_debug := -O0
CFLAGS_asan := -O1 -fno-omit-frame-pointer $(SAN)
CFLAGS_fault := -O1
CFLAGS_ALL := -std=c11 -g $(WARN) -fno-common -fstack-protector-strong $(CFLAGS_$(MODE)) \
	$(if $(WERROR),-Werror) $(CFLAGS)
BANNED := -include src/base/banned.h
COMPILE = $(CC) $(CPPFLAGS) $(CFLAGS_ALL)
LINK = $(CC) $(CFLAGS_ALL) $(LDFLAGS)

# ---- program -----------------------------------------------------------------------------------

.PHONY: all windows portable tools demo install clean
all: $B/wheelpack$(EXE)

windows:
	@sh tools/windeps.sh windows
	@$(MAKE) --no-print-directory OS=win32 all

# What travels: a wheelpack that runs from there carries both in its bundles.
tools: windows portable
	@mkdir -p build/tools
	cp build/portable/wheelpack build/win/wheelpack.exe build/tools/

portable:
	@sh tools/windeps.sh linux
	@$(MAKE) --no-print-directory STATIC=1 all

demo:
	@sh tools/setup.sh
	@$(MAKE) --no-print-directory all
	@sh tools/demo.sh $B/wheelpack

install: all
	install -D -m 755 $B/wheelpack $(DESTDIR)$(PREFIX)/bin/wheelpack

clean:
	rm -rf build

$B/wheelpack$(EXE): $(CLI_OBJ) $(RESOURCE) $B/libwheelpack.a
	@echo "LINK  $@"
	$Q$(LINK) $(if $(EXE),-municode) -o $@ $^ $(LDLIBS)

$B/libwheelpack.a: $(LIB_OBJ)
	@echo "AR    $@"
	$Qrm -f $@ && $(AR) rcs $@ $^

$B/src/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "CC    $<"
	$Q$(COMPILE) $(BANNED) -MMD -MP -c -o $@ $<

# What Windows reads in the program: manifest and version.
VERSION = $(shell sed -n 's/^.define WP_VERSION "\(.*\)"/\1/p' include/wheelpack/wheelpack.h)
$B/app.res: src/os/app.rc.in src/os/app.manifest include/wheelpack/wheelpack.h
	@mkdir -p $(@D)
	@echo "RES   $<"
	$Qsed 's/@VERSION@/$(VERSION)/; s/@NUMBERS@/$(subst .,$(comma),$(VERSION)),0/' $< >$B/app.rc
	$Q$(CROSS)windres -O coff -I src/os -o $@ $B/app.rc
comma := ,

# System libraries that are loaded when they are first used.
$B/late/lib%.a: tools/latelib.sh
	@mkdir -p $(@D)
	$Qsh tools/latelib.sh $* $@
$B/wheelpack$(EXE) $(UNIT): | $(late:%=$B/late/lib%.a)

# Windows' own headers use the banned names; the Linux build holds these files to them.
ifeq ($(OS),win32)
$B/src/ext/%.o: BANNED :=
endif

# In a fault build the real calls get other names and os_fault.c supplies the public ones.
ifeq ($(MODE),fault)
$B/src/os/$(OS)_%.o: CPPFLAGS += -include src/os/os_fault.h
endif

# ---- launchers: no C runtime, the same bytes from every build ------------------------------------

.PHONY: launchers
launchers: $(LAUNCHERS:%=build/launcher/%)

LAUNCHER_FLAGS := -std=c11 -Os $(WARN) -Werror -ffreestanding -fno-builtin -fno-asynchronous-unwind-tables -fno-ident \
	-D_WIN32_WINNT=0x0A00 -nostdlib -s -Wl,--no-insert-timestamp -Wl,-e,start
build/launcher/launcher-console.exe: KIND := -mconsole
build/launcher/launcher-gui.exe: KIND := -mwindows -DGUI
build/launcher/%.exe: src/launcher/launcher.c build/launcher/resource.o
	@echo "WIN   $@"
	$Qx86_64-w64-mingw32-gcc $(LAUNCHER_FLAGS) $(KIND) -o $@ $^ -lkernel32 -luser32
build/launcher/resource.o: src/launcher/launcher.rc src/launcher/launcher.manifest
	@mkdir -p $(@D)
	$Qx86_64-w64-mingw32-windres $< -O coff -o $@
build/no-launcher/%.exe:
	@mkdir -p $(@D)
	@: >$@

# The manifests and the launchers travel inside the program.
$B/embed.c: tools/embed.sh $(DATA)
	@mkdir -p $(@D)
	$Qsh tools/embed.sh $(DATA) >$@.tmp && mv $@.tmp $@
$B/embed.o: $B/embed.c
	$Q$(COMPILE) -c -o $@ $<

# ---- tests -------------------------------------------------------------------------------------

.PHONY: test test-built unit test-windows test-windows-built windows-exe windows-unit windows-install windows-upgrade windows-driver \
	windows-fault windows-fault-exe portable-check valgrind fault fuzz vectors scenarios layers ptx-check test-real \
	compare-real bench-resolve bench-install test-windows-real bench bench-windows \
	bench-inflate inflate-many
TEST_PROGRAMS := $(FUZZ:%=$B/tests/fuzz_%) $B/tests/vectors $B/tests/scenarios

test:
	@sh tools/setup.sh test
	@$(MAKE) --no-print-directory test-built

test-built: $B/wheelpack $(UNIT) $(TEST_PROGRAMS) $(if $(LAUNCHER_CC),build/launcher/python.exe)
	@sh tests/run.sh $B $(UNIT)

T ?=
unit: $(if $T,$B/tests/t_$T$(EXE),$(UNIT))
	@sh tests/run_unit.sh $^

# The Windows program under Wine: all of its tests, or one part of them.
test-windows: all windows windows-fault-exe portable
	@$(MAKE) --no-print-directory OS=win32 test-windows-built
test-windows-built: $(UNIT) build/launcher/python.exe build/launcher/ctrlc.exe build/launcher/nvcuda.dll
	@sh tests/windows.sh build/release/wheelpack $(UNIT)

windows-exe: windows
	@sh tests/windows_exe.sh

windows-driver: all windows build/launcher/python.exe build/launcher/nvcuda.dll
	@python3 tests/windows_driver.py $B/wheelpack build/win/wheelpack.exe build/launcher/python.exe build/launcher/nvcuda.dll

# A bundle made here, installed by the Windows program under Wine.
windows-install: all build/launcher/python.exe build/launcher/ctrlc.exe windows
	@python3 tests/windows_install.py $B/wheelpack build/win/wheelpack.exe build/launcher/python.exe

# A venv in use is changed by it.
windows-upgrade: build/launcher/python.exe windows
	@python3 tests/windows_upgrade.py build/win/wheelpack.exe build/launcher/python.exe

# What can go wrong on its disk, in its fault build: WHEELPACK_FAULT_STEP=1 tries every call.
windows-fault: all windows-fault-exe build/launcher/python.exe
	@python3 tests/windows_fault.py $B/wheelpack build/win-fault/wheelpack.exe build/launcher/python.exe
windows-fault-exe: windows
	@$(MAKE) --no-print-directory OS=win32 MODE=fault all

windows-unit: build/launcher/python.exe
	@sh tools/windeps.sh windows
	@$(MAKE) --no-print-directory OS=win32 unit T=$T WRAP="sh tests/wine_unit.sh"
	@sh tests/wine.sh --stop

portable-check: all portable
	@sh tests/portable.sh

valgrind: $(UNIT)
	@WRAP="valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite" \
		sh tests/run_unit.sh $(UNIT)

# Every command, once for each system call that can fail. Only in MODE=fault.
fault: $B/wheelpack
	@python3 tests/fault.py $B/wheelpack

# The full-size trip on real wheels, by hand: 2.75 GB.
test-real: $B/wheelpack
	@sh tests/real.sh $B/wheelpack
	@python3 tests/real/compare.py $B/wheelpack

# Locks of real requests beside those of uv: UV=PATH make compare-real
compare-real: $B/wheelpack
	@python3 tests/real/compare.py $B/wheelpack

# The Windows trip on real wheels, under Wine, by hand: 150 MB.
test-windows-real: all windows build/launcher/python.exe build/launcher/nvcuda.dll
	@python3 tests/windows_real.py $B/wheelpack build/win/wheelpack.exe build/launcher/python.exe build/launcher/nvcuda.dll

# What Wine costs: generated wheels, 800 MB.
bench-windows: all windows build/launcher/python.exe
	@python3 tests/windows_bench.py $B/wheelpack build/win/wheelpack.exe build/launcher/python.exe

# The same beside uv and pip: UV=PATH PYTHON=PATH make bench
bench: $B/wheelpack
	@sh tests/bench.sh $B/wheelpack

# Our decoder of deflate beside zlib's, here and under Wine, on a wheel's largest or named member:
# make bench-inflate WHEEL=PATH [MEMBER=NAME]
bench-inflate: $B/tests/bench_inflate
	@sh tools/windeps.sh windows
	@$(MAKE) --no-print-directory OS=win32 build/win/tests/bench_inflate.exe
	$B/tests/bench_inflate "$(WHEEL)" $(MEMBER)
	sh tests/wine.sh build/win/tests/bench_inflate.exe "$(WHEEL)" $(MEMBER)
	@sh tests/wine.sh --stop

# Streams, most of them damaged, through our decoder and zlib's: make inflate-many MODE=asan COUNT=10000000
COUNT ?= 100000
inflate-many: $B/tests/inflate_many$(EXE)
	$< $(COUNT) $(SEED)
$B/tests/bench_inflate$(EXE) $B/tests/inflate_many$(EXE): $B/tests/%$(EXE): tests/%.c tests/fuzz/inflate.h $B/libwheelpack.a
	@mkdir -p $(@D)
	@echo "TEST  $<"
	$Q$(BUILD_TEST) $< $B/libwheelpack.a $(LDFLAGS) $(LDLIBS)

# Installs of real wheels (2.75 GB, or those that WORDS names; WORDS="--files 100000" for one made wheel of tiny files), beside uv
# and pip: UV=PATH PYTHON=PATH make bench-install
bench-install: $B/wheelpack
	python3 tests/real/bench_install.py $< $(WORDS)

# Hard graphs on a served index, beside uv: UV=PATH make bench-resolve
bench-resolve: $B/wheelpack
	@python3 tests/real/bench_resolve.py $B/wheelpack

layers:
	@sh tests/layers.sh

ptx-check:
	@sh tests/ptx.sh

BUILD_TEST = $(COMPILE) -Itests -MMD -MP -MF $@.d -o $@

$B/tests/%$(EXE): tests/unit/%.c $B/libwheelpack.a
	@mkdir -p $(@D)
	@echo "TEST  $<"
	$Q$(BUILD_TEST) $< $B/libwheelpack.a -lcmocka $(LDLIBS) $(LDFLAGS)

# Stand for python.exe, and for somebody who presses Ctrl-C, in the tests of Windows.
build/launcher/python.exe build/launcher/ctrlc.exe: build/launcher/%.exe: tests/fake/%.c
	@mkdir -p $(@D)
	$Qx86_64-w64-mingw32-gcc -std=c11 -O1 $(WARN) -municode -s -o $@ $<

# The same driver as t_probe's, as Windows has it: with a version.
build/launcher/nvcuda.dll: tests/fake/fakecuda.c tests/fake/nvcuda.rc
	@mkdir -p $(@D)
	$Qx86_64-w64-mingw32-windres tests/fake/nvcuda.rc -O coff -o $@.o
	$Qx86_64-w64-mingw32-gcc -std=c11 -O3 $(WARN) -shared -s -o $@ $< $@.o

# A driver library for t_probe, which loads it at run time.
$B/tests/t_probe$(EXE): | $B/tests/libfakecuda.so
$B/tests/libfakecuda.so: tests/fake/fakecuda.c
	@mkdir -p $(@D)
	$Q$(CC) -std=c11 -O2 $(WARN) $(if $(EXE),,-fPIC) -shared -o $@ $<

# Cases of the packaging standards: our own, or those of packaging, which are not here: make vectors VECTORS=packaging.json
VECTORS ?=
export VECTORS
vectors: $B/tests/vectors
	$B/tests/vectors $(or $(VECTORS),tests/vectors/selection.json)
$B/tests/vectors: $(wildcard tests/vectors/*.c) tests/vectors/vectors.h $B/libwheelpack.a
	@mkdir -p $(@D)
	@echo "TEST  $@"
	$Q$(COMPILE) -o $@ $(filter %.c,$^) $B/libwheelpack.a $(LDLIBS)

# Resolver scenarios: ours, and those of packse, whose file is not in this repository: make scenarios SCENARIOS=scenarios.json
SCENARIOS ?=
export SCENARIOS
scenarios: $B/tests/scenarios
	$< tests/vectors/scenarios.json
	$(if $(SCENARIOS),$< $(SCENARIOS))
$B/tests/scenarios: tests/scenarios.c $B/libwheelpack.a
	@mkdir -p $(@D)
	$Q$(BUILD_TEST) $< $B/libwheelpack.a $(LDFLAGS) $(LDLIBS)

# Fuzz targets: as tests they replay their corpus; `make fuzz` searches with clang's libFuzzer, SECONDS each.
SECONDS ?= 60
$B/tests/fuzz_%: tests/fuzz/f_%.c $(wildcard tests/fuzz/*.h) $B/libwheelpack.a
	@mkdir -p $(@D)
	@echo "TEST  $<"
	$Q$(COMPILE) -Itests -o $@ $< $B/libwheelpack.a $(LDLIBS)
FUZZ_CC = clang $(CPPFLAGS) -std=c11 -g -O1 $(SAN)
build/fuzz/src/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "CC    $@"
	$Q$(FUZZ_CC) $(BANNED) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
build/fuzz/libwheelpack.a: $(LIB:%=build/fuzz/%.o)
	$Qrm -f $@ && $(AR) rcs $@ $^
build/fuzz/%: tests/fuzz/f_%.c $(wildcard tests/fuzz/*.h) build/fuzz/libwheelpack.a
	@echo "FUZZ  $@"
	$Q$(FUZZ_CC) -Itests -DWP_LIBFUZZER -fsanitize=fuzzer -o $@ $< build/fuzz/libwheelpack.a $(LDLIBS)
fuzz: $(FUZZ:%=build/fuzz/%)
	for t in $(FUZZ); do mkdir -p build/fuzz/found/$$t && build/fuzz/$$t -max_total_time=$(SECONDS) -max_len=8192 -timeout=10 \
		-artifact_prefix=build/fuzz/$$t- build/fuzz/found/$$t tests/fuzz/corpus/$$t || exit 1; done

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(wildcard $(LIB:%=build/fuzz/%.d)) $(wildcard $B/tests/*.d)
