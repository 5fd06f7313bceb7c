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
LDLIBS   += -lprotobuf-c -lev -lhwloc -lyaml -ljansson -lexpat -lz -lm

LIB_SRC  := $(filter-out src/main.c,$(wildcard src/*/*.c net/*.c net/*/*.c compute/*.c \
            compute/*/*.c workloads/*.c workloads/*/*.c))
PROTO    := $(wildcard workloads/chakra/*.proto)
PRESETS  := $(sort $(wildcard configs/clusters/*.yaml))
GEN_C    := $(patsubst %.proto,$(B)/gen/%.pb-c.c,$(PROTO)) $(B)/gen/preset_files.c
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

# The presets of clusters are part of the program.
$(B)/gen/preset_files.c: scripts/embed $(PRESETS)
	@mkdir -p $(@D)
	scripts/embed net/topology/preset_files.h preset_files $(PRESETS) >$@

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) -std=c17 -O2 -g -w -I$(B)/gen -I. -MMD -MP -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf build orrery

-include tests/tests.mk
-include $(shell find $(B) -name '*.d' 2>/dev/null)
