# tests.mk - suites, other compilers and processors, sanitizers, fuzz targets, coverage, mutants; a part of the
# Makefile.

$(BUILD)/tests/api/%: $(BUILD)/tests/api/%.o $(BUILD)/libtests.a $(BUILD)/libcommon.a $(BUILD)/libengine.a
	$(call say,link)$(LINK) -o $@ $^ $(LIBS) $(TEST_LIBS)

link_suite = $(call say,link)$(LINK) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS)
define suites_in # FOLDER/ ARCHIVE: of the tools, what they use
$(BUILD)/tests/$(1)%: $(BUILD)/tests/$(1)%.o $(BUILD)/libtests.a $(BUILD)/$(2) $(BUILD)/liball.a
	$$(link_suite)
endef
$(foreach folder,engine/ model/,$(eval $(call suites_in,$(folder),libcommon.a)))
$(eval $(call suites_in,model/tokenizer/,libtools.a))
$(eval $(call suites_in,,libtools.a))

ALLOCATORS := malloc calloc realloc aligned_alloc posix_memalign free strdup strndup
$(BUILD)/tests/engine/test_allocation: TEST_LDFLAGS = $(ALLOCATORS:%=-Wl,--wrap=%)
$(BUILD)/tests/engine/test_thread_refused: TEST_LDFLAGS = -Wl,--wrap=pthread_create

# What tests/faults/ runs: a library that lets a program's allocations fail, and a host of engine.h.
FAULTS_RUN := $(BUILD)/tests/faults/preload.so $(BUILD)/tests/faults/calls
$(filter $(BUILD)/tests/faults/%,$(TESTS)): | $(FAULTS_RUN)
$(BUILD)/tests/faults/preload.so: $(BUILD)/tests/faults/preload.o
	$(call say,link)$(CC) $(CFLAGS) -shared -o $@ $^ -ldl
$(BUILD)/tests/faults/calls: $(BUILD)/tests/faults/calls.o $(BUILD)/libengine.a
	$(call say,link)$(LINK) -o $@ $^ $(LIBS)

# ARGS: what a bench takes, its first lines tell.
BENCHES := $(BENCH_SOURCES:%.c=$(BUILD)/%)
bench-kernels: $(BENCHES)
	@for bench in $(BENCHES); do $$bench $(ARGS) || exit; done

# What tests/run.sh and the scripts it runs need to know.
export BUILD PREFIX CC CFLAGS SANITIZE
run_tests = tests/run.sh $(call chosen,$(TEST_SCRIPTS)) $(filter-out %/hand_models,$(TESTS))

# Suites in C of the two lower floors run encode-new alone.
RUNS_PROGRAMS := $(filter-out tests/model/%.c tests/engine/%.c,$(call chosen,$(TEST_MAINS) $(TEST_SCRIPTS) $(wildcard tests/check_*.sh)))
test: $(if $(RUNS_PROGRAMS),all,$(if $(TESTS),$(BUILD)/encode-new)) $(TESTS)
	@$(run_tests) $(call chosen,$(wildcard tests/check_*.sh))

# Other builds than the user's run in CI alone, so they hold what a report of a sanitizer shows: lines, not variables.
LINES := -g1

# The first line of a suite, of a script the second, has tags, which say where it runs (tests/README.md lists them).
suites = TEST_MAINS='$(filter %.c,$(1))' TEST_SCRIPTS='$(filter %.sh,$(1))' run-tests
tagged = $(shell grep -lE '^(/[*]|$(hash)) tags:.* $(1)( |$$)' $(TEST_MAINS) $(TEST_SCRIPTS))
not_tagged = $(filter-out $(call tagged,$(1)),$(2))

# Another compiler is for its warnings, of everything, and for the numbers that its code computes.
test-clang:
	@$(MAKE) --no-print-directory BUILD=build/clang CC='$(CLANG)' CFLAGS='-O3 $(LINES)' all objects
	@$(MAKE) --no-print-directory BUILD=build/clang CC='$(CLANG)' CFLAGS='-O3 $(LINES)' $(call suites,$(call tagged,numbers) tests/check_install.sh)

# Another processor: everything is built by Debian's cross compiler, with Debian's libraries for it. For
# aarch64 suites run in an emulator, the longest ones in part; for i386, which is here for its 32 bits, by env, on x86-64.
CROSS_CC ?= $(CROSS)-gcc
test-aarch64: CROSS := aarch64-linux-gnu
test-aarch64: TAG := aarch64
test-aarch64: export PKG_CONFIG_LIBDIR = /usr/lib/aarch64-linux-gnu/pkgconfig
test-aarch64: export RUNNER ?= qemu-aarch64
test-i386: CROSS := i686-linux-gnu
test-i386: TAG := (numbers|sizes)
test-i386: export PKG_CONFIG_LIBDIR = /usr/lib/i386-linux-gnu/pkgconfig
test-i386: export RUNNER ?= env
test-aarch64 test-i386: test-%:
	@$(MAKE) --no-print-directory BUILD=build/$* CC='$(CROSS_CC)' LD=$(CROSS)-ld OBJCOPY=$(CROSS)-objcopy CFLAGS='-O3 $(LINES)' \
		$(call suites,$(filter %.c,$(call tagged,$(TAG))))

# Sanitizers look for wrong memory and undefined arithmetic, so they run what walks through the code.
asan: export ASAN_OPTIONS ?= detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
asan: export UBSAN_OPTIONS ?= print_stacktrace=1
asan:
	@tests/machine/with_sanitizer.sh '$(CC) -fsanitize=address,undefined' \
		$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='-O1 $(LINES) -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
		$(call suites,$(call not_tagged,no-asan,$(TEST_MAINS)) $(filter %.sh,$(call tagged,asan)))

# OpenBLAS and OpenMP are not instrumented.
# LLVM's OpenMP loads a tool that comes with it, archer, which tells ThreadSanitizer where threads of a region begin
# and meet.
tsan: export TSAN_OPTIONS ?= ignore_noninstrumented_modules=1:suppressions=tests/tsan.supp
tsan:
	@tests/machine/with_sanitizer.sh '$(CLANG) -fsanitize=thread' \
		$(MAKE) --no-print-directory BUILD=build/tsan CC='$(CLANG)' CFLAGS='-O1 $(LINES) -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=thread' $(call suites,$(call tagged,threads))

# Each fuzz_NAME.c of tests/fuzz/ becomes build/fuzz/fuzz_NAME; make test replays a corpus made by the suites there.
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(notdir $(FUZZ_SOURCES)))
FUZZ_SUITES := $(foreach source,$(FUZZ_SOURCES:%.c=$(BUILD)/%),$(dir $(source))test_$(notdir $(source)))
FUZZ_SHARED := $(call objects,$(filter-out tests/fuzz/replay.c,$(filter tests/fuzz/% %/pieces_section.c %/refusals.c %/program_ends.c,$(TEST_SHARED))))
fuzz:
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC='$(CLANG)' CFLAGS='-O1 -g -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' fuzzers

fuzzers: $(FUZZERS)
	@echo 'Built $(BUILD)/. Next: make fuzz-all TIME=60, or $(BUILD)/fuzz_json -max_total_time=60'

TIME ?= 60
.PHONY: fuzz-all
fuzz-all: all $(FUZZ_SUITES) fuzz
	@tests/fuzz/all.sh $(BUILD) $(TIME)

$(foreach source,$(FUZZ_SOURCES:%.c=$(BUILD)/%),$(eval $(BUILD)/$(notdir $(source)): $(source).o))
$(FUZZERS): $(FUZZ_SHARED) $(BUILD)/libtools.a $(BUILD)/liball.a
	$(call say,link)$(LINK) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(TOOL_LIBS)

# Which branches are taken by the suites and by the programs that they run. All suites begin the counts anew; those of
# ONLY add to them, but for what was compiled anew. $(COUNTED)/all_suites is there once all of them have run.
COUNTED := build/coverage
counted = $(MAKE) --no-print-directory BUILD=$(COUNTED) CFLAGS='-O2 -g' LDFLAGS='$(LDFLAGS) --coverage' \
	COVERAGE='--coverage -fprofile-update=prefer-atomic'
COVERAGE_TESTS = $(TEST_MAINS) $(TEST_SCRIPTS)
coverage: export KILLS ?= 1
coverage: export KILL_LINES ?= 400
coverage:
	@+$(counted) all tests
	@$(if $(ONLY),,rm -f $(COUNTED)/all_suites)
	@find $(COUNTED) -name '*.gcda' -exec sh -c \
		'for file; do [ -n "$(ONLY)" ] && [ "$$file" -nt "$${file%da}no" ] || rm "$$file"; done' - {} +
	-@+$(counted) $(call suites,$(if $(ONLY),$(COVERAGE_TESTS),$(call not_tagged,no-coverage,$(COVERAGE_TESTS))))
	@$(if $(ONLY),,touch $(COUNTED)/all_suites)
	@tests/coverage/coverage.py $(COUNTED)

.PHONY: run-tests
run-tests: $(PROGRAMS) $(SAMPLE) $(TESTS)
	@$(run_tests)

# What no test notices: one operator, constant or returned value of the files is changed at a time, and the quick
# suites run. MUTANTS: options of mutate.py, such as --sample 50.
FILES ?= $(MODEL_SOURCES) $(ENGINE_SOURCES)
MUTANTS ?=
mutants: tests
	@python3 -B tests/mutate/mutate.py $(MUTANTS) $(FILES)

size:
	@tests/check_size.sh
