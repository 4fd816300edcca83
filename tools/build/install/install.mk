# install.mk - make install and make uninstall; a part of the Makefile.

DEST = $(DESTDIR)$(PREFIX)
SCRIPTS := $(wildcard tools/study/plot/*.gp)
FOR_HOSTS := $(BUILD)/installed/engine.pc $(BUILD)/installed/engineConfig.cmake $(BUILD)/installed/engineConfigVersion.cmake
INSTALLED_MANUALS := $(foreach section,1 3 7,$(patsubst $(BUILD)/man/%,share/man/man$(section)/%,$(filter %.$(section),$(MANUALS))))
FOR_ZSH := $(filter $(BUILD)/completion/_%,$(COMPLETIONS))
FOR_FISH := $(filter %.fish,$(COMPLETIONS))
FOR_BASH := $(filter-out $(FOR_ZSH) $(FOR_FISH),$(COMPLETIONS))
INSTALLED = $(PROGRAMS:$(BUILD)/%=bin/%) bin/encode-fetch $(HEADERS:engine/%=include/%) $(addprefix $(LIBDIR)/,libengine.a libengine.so.$(SOVERSION) libengine.so \
	libencode_sqlite.so pkgconfig/engine.pc $(addprefix cmake/engine/,$(notdir $(filter %.cmake,$(FOR_HOSTS))))) \
	$(INSTALLED_MANUALS) $(addprefix share/bash-completion/completions/,$(notdir $(FOR_BASH))) \
	$(addprefix share/zsh/site-functions/,$(notdir $(FOR_ZSH))) $(addprefix share/fish/vendor_completions.d/,$(notdir $(FOR_FISH))) \
	share/encode/default.weights $(SCRIPTS:tools/study/%=share/encode/%)

# Objects of clang call LLVM's OpenMP, which gcc does not link for -fopenmp: named as libengine.so needs it. Those of
# gcc call what either compiler links.
OPENMP = $(if $(IS_CLANG),-l:$(shell objdump -p $(BUILD)/libengine.so | awk '$$1 == "NEEDED" && /omp/ {print $$2}'),-fopenmp)

# From the folder of CMake's files to PREFIX.
TO_PREFIX = $(shell realpath -ms --relative-to=/$(LIBDIR)/cmake/engine /)

$(FOR_HOSTS): $(BUILD)/installed/%: tools/build/install/%.in engine/engine.h $(BUILD)/prefix $(BUILD)/flags $(BUILD)/libengine.so
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@TO_PREFIX@|$(TO_PREFIX)|' -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|' -e 's|@LIBS@|$(LIBS)|' -e 's|@OPENMP@|$(OPENMP)|' $< > $@

# The extension of SQLite, if it is built or is to be.
SQLITE := $(or $(if $(filter sqlite,$(GOALS)),$(BUILD)/libencode_sqlite.so),$(wildcard $(BUILD)/libencode_sqlite.so))

# Nothing is compiled but what knows PREFIX, if that has changed.
install: $(SQLITE) $(LIBRARIES) $(TO_INSTALL) $(FETCH) $(FOR_HOSTS) $(MANUALS) $(COMPLETIONS)
	install -d $(addprefix $(DEST)/,bin include $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/engine share/man/man1 share/man/man3 share/man/man7 \
		share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d share/encode/plot)
	install -m 755 $(TO_INSTALL) $(FETCH) $(DEST)/bin
	install -m 644 $(HEADERS) $(DEST)/include
	install -m 644 $(BUILD)/libengine.a $(DEST)/$(LIBDIR)
	$(STRIP) --strip-debug $(DEST)/$(LIBDIR)/libengine.a
	install -m 755 $(BUILD)/libengine.so.$(SOVERSION) $(DEST)/$(LIBDIR)
	$(STRIP) --strip-unneeded $(DEST)/$(LIBDIR)/libengine.so.$(SOVERSION)
	ln -sf libengine.so.$(SOVERSION) $(DEST)/$(LIBDIR)/libengine.so
	$(if $(SQLITE),install -m 755 $(SQLITE) $(DEST)/$(LIBDIR) && $(STRIP) --strip-unneeded $(DEST)/$(LIBDIR)/$(notdir $(SQLITE)))
	install -m 644 $(filter %.pc,$(FOR_HOSTS)) $(DEST)/$(LIBDIR)/pkgconfig
	install -m 644 $(filter %.cmake,$(FOR_HOSTS)) $(DEST)/$(LIBDIR)/cmake/engine
	install -m 644 $(filter %.1,$(MANUALS)) $(DEST)/share/man/man1
	install -m 644 $(filter %.3,$(MANUALS)) $(DEST)/share/man/man3
	install -m 644 $(filter %.7,$(MANUALS)) $(DEST)/share/man/man7
	install -m 644 $(FOR_BASH) $(DEST)/share/bash-completion/completions
	install -m 644 $(FOR_ZSH) $(DEST)/share/zsh/site-functions
	install -m 644 $(FOR_FISH) $(DEST)/share/fish/vendor_completions.d
	install -m 644 weights/default.weights $(DEST)/share/encode
	install -m 644 $(SCRIPTS) $(DEST)/share/encode/plot
	$(if $(DESTDIR),,-@ldconfig 2>/dev/null || true)

uninstall:
	rm -f $(INSTALLED:%=$(DEST)/%)
	rmdir $(DEST)/share/encode/plot $(DEST)/share/encode $(DEST)/$(LIBDIR)/cmake/engine 2>/dev/null || true
