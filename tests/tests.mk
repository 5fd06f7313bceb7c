# tests: make check, asan, fuzz, agree-*, bench, golden-update, lint. See tests/README.md.

FUZZ_SECONDS ?= 5
OPT_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
                -fno-sanitize-recover=undefined -fno-omit-frame-pointer

CHECK_LIBS = $(shell pkg-config --libs check)

UNIT_BIN   := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
REPLAY_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/tests/replay/%)
FUZZ_BIN   := $(FUZZ_SRC:tests/fuzz/%.c=build/fuzz/tests/fuzz/%)
BENCH_BIN  := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/bench_*.c))
AGREE_OBJ  := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/*.c)) \
              $(B)/tests/tools/trace_spec.o
AGREE_BIN  := $(B)/tests/agree/agree_astra
TOOL_BIN   := $(patsubst %.c,$(B)/%,$(wildcard tests/tools/make_*.c tests/tools/check_*.c))

# Rules of timeline files: of a tool, and of unit tests.
TIMELINE_RULES := $(B)/tests/tools/timeline_rules_json.o $(B)/tests/tools/timeline_rules_native.o
TIMELINE_USERS := $(B)/tests/tools/check_timeline $(B)/tests/unit/test_timeline_json \
                  $(B)/tests/unit/test_timeline_native
$(TIMELINE_USERS): $(TIMELINE_RULES)
$(TIMELINE_USERS): LDLIBS := $(LIB) $(LDLIBS)
$(TIMELINE_RULES) $(B)/tests/unit/test_timeline_native.o: | $(GEN_C)

# Objects of tests are kept: a changed library relinks, it does not recompile them.
.SECONDARY:
.PHONY: lib check check-programs asan fuzz agree-astra agree-net agree-messages agree-published agree-compute agree-training \
        agree-memory bench \
        bench-programs golden-update lint

lib: $(LIB)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(CHECK_LIBS)

$(B)/tests/replay/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(AGREE_BIN): $(AGREE_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Networks against other simulators and measurements: one program of all parts.
NET_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out tests/agree/published/agree_% \
           tests/agree/messages/agree_%,$(wildcard tests/agree/net/*.c tests/agree/fluid/*.c \
           tests/agree/published/*.c tests/agree/messages/*.c tests/agree/forms/*.c \
           tests/agree/part/*.c)))
NET_BIN := $(B)/tests/agree/net/agree_net
$(NET_BIN): $(NET_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-net: all $(NET_BIN)
	@$(NET_BIN) $(AGREE_ARGS)

# Published measurements: a program of its own, and a part of agree-net.
PUBLISHED_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/published/*.c))
PUBLISHED_BIN := $(B)/tests/agree/published/agree_published
$(PUBLISHED_BIN): $(PUBLISHED_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-published: $(PUBLISHED_BIN)
	@$(PUBLISHED_BIN) $(AGREE_ARGS)

# Compute models: measured kernels, and other simulators.
COMPUTE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/compute/*.c tests/agree/part/*.c)) \
               $(B)/tests/agree/published/csv.o
COMPUTE_BIN := $(B)/tests/agree/compute/agree_compute
$(COMPUTE_BIN): $(COMPUTE_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-compute: $(COMPUTE_BIN)
	@$(COMPUTE_BIN) $(AGREE_ARGS)

# Published training runs beside the closed form.
TRAINING_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/training/*.c)) \
                $(B)/tests/agree/published/csv.o
TRAINING_BIN := $(B)/tests/agree/training/agree_training
$(TRAINING_BIN): $(TRAINING_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-training: all $(TRAINING_BIN)
	@$(TRAINING_BIN) $(AGREE_ARGS)

# Memory of published runs.
MEMORY_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/memory/*.c) \
              $(filter-out tests/agree/training/agree_%,$(wildcard tests/agree/training/*.c))) \
              $(B)/tests/agree/published/csv.o
MEMORY_BIN := $(B)/tests/agree/memory/agree_memory
$(MEMORY_BIN): $(MEMORY_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-memory: $(MEMORY_BIN)
	@$(MEMORY_BIN) $(AGREE_ARGS)

# Message by message: a program of its own, and a part of agree-net.
MESSAGES_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/agree/messages/*.c)) \
                $(B)/tests/agree/fluid/peer.o
MESSAGES_BIN := $(B)/tests/agree/messages/agree_messages
$(MESSAGES_BIN): $(MESSAGES_OBJ) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

agree-messages: $(MESSAGES_BIN)
	@$(MESSAGES_BIN) $(AGREE_ARGS)

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/tools/%: $(B)/tests/tools/%.o $(B)/tests/tools/trace_spec.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Preloaded by tests/cli/faults.sh.
FAULTS := $(B)/tests/faults/fail_nth.so
$(FAULTS): tests/faults/fail_nth.c
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARN) -Wno-missing-prototypes -O2 -shared -fPIC -D_DEFAULT_SOURCE -o $@ $<

check-programs: all $(UNIT_BIN) $(REPLAY_BIN) $(AGREE_BIN) $(NET_BIN) $(PUBLISHED_BIN) \
                $(COMPUTE_BIN) $(TRAINING_BIN) $(MEMORY_BIN) $(TOOL_BIN) $(FAULTS)

# Every test there is, in one list; the last line is the total. They run a copy of the program, so
# that a build meanwhile does no harm.
check: check-programs
	@mkdir -p $(B)/checked && cp -f $(B)/orrery $(B)/checked/orrery
	@CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-60} LOGS=$(B)/logs ORRERY=$(B)/checked/orrery TOOLS=$(B)/tests/tools FAULTS=$(FAULTS) tests/run_all \
	    rooms=scripts/check-rooms \
	    "headers=scripts/check-headers $(B)" \
	    $(foreach t,$(UNIT_BIN),$(notdir $t)=$t) \
	    $(foreach t,$(REPLAY_BIN),"replay_$(notdir $t)=$t tests/fuzz/corpus/$(notdir $t)") \
	    $(foreach t,$(wildcard tests/cli/*.sh),"cli_$(basename $(notdir $t))=bash $t") \
	    "golden=tests/golden/run_golden.sh" \
	    $(if $(filter release,$(MODE)),"fuzz=$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=20 FUZZ_RUNS=20000") \
	    "real_traces=tests/agree/real_traces.sh" \
	    "agree_published=$(PUBLISHED_BIN) --brief" \
	    "agree_training=$(TRAINING_BIN) --brief" \
	    "agree_memory=$(MEMORY_BIN) --brief" \
	    "agree_net=$(NET_BIN) --brief --untimed" \
	    "agree_compute=$(COMPUTE_BIN) --brief" \
	    "agree_astra=$(AGREE_BIN) --orrery $(B)/checked/orrery --brief"

asan:
	@ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) --no-print-directory MODE=asan check

# The fuzz programs have their own objects: clang, coverage, sanitizers.
build/fuzz/tests/fuzz/%: build/fuzz/tests/fuzz/%.o build/fuzz/liborrery.a
	clang $(subst fuzzer-no-link,fuzzer,$(OPT_fuzz)) -o $@ $^ $(LDLIBS)

ifeq ($(MODE),fuzz)
fuzz-programs: $(FUZZ_BIN)
endif

fuzz:
	@if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
	    clang -x c -fsanitize=fuzzer - -o /dev/null 2>/dev/null; then \
	    echo "fuzz: 0 passed, 0 failed, $(words $(FUZZ_SRC)) skipped"; \
	    echo "skipped: no clang with libFuzzer (clang, libclang-rt-14-dev)"; \
	else \
	    $(MAKE) --no-print-directory -s MODE=fuzz CC=clang fuzz-programs && \
	    tests/fuzz/run_fuzz.sh build/fuzz/tests/fuzz $(FUZZ_SECONDS) $(FUZZ_RUNS); \
	fi

agree-astra: all $(AGREE_BIN)
	@$(AGREE_BIN) --orrery $(B)/orrery $(AGREE_ARGS)

bench-programs: all $(AGREE_BIN) $(NET_BIN) $(BENCH_BIN) $(TOOL_BIN)

bench: bench-programs
	@BUILD=$(B) tests/bench/bench.sh

golden-update: all $(TOOL_BIN)
	@ORRERY=$(B)/orrery TOOLS=$(B)/tests/tools tests/golden/run_golden.sh --update

lint:
	@shellcheck -x -e SC2016 scripts/quickstart scripts/check scripts/check-rooms scripts/check-headers \
	    scripts/embed scripts/common.sh scripts/fit-gemm tests/run_all $(wildcard tests/*/*.sh) configs/examples/run.sh
	@clang-format --dry-run -Werror $(shell find src net compute workloads tests -name '*.[ch]')
