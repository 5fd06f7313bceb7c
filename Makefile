# orrery: make [all], make check, asan, fuzz, agree-astra, agree-net, bench, golden-update, lint
CC       ?= gcc
MODE     ?= release
B        := build/$(MODE)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
OPT_release := -O2 -g
OPT_asan    := -O1 -g -fsanitize=address,undefined,float-cast-overflow \
               -fno-sanitize-recover=undefined,float-cast-overflow -fno-omit-frame-pointer
CFLAGS   += -std=c17 $(WARN) $(OPT_$(MODE))
CPPFLAGS += -Isrc -I. -I$(B)/gen -D_POSIX_C_SOURCE=200809L
LDLIBS   += -lprotobuf-c -lmicrohttpd -lev -lhwloc -lsqlite3 -lyaml -ljansson -lexpat -lz -lm

LIB_SRC  := $(filter-out src/main.c,$(wildcard src/*/*.c net/*.c net/*/*.c compute/*.c \
            compute/*/*.c workloads/*.c workloads/*/*.c))
PROTO    := $(wildcard workloads/chakra/*.proto src/report/*.proto)
EMBEDDED := preset device model framework library system page
GEN_C    := $(patsubst %.proto,$(B)/gen/%.pb-c.c,$(PROTO)) $(EMBEDDED:%=$(B)/gen/%_files.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o) $(GEN_C:%.c=%.o)
LIB      := $(B)/liborrery.a

.PHONY: all clean
all: $(B)/orrery
ifeq ($(B),build/release)
	@ln -sf $(B)/orrery orrery
endif

$(B)/orrery: $(B)/src/main.o $(LIB_OBJ) | $(LIB)
	$(CC) $(CFLAGS) $(HOT_$(MODE)) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/%: LDFLAGS += -fno-lto

$(LIB): $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

# The rooms of the event loop are optimised together when the program is linked. Their objects carry
# plain code too, which is what tests link (quicker to build).
HOT_release := -O3 -flto=auto -ffat-lto-objects
$(B)/src/sim/%.o $(B)/src/sched/%.o $(B)/net/model/%.o: CFLAGS += $(HOT_$(MODE))

# Generated protobuf-c code comes first: readers include it.
$(LIB_OBJ): | $(GEN_C)

$(B)/gen/%.pb-c.c: %.proto
	@mkdir -p $(B)/gen
	protoc-c --c_out=$(B)/gen $<

# Presets are part of the program: TABLE_files.c holds the files of a folder of configs/.
embed = @mkdir -p $(@D) && scripts/embed $(1) $(2) $(filter configs/%,$^) >$@
$(B)/gen/preset_files.c: scripts/embed $(sort $(wildcard configs/clusters/*.yaml))
	$(call embed,net/topology/preset_files.h,preset_files)
$(B)/gen/device_files.c: scripts/embed $(sort $(wildcard configs/devices/*.yaml))
	$(call embed,compute/device_files.h,device_files)
$(B)/gen/model_files.c: scripts/embed $(sort $(wildcard configs/models/*.yaml))
	$(call embed,workloads/generate/preset_files.h,model_files)
$(B)/gen/framework_files.c: scripts/embed $(sort $(wildcard configs/frameworks/*.yaml))
	$(call embed,workloads/generate/preset_files.h,framework_files)
$(B)/gen/library_files.c: scripts/embed $(sort $(wildcard configs/libraries/*.yaml))
	$(call embed,net/collective/tuner_preset_files.h,library_files)
$(B)/gen/system_files.c: scripts/embed $(sort $(wildcard configs/systems/*.yaml))
	$(call embed,net/collective/tuner_preset_files.h,system_files)

# What HTML pages hold: d3 (Debian's node-d3), our script and style, and their hashes.
D3       := /usr/share/nodejs/d3/dist/d3.min.js
PAGE_JS  := $(addprefix src/page/web/,words.js filter.js table.js chart.js chart_kinds.js \
            explore.js timeline.js blocks.js live.js page.js)
$(B)/gen/page/policy.txt: scripts/page-parts src/page/web/style.css $(PAGE_JS) $(wildcard $(D3))
	@scripts/page-parts $(@D) $(D3) src/page/web/style.css $(PAGE_JS)
$(B)/gen/page_files.c: scripts/embed $(B)/gen/page/policy.txt
	@scripts/embed page/page_files.h page_files $(@D)/page/script.js $(@D)/page/style.css \
	    $(@D)/page/policy.txt >$@

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) -std=c17 -O2 -g -w -I$(B)/gen -Isrc -I. -MMD -MP -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf build orrery

-include tests/tests.mk
-include $(shell find $(B) -name '*.d' 2>/dev/null)
