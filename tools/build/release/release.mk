# release.mk - what a release has, and programs that need no library of the system; a part of the Makefile.

.PHONY: release static
release:
	@MAKEFLAGS= tools/build/release/release.sh $(BUILD) $(RELEASE)

# A static program has libc, OpenMP, utf8proc and jansson inside, and of its own names main alone, as jansson has a
# utf8_encode, too. (-static-pie needs a libgomp.a of position-independent code.) It loads OpenBLAS, which portable
# kernels use, only where the system's libc is the one that it has inside.
STATIC_MAINS := tools/encode tools/import tools/search tools/study/compare
STATIC := $(foreach main,$(STATIC_MAINS),$(call program,$(BUILD)/static,$(main)))
static: $(STATIC)
$(foreach main,$(STATIC_MAINS),$(eval $(call program,$(BUILD)/static,$(main)): $(filter-out $(ENGINE),$(call parts,$(main))) $(BUILD)/libengine.a))
$(STATIC):
	@mkdir -p $(@D)
	$(call say,link)$(LD) -r --force-group-allocation -o $@.o $^
	$(if $(V),,@)$(OBJCOPY) --keep-global-symbol=main $@.o
	$(if $(V),,@){ $(LINK) -static -s $(call in_place,$@.o $(LIBS) $(TOOL_LIBS)); } 2>$@.log || { cat $@.log >&2; exit 1; }
	@rm $@.o $@.log # the linker warns of dlopen
