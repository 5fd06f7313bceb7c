#include "base/machine.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine_parts.h"

enum { MOST_XML_BYTES = 1 << 28 };

static uint32_t count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (uint32_t)count : 0;
}

static void take_census(struct machine *machine, hwloc_topology_t topology)
{
    struct machine_census *census = &machine->census;
    census->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    census->cores = count_of(topology, HWLOC_OBJ_CORE);
    census->threads = count_of(topology, HWLOC_OBJ_PU);
    static const hwloc_obj_type_t cache[3] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L3CACHE};
    for (int level = 0; level < 3; level++) {
        census->cache_count[level] = count_of(topology, cache[level]);
        hwloc_obj_t first = hwloc_get_obj_by_type(topology, cache[level], 0);
        if (first)
            census->cache_bytes[level] = first->attr->cache.size;
    }
    census->numa_count = count_of(topology, HWLOC_OBJ_NUMANODE);
    census->numa = arena_array(&machine->arena, census->numa_count, sizeof *census->numa);
    for (uint32_t i = 0; i < census->numa_count; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, i);
        census->numa[i].os_index = node->os_index;
        census->numa[i].bytes = node->attr->numanode.local_memory;
    }
}

static enum status start(hwloc_topology_t *topology, struct diag *diag)
{
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no error */
    if (hwloc_topology_init(topology) != 0)
        return diag_fail(diag, STATUS_NO_MEMORY, "hwloc cannot start");
    return STATUS_OK;
}

enum status machine_read_this(struct machine *machine, struct diag *diag)
{
    hwloc_topology_t topology;
    enum status status = start(&topology, diag);
    if (status != STATUS_OK)
        return status;
    if (hwloc_topology_load(topology) != 0) {
        status = diag_fail(diag, STATUS_IO, "hwloc cannot read this machine's topology");
    } else {
        *machine = (struct machine){0};
        arena_init(&machine->arena);
        take_census(machine, topology);
    }
    hwloc_topology_destroy(topology);
    return status;
}

/* hwloc 3 writes a form that hwloc 2 cannot read; which one a file is stands in its first lines. */
static enum status bad_xml(const char *name, const char *xml, size_t length, struct diag *diag)
{
    static const char newer[] = "<topology version=\"3";
    bool is_newer = false;
    for (size_t i = 0; i + sizeof newer <= length && i < 1000 && !is_newer; i++)
        is_newer = memcmp(xml + i, newer, sizeof newer - 1) == 0;
    diag_in(diag, name);
    if (is_newer) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "written by hwloc 3, which the hwloc 2 of this program cannot read");
        diag_hint(diag, "write it with lstopo of hwloc 2");
        return STATUS_BAD_CONFIG;
    }
    diag_fail(diag, STATUS_BAD_CONFIG, "hwloc cannot read this XML: damaged, or not lstopo's");
    diag_hint(diag, "write it on the node with: lstopo --of xml node.xml");
    return STATUS_BAD_CONFIG;
}

/*
 * hwloc 2.9 follows a null pointer where a document type names no file, so only the line that
 * lstopo writes passes: <!DOCTYPE topology SYSTEM "hwloc2.dtd">. A NUL byte could hide another.
 */
static bool is_safe_xml(const char *text, size_t length)
{
    static const char as_lstopo[] = "<!DOCTYPE topology SYSTEM \"hwloc";
    if (strlen(text) != length)
        return false;
    const char *type = strstr(text, "<!DOCTYPE");
    if (!type)
        return true;
    const char *end = strchr(type, '>');
    return end && strncmp(type, as_lstopo, sizeof as_lstopo - 1) == 0 && end[-1] == '"' &&
           !strstr(end, "<!DOCTYPE");
}

enum status machine_read_xml(struct machine *machine, const char *name, const char *xml,
                             size_t length, struct diag *diag)
{
    if (length == 0 || length > MOST_XML_BYTES)
        return bad_xml(name, xml, length, diag);
    hwloc_topology_t topology;
    enum status status = start(&topology, diag);
    if (status != STATUS_OK)
        return status;
    /* hwloc wants the final NUL to be counted. */
    char *text = malloc(length + 1);
    if (!text) {
        hwloc_topology_destroy(topology);
        return diag_fail(diag, STATUS_NO_MEMORY, "not enough memory to hold the XML");
    }
    memcpy(text, xml, length);
    text[length] = '\0';
    if (!is_safe_xml(text, length) ||
        hwloc_topology_set_xmlbuffer(topology, text, (int)length + 1) != 0 ||
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_load(topology) != 0) {
        status = bad_xml(name, xml, length, diag);
    } else {
        *machine = (struct machine){0};
        arena_init(&machine->arena);
        take_census(machine, topology);
        machine_find_parts(machine, topology);
    }
    hwloc_topology_destroy(topology);
    free(text);
    return status;
}

void machine_release(struct machine *machine)
{
    arena_release(&machine->arena);
}
