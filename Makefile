# make help shows the menu. Objects, libraries and programs go to $(BUILD); nothing here cleans.

PREFIX ?= /usr/local
LIBDIR ?= lib
DESTDIR ?=
BUILD ?= build
CFLAGS ?= -O3 -g
PKG_CONFIG ?= pkg-config
OPENMP ?= -fopenmp
OBJCOPY ?= objcopy
CLANG ?= clang
ONLY ?=
LEFT_OUT ?=

VERSION := $(shell sed -n 's/^.define ENGINE_VERSION "\(.*\)"$$/\1/p' engine/engine.h)
SOVERSION := 1

# ---- Flags. CFLAGS is the user's; what the code relies on is added behind it. ----
# Never -ffast-math (it changes the floating-point mode of the host), never -march=native. In 32 bits of x86, floats
# are rounded after each step by SSE2 alone, and files may be longer than 2 GB; that gcc 11 aligns 64-bit atomics
# otherwise than gcc 10 did (a note at each use, -Wpsabi) concerns no structure that a host sees.
MACHINE := $(shell $(CC) -dumpmachine)
BITS32 := $(if $(filter i386-% i486-% i586-% i686-%,$(MACHINE)),-msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -Wno-psabi)

# What makes a defect harder to exploit, as far as the compiler has it, stands before CFLAGS, so that the user has the
# last word. Fortified calls need an optimizer, and hide from sanitizers what they look for.
takes = $(shell $(CC) -Werror $(1) -fsyntax-only -x c /dev/null 2>/dev/null && echo '$(1)')
FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,\
	$(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN := $(if $(SANITIZE),,$(FORTIFY) $(foreach flag,-fstack-protector-strong -fstack-clash-protection -fcf-protection \
	-mbranch-protection=standard,$(call takes,$(flag))))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
COMPILE := $(CC) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -std=c11 -D_GNU_SOURCE -I. $(OPENMP) -fPIC \
	$(BITS32) -fvisibility=hidden -fno-math-errno -fno-trapping-math -ffp-contract=off $(WARNINGS)
LINK := $(CC) -Wl,-z,relro,-z,now,-z,noexecstack $(CFLAGS) $(SANITIZE) $(LDFLAGS) $(OPENMP) -Wl,--as-needed
packages = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)
LIBS := $(call packages,--libs libutf8proc) -lm -ldl
PKG_CFLAGS := $(call packages,--cflags libutf8proc)
TOOL_LIBS := $(call packages,--libs jansson)
HTTP_LIBS := $(call packages,--libs libmicrohttpd)
TEST_LIBS := $(call packages,--libs cmocka jansson openblas)

# Recipes do not quote paths: what make or the shell would read as something else is refused, before a file is made.
hash := \#
comma := ,
odd = $(if $(word 2,x$(1)x),a blank) $(foreach mark,' " ` $$ ; : & | < > ( ) * ? [ ] { } $(hash) % \,$(findstring $(mark),$(1)))
refuse = $(if $(2),$(error $(1)='$($(1))' has $(2): name a folder without it))
$(foreach name,BUILD PREFIX DESTDIR,$(call refuse,$(name),$(strip $(call odd,$($(name))))))
$(if $(BUILD),,$(error BUILD is empty: name a folder))

GOALS := $(filter-out help help-all uninstall,$(or $(MAKECMDGOALS),all))
NEEDED := openblas libutf8proc jansson $(if $(findstring test,$(GOALS))$(findstring bench,$(GOALS))$(findstring san,$(GOALS))$(findstring fuzz-all,$(GOALS)),cmocka)
MISSING := $(strip $(foreach name,$(NEEDED),$(if $(call packages,--modversion $(name)),,$(name))))
$(if $(GOALS),$(if $(MISSING),$(error $(PKG_CONFIG) does not find $(MISSING); sh tools/setup.sh installs what the build needs)))

# ---- What is built from what ----
# libengine: model/ and engine/.
# libcommon: tools/common/, for all programs, and tools/writer/, which makes weight files, with what of the library
#            it needs; not installed.
# Programs:  each *.c of tools/, tools/hosts/ and tools/study/ is a program: encode.c is encode, NAME.c is
#            encode-NAME, and its own files are in NAME/ beside it. They share libengine.so. minimal.c is the sample of
#            the README.
# Plain:     engine/plain/ is a program and the second implementation of the suites; nothing of the library is in it.
# Tests:     tests/**/test_*.c is a suite, linked with every object of the libraries (under tests/api/
#            with libengine.a like a program), and so are tests/**/test_*.sh and, of what is shipped,
#            tests/check_*.sh; the other tests/**/*.c are shared by all suites.
# Benches:   tests/*/bench_*.c, linked like a suite, run by make bench-kernels.

IS_CLANG := $(findstring clang,$(shell $(CC) --version))
# The loops, once per width of vectors, and the products of VNNI, AMX and SDOT: the slowest compile first, so
# that nothing waits for it alone.
ISAS := $(if $(filter x86_64-%,$(MACHINE)),avx512 avx2) $(if $(filter aarch64-%,$(MACHINE)),neon) portable
INT8_ISAS := $(if $(filter x86_64-%,$(MACHINE)),avx512vnni avx512bf16 amx avxvnni) $(if $(filter aarch64-%,$(MACHINE)),neondot neoni8mm)
FLAGS_portable :=
FLAGS_avx2 := -mavx2 -mfma -mf16c
FLAGS_avxvnni := $(FLAGS_avx2) -mavxvnni
FLAGS_avx512 := -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512
FLAGS_avx512vnni := $(FLAGS_avx512) -mavx512vnni
FLAGS_avx512bf16 := $(FLAGS_avx512vnni) -mavx512bf16 -DKERNELS_DOT
FLAGS_amx := $(FLAGS_avx512vnni) -mavx512bf16 -mamx-tile -mamx-int8 -mamx-bf16 -DKERNELS_AMX
# gcc's scheduling before the registers are given out makes it spill the sums of a tile.
FLAGS_neon := -DKERNELS_NEON $(if $(IS_CLANG),,-fno-schedule-insns)
FLAGS_neondot := $(FLAGS_neon) -march=armv8.2-a+dotprod
FLAGS_neoni8mm := $(FLAGS_neondot)+i8mm

KERNEL_SOURCES := model/kernels/kernels.c model/kernels/kernels_int8.c
MODEL_SOURCES := $(filter-out $(KERNEL_SOURCES),$(wildcard model/*.c model/*/*.c model/*/*/*.c))
PLAIN_SOURCES := $(wildcard engine/plain/*.c)
ENGINE_SOURCES := $(filter-out $(PLAIN_SOURCES),$(wildcard engine/*.c engine/*/*.c))
SERVE := $(if $(HTTP_LIBS),,tools/hosts/serve%)
TOOL_MAINS := $(filter-out tools/minimal.c $(SERVE),$(wildcard tools/*.c tools/hosts/*.c tools/study/*.c))
HOST_SOURCES := $(wildcard $(foreach host,sql sqlite postgres musl,tools/hosts/$(host)/*.c) tests/hosts/*.c)
TOOL_SHARED := $(filter-out tools/examples/% tools/study/peers/% tools/study/lesson/% $(SERVE) $(HOST_SOURCES) $(TOOL_MAINS),$(wildcard tools/*/*.c tools/*/*/*.c tools/*/*/*/*.c))
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c tests/fuzz/files/fuzz_*.c)
BENCH_SOURCES := $(wildcard tests/*/bench_*.c tests/*/*/bench_*.c tests/*/*/*/bench_*.c)
FAULT_SOURCES := tests/faults/preload.c tests/faults/calls.c
CLI_SOURCES := tests/cli/hand_models.c
TEST_ALL := $(filter-out $(FUZZ_SOURCES) $(BENCH_SOURCES) $(FAULT_SOURCES) $(CLI_SOURCES) $(HOST_SOURCES),$(wildcard tests/*.c tests/*/*.c tests/*/*/*.c tests/*/*/*/*.c))
TEST_MAINS := $(foreach source,$(TEST_ALL),$(if $(filter test_%,$(notdir $(source))),$(source)))
TEST_SHARED := $(foreach source,$(TEST_ALL),$(if $(filter test_%,$(notdir $(source))),,$(source))) $(filter-out %/plain.c,$(PLAIN_SOURCES))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
KERNELS := $(patsubst %,$(BUILD)/model/kernels/kernels_%.o,$(ISAS) $(INT8_ISAS))
LIBRARY_OBJECTS := $(KERNELS) $(call objects,$(MODEL_SOURCES) $(ENGINE_SOURCES))
WRITER_NEEDS := $(call objects,$(MODEL_SOURCES) engine/file/crc32c.c engine/status.c)
TOOL_OBJECTS := $(call objects,$(TOOL_MAINS) $(TOOL_SHARED))
COMMON_OBJECTS := $(call objects,$(wildcard $(foreach room,common writer,tools/$(room)/*.c tools/$(room)/*/*.c)))
TEST_OBJECTS := $(call objects,$(TEST_ALL))

program = $(1)/$(if $(filter encode,$(notdir $(2))),encode,encode-$(notdir $(2)))
PROGRAMS := $(foreach main,$(TOOL_MAINS:.c=),$(call program,$(BUILD),$(main)))
SAMPLE := $(if $(wildcard tools/minimal.c),$(BUILD)/minimal)
MANUALS := $(patsubst tools/build/%.in,$(BUILD)/%,$(filter-out $(if $(SERVE),tools/build/man/encode-serve%),$(wildcard tools/build/man/*.in))) $(BUILD)/man/engine.3
HEADERS := engine/engine.h $(foreach part,types answers search details,engine/engine_$(part).h)
FETCH := $(BUILD)/encode-fetch
COMPLETIONS := $(foreach shell,% _% %.fish,$(patsubst $(BUILD)/%,$(BUILD)/completion/$(shell),$(PROGRAMS) $(FETCH)))
LIBRARIES := $(BUILD)/libengine.a $(BUILD)/libengine.so
chosen = $(filter-out $(LEFT_OUT),$(if $(ONLY),$(foreach name,$(1),$(if $(findstring $(ONLY),$(name)),$(name))),$(1)))
TEST_SCRIPTS := $(wildcard tests/*/test_*.sh tests/*/*/test_*.sh)
HAND_MODELS := $(if $(filter %/test_cli.sh %/test_encode_numbers.sh,$(call chosen,$(TEST_SCRIPTS))),$(CLI_SOURCES:%.c=$(BUILD)/%))
TESTS := $(patsubst %.c,$(BUILD)/%,$(call chosen,$(TEST_MAINS))) $(HAND_MODELS)

# make V=1 shows the whole commands.
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(@:$(BUILD)/%=%)';)

.PHONY: all help help-all plain programs tests objects test wheel asan tsan coverage mutants test-clang test-aarch64 test-i386 fuzz fuzzers bench \
	bench-kernels bench-peers lesson pictures quality size train install uninstall FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LIBRARIES) $(PROGRAMS) $(FETCH) $(SAMPLE) $(MANUALS) $(COMPLETIONS) $(BUILD)/encode-plain
	@echo 'Built $(BUILD)/$(if $(SERVE), without encode-serve$(comma) which needs libmicrohttpd-dev). Next: $(BUILD)/encode "I ride bike"      (make help: what else there is)'

help:
	@echo 'make               libraries and programs under $(BUILD)/'
	@echo 'make plain         $(BUILD)/encode-plain: the whole encoder in plain loops, to read first (engine/plain/)'
	@echo 'make test          every test; ONLY=name: only the suites with that in their path'
	@echo 'make lesson        your sentences through the model, in a page that computes: $(BUILD)/lesson.html (SENTENCES="a b|c d")'
	@echo 'make bench         how fast it is (BENCH: options of encode-bench)'
	@echo 'make wheel         a package for Python with all that it needs but NumPy, $(BUILD)/libengine-$(VERSION)-...whl'
	@echo 'make sqlite        the extension of SQLite, $(BUILD)/libencode_sqlite.so; make postgres: that of PostgreSQL'
	@echo 'make deb           packages of Debian, $(BUILD)/deb/'
	@echo 'make install       to $$(DESTDIR)$$(PREFIX), now $(DESTDIR)$(PREFIX); make uninstall takes it back'
	@echo 'make help-all      all other targets'
	@echo 'Variables: CC, CFLAGS, LDFLAGS, BUILD, PREFIX, DESTDIR; V=1 shows the commands'

help-all: help
	@echo
	@echo 'make test-clang    builds all with clang under build/clang/, and runs the tests of numbers'
	@echo 'make test-aarch64  builds all for aarch64 under build/aarch64/, and runs the tests of numbers in an emulator'
	@echo 'make test-i386     the same for 32 bits under build/i386/'
	@echo 'make asan          all but the longest under AddressSanitizer and UBSan, build/asan/'
	@echo 'make tsan          the tests of threads under ThreadSanitizer, build/tsan/'
	@echo 'make coverage      which branches of the source the tests take, by room; build/coverage/uncovered.txt'
	@echo 'make fuzz          the fuzz targets of tests/fuzz/ for libFuzzer (clang), build/fuzz/'
	@echo 'make fuzz-all      runs them side by side, TIME=$(TIME) seconds each, and prints what they did'
	@echo 'make mutants       changes of FILES=model/layers/pooling.c that no test notices (MUTANTS: options); without'
	@echo '                   FILES all of model/ and engine/ is changed, which takes long'
	@echo 'make bench-kernels microseconds of the inner loops, for their constants'
	@echo 'make bench-peers   ONNX Runtime and OpenVINO beside us, by pip, with ../shared (PEERS: as --rounds 1)'
	@echo 'make pictures      those of README.md, in tools/study/pictures/'
	@echo 'make release       what a release page has, of the last commit, $(BUILD)/release/; make static: its programs'
	@echo 'make size          lines of C in each room, and the limits'
	@echo 'make quality       how good the default weights are, with ../shared (QUALITY: options of tests/quality/quality.py)'
	@echo 'make train         trains such weights into $$(WORK), now $(WORK); HOURS=$(HOURS)'
	@echo 'make postgres-install; DEB="amd64 arm64": packages of these (tools/setup.sh aarch64, lintian)'

programs: $(PROGRAMS) $(FETCH) $(SAMPLE)
tests: $(PROGRAMS) $(FETCH) $(BUILD)/encode-plain $(TESTS)
objects: $(TEST_OBJECTS)

# ---- Compiling ----
# $(BUILD)/flags and $(BUILD)/prefix change when the command or the prefix does, and only then.

keep = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@

$(BUILD)/flags: FORCE
	$(call keep,$(COMPILE))

$(BUILD)/prefix: FORCE
	$(call keep,$(PREFIX) $(LIBDIR))

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile)$(COMPILE) $(PKG_CFLAGS) $(DEFINES) $(COUNT) -MMD -MP -c $< -o $@

# gcc's AddressSanitizer aligns the frames it moves to the heap to 32 bytes, too little for zmm (gcc bug 110027). An
# access by a pointer that is null, past its object or wrapped is found by ASan, so UBSan's checks of these, which take
# half of the time to compile in unrolled loops, are left out. (Checks by calls compile faster, but run far longer.)
KERNEL_FRAMES := $(if $(findstring address,$(SANITIZE)),$(if $(IS_CLANG),,--param asan-use-after-return=0 \
	-fno-sanitize=null$(comma)object-size$(comma)pointer-overflow))

# All that a fuzzer wants in the code takes clang ten minutes for the unrolled loops alone, which branch on no input:
# there only addresses are checked, by calls.
KERNEL_SANITIZE := -fsanitize=address -mllvm -asan-instrumentation-with-call-threshold=0
KERNEL_COMPILE := $(if $(findstring fuzzer,$(SANITIZE)),$(subst $(SANITIZE),$(KERNEL_SANITIZE),$(COMPILE)),$(COMPILE))

# Where each variable of the unrolled loops is takes a third of gcc's time to write down, and helps nobody.
$(KERNELS): $(BUILD)/model/kernels/kernels_%.o: $(KERNEL_SOURCES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile)$(KERNEL_COMPILE) $(FLAGS_$*) $(KERNEL_FRAMES) $(COUNT) -fno-var-tracking -MMD -MP \
		-c $(word $(if $(filter $*,$(INT8_ISAS)),2,1),$(KERNEL_SOURCES)) -o $@

# make coverage counts branches as they are written. So nothing is optimized but the kernels, which would take too
# long; their functions are not copied into one another, or each copy would count. Suites are not counted.
ifdef COVERAGE
$(call objects,$(MODEL_SOURCES) $(ENGINE_SOURCES)) $(TOOL_OBJECTS): COUNT = -O0 $(COVERAGE)
$(KERNELS): COUNT = $(COVERAGE) -fno-inline -Dalways_inline= -Wno-maybe-uninitialized
$(TEST_OBJECTS) $(call objects,$(FAULT_SOURCES)): COUNT = -DCOVERAGE
endif

# gcc 12 for aarch64 fails inside itself (vect_transform_reduction) at loops of fmax, which suites and programs have.
ifneq ($(filter aarch64-%,$(MACHINE)),)
$(TEST_OBJECTS) $(TOOL_OBJECTS): DEFINES = -fno-tree-vectorize
endif

# A sandbox would keep sanitizers from looking at the program's memory, and counts of branches from being written.
# Blocks that are never freed are leaks to a sanitizer, unless they are in the arena.
ifneq ($(SANITIZE)$(COVERAGE),)
$(call objects,tools/import/sandbox.c): DEFINES += -DWITHOUT_SANDBOX
$(call objects,tools/import.c tools/study/plot.c tools/study/compare.c): DEFINES += -DFOR_LEAK_CHECKER
endif

# What knows where the default weights are installed; another PREFIX makes this alone anew.
PLACED := $(call objects,$(shell grep -ls ENCODE_DATADIR tools/common/*.c engine/*.c engine/*/*.c))
$(PLACED): DEFINES = -DENCODE_DATADIR='"$(PREFIX)/share/encode"'
$(PLACED): $(BUILD)/prefix

%.d: ;
-include $(patsubst %.o,%.d,$(LIBRARY_OBJECTS) $(TOOL_OBJECTS) $(TEST_OBJECTS) \
	$(call objects,$(PLAIN_SOURCES) $(FUZZ_SOURCES) $(BENCH_SOURCES) $(FAULT_SOURCES) $(CLI_SOURCES) $(HOST_SOURCES)) $(BUILD)/tools/minimal.o)

# ---- Libraries ----
# The archive is one object in which every name but engine_* is local: a host that has its own
# layer_norm keeps it, and so do we. Its sections are in no groups, which a linker drops where a host has one of that
# name (gcc's for i386 hold a function).

archive = rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/engine.o: $(LIBRARY_OBJECTS)
	$(call say,link)$(LD) -r --force-group-allocation -o $@ $^
	$(if $(V),,@)$(OBJCOPY) --wildcard --keep-global-symbol='engine_*' $@

$(BUILD)/libengine.a: $(BUILD)/engine.o
	$(call say,archive)$(archive)

# Linked beside its place and put there whole, like the programs: a program that runs while make does has the old one
# or the new one. This is no lock: run one make at a time in a BUILD.
in_place = -o $@.new $(1) && mv $@.new $@

# It stays loaded after dlclose: OpenMP's threads, which wait for the next region, are in libraries that came with it.
$(BUILD)/libengine.so.$(SOVERSION): $(LIBRARY_OBJECTS)
	$(call say,link)$(LINK) -shared -Wl,-z,nodelete -Wl,-soname,libengine.so.$(SOVERSION) -Wl,--no-undefined $(call in_place,$^ $(LIBS))

# With the package for Python, as which Python would take this file where it finds no folder of that name.
$(BUILD)/libengine.so: $(BUILD)/libengine.so.$(SOVERSION)
	@ln -sf $(<F) $@
	@ln -sfnr tools/hosts/python/libengine $(BUILD)/libengine

$(BUILD)/libcommon.a: $(COMMON_OBJECTS) $(WRITER_NEEDS)
	$(call say,archive)$(archive)

$(BUILD)/libtools.a: $(call objects,$(TOOL_SHARED))
	$(call say,archive)$(archive)

$(BUILD)/libtests.a: $(call objects,$(TEST_SHARED))
	$(call say,archive)$(archive)

$(BUILD)/liball.a: $(LIBRARY_OBJECTS)
	$(call say,archive)$(archive)

# ---- Programs ----
# In the build folder they find libengine.so beside them; the same linked to be installed, in
# $(BUILD)/installed/, find it in ../lib (of /usr the loader knows) and have no debugging information. A sanitizer's
# runtime belongs into the program alone, so then they are linked with libengine.a.

ENGINE := $(BUILD)/libengine.$(if $(SANITIZE),a,so)
TO_INSTALL := $(PROGRAMS:$(BUILD)/%=$(BUILD)/installed/%)

parts = $(ENGINE) $(call objects,$(wildcard $(1).c $(1)/*.c $(1)/*/*.c)) $(BUILD)/libcommon.a
$(foreach main,$(TOOL_MAINS:.c=),$(eval $(call program,$(BUILD),$(main)) $(call program,$(BUILD)/installed,$(main)): $(call parts,$(main))))

$(PROGRAMS): FIND_ENGINE := -Wl,-rpath,'$$ORIGIN'
$(TO_INSTALL): FIND_ENGINE := -s $(if $(filter /usr,$(PREFIX)),,-Wl,-rpath,'$$ORIGIN/../$(LIBDIR)')
$(PROGRAMS) $(TO_INSTALL):
	@mkdir -p $(@D)
	$(call say,link)$(LINK) -pie $(FIND_ENGINE) $(call in_place,$(filter-out $(ENGINE),$^) $(ENGINE) $(LIBS) $(TOOL_LIBS) $(HTTP_LIBS))

# Beside themselves programs find the weights of this tree, and the scripts that draw pictures.
$(PROGRAMS) $(SAMPLE): | $(BUILD)/default.weights $(BUILD)/plot
$(BUILD)/default.weights:
	@mkdir -p $(@D) && ln -sfr weights/default.weights $@
$(BUILD)/plot:
	@mkdir -p $(@D) && ln -sfnr tools/study/plot $@

$(BUILD)/tools/minimal.o: DEFINES = -Iengine
$(BUILD)/minimal: $(BUILD)/tools/minimal.o $(BUILD)/libengine.a
	$(call say,link)$(LINK) -pie -o $@ $^ $(LIBS)

# A script, which needs nothing of the library.
$(FETCH): tools/fetch.sh engine/engine.h
	$(call say,copy)sed 's/@VERSION@/$(VERSION)/g' $< > $@.new && chmod 755 $@.new && mv $@.new $@
$(BUILD)/man/encode-fetch.1 $(BUILD)/completion/encode-fetch $(BUILD)/completion/_encode-fetch $(BUILD)/completion/encode-fetch.fish: override RUNNER := sh

plain: $(BUILD)/encode-plain
	@echo 'Built. Next: $(BUILD)/encode-plain "I ride bike"      (read: engine/plain/plain.c)'
$(BUILD)/encode-plain: $(call objects,$(PLAIN_SOURCES)) | $(BUILD)/default.weights
	$(call say,link)$(LINK) -pie $(call in_place,$^ $(LIBS))

$(BUILD)/tools/hosts/serve/answers.o: $(wildcard tools/common/page/* tools/hosts/serve/page.*)

# ---- Databases ----
# Extensions have the library inside and show the database what it asks for alone; they need packages that nothing else
# does (tools/setup.sh hosts). They stay loaded, as the library does.

EXTENSION := -shared -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,--no-undefined

.PHONY: sqlite postgres postgres-install
sqlite: $(BUILD)/libencode_sqlite.so
$(BUILD)/libencode_sqlite.so: $(call objects,$(wildcard tools/hosts/sql/*.c tools/hosts/sqlite/*.c)) $(BUILD)/libengine.a
	$(call say,link)$(LINK) $(EXTENSION) $(call in_place,$^ $(LIBS))

PG_CONFIG ?= pg_config
postgres postgres-install: $(BUILD)/libengine.a
	@mkdir -p $(BUILD)/postgres
	$(if $(V),,@)MAKEFLAGS= $(MAKE) --no-print-directory $(if $(V),,-s) -C $(BUILD)/postgres -f $(CURDIR)/tools/hosts/postgres/Makefile PG_CONFIG='$(PG_CONFIG)' \
		WERROR='$(WERROR)' SANITIZE='$(SANITIZE)' LIBS='$(LIBS)' $(if $(filter %-install,$@),install DESTDIR='$(DESTDIR)',all)

# ---- Pages ----
# Manual pages of commands (section 1) and completion for bash, zsh (_NAME) and fish are made from the tables of options
# that the programs print. Of the pages of section 7, about several options, encode's table gives the version. engine(3)
# is made from the headers.

manual = $(call say,manual)$(RUNNER) $(word 2,$^) --help-table | awk -f tools/build/man/manual.awk - $< > $@
$(BUILD)/man/%.1: tools/build/man/%.1.in $(BUILD)/% tools/build/man/manual.awk
	@mkdir -p $(@D)
	$(manual)

$(BUILD)/man/%.7: tools/build/man/%.7.in $(BUILD)/encode tools/build/man/manual.awk
	@mkdir -p $(@D)
	$(manual)

$(BUILD)/man/engine.3: tools/build/man/headers.awk $(HEADERS)
	@mkdir -p $(@D)
	$(call say,manual)awk -v version=$(VERSION) -f $^ > $@

completion = @mkdir -p $(@D) && $(RUNNER) $< --help-table | awk -v shell=$(1) -f tools/build/man/completion.awk > $@
$(BUILD)/completion/%: $(BUILD)/% tools/build/man/completion.awk
	$(call completion,bash)
$(BUILD)/completion/_%: $(BUILD)/% tools/build/man/completion.awk
	$(call completion,zsh)
$(BUILD)/completion/%.fish: $(BUILD)/% tools/build/man/completion.awk
	$(call completion,fish)

include tests/tests.mk

# ---- Benches ----
# Timing needs the machine for itself: not with make -j of anything else.

SHARED_DIR ?= ../shared
BENCH ?= --type f32,bf16,int8
PEERS ?=

bench: $(BUILD)/encode-bench $(BUILD)/encode-new $(BUILD)/encode
	@$(BUILD)/encode-bench $(BENCH)

bench-peers: $(BUILD)/encode-bench $(BUILD)/encode-import $(BUILD)/encode
	@python3 tools/study/peers/bench_peers.py $(BUILD) $(SHARED_DIR) $(PEERS)

# ---- The lesson ----

LESSON ?=

lesson: export SENTENCES ?=
lesson:
	@tools/study/lesson/needs.sh
	@+$(MAKE) --no-print-directory all
	@tools/study/lesson.sh $(if $(SENTENCES),-s "$$SENTENCES") $(LESSON)

# ---- The pictures of README.md ----

# That of the lesson takes chromium and chromedriver.
pictures: lesson
	tools/build/house.sh > tools/study/pictures/house.svg
	python3 -B tests/tools/lesson/picture.py $(BUILD)/lesson.html '#mix' tools/study/pictures/lesson.png

# ---- The default weights ----
# Debian's Python has Debian's numpy and torch; another one in the path has not.
PYTHON ?= /usr/bin/python3
QUALITY ?=
WORK ?= $(BUILD)/weights
HOURS ?= 24

quality: $(BUILD)/encode
	@$(PYTHON) tests/quality/quality.py --encode $(BUILD)/encode --text $(SHARED_DIR)/text $(QUALITY)

train: $(BUILD)/encode-import $(BUILD)/encode
	@exec env PYTHON="$(PYTHON)" TEXT="$(SHARED_DIR)/text" ENCODE_IMPORT="$<" ENCODE="$(BUILD)/encode" \
		HOURS="$(HOURS)" weights/train/run.sh "$(WORK)"

# ---- The package for Python ----
STRIP ?= strip

wheel:
	@tools/build/needs.sh 'make wheel' python3=python3 patchelf=patchelf
	@+$(MAKE) --no-print-directory $(BUILD)/libengine.so.$(SOVERSION) $(BUILD)/encode $(BUILD)/encode-import
	@CC='$(CC)' STRIP='$(STRIP)' python3 tools/hosts/python/package.py $(BUILD)

# ---- Packages of Debian ----

.PHONY: deb
deb:
	@MAKEFLAGS= tools/build/install/deb.sh $(BUILD) $(DEB)

include tools/build/install/install.mk
include tools/build/release/release.mk
