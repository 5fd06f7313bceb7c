#include "base/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/unit/unit.h"

static const char node_file[] = "configs/examples/topologies/node.xml";

static enum status read_text(struct machine *machine, const char *xml, struct diag *diag)
{
    *diag = DIAG_NONE;
    return machine_read_xml(machine, "x.xml", xml, strlen(xml), diag);
}

static void read_node(struct machine *machine)
{
    struct file file;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(file_load(&file, node_file, FILE_NO_LIMIT, &diag), STATUS_OK);
    ck_assert_int_eq(
        machine_read_xml(machine, node_file, (const char *)file.bytes, file.length, &diag),
        STATUS_OK);
    file_release(&file);
}

static uint32_t find(const struct machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->part_count; i++) {
        if (strcmp(machine->part[i].name, name) == 0)
            return i;
    }
    ck_abort_msg("no part %s", name);
    return MACHINE_NONE;
}

/* Two NUMA nodes; each has a PCI switch with two GPUs and a NIC. The display of the service
 * processor below numa0 is no part, nor is the bridge that serves only it. */
START_TEST(node_has_its_parts)
{
    struct machine machine;
    read_node(&machine);
    static const struct {
        const char *name;
        enum machine_kind kind;
        const char *parent, *bus_id;
    } rows[] = {
        {"numa0", MACHINE_MEMORY, NULL, ""},
        {"numa1", MACHINE_MEMORY, NULL, ""},
        {"pcie0", MACHINE_PCI_SWITCH, "numa0", "0000:11:00.0"},
        {"pcie1", MACHINE_PCI_SWITCH, "numa1", "0000:51:00.0"},
        {"gpu0", MACHINE_GPU, "pcie0", "0000:13:00.0"},
        {"gpu1", MACHINE_GPU, "pcie0", "0000:15:00.0"},
        {"gpu2", MACHINE_GPU, "pcie1", "0000:53:00.0"},
        {"gpu3", MACHINE_GPU, "pcie1", "0000:55:00.0"},
        {"mlx5_0", MACHINE_NIC, "pcie0", "0000:18:00.0"},
        {"mlx5_1", MACHINE_NIC, "pcie1", "0000:58:00.0"},
    };
    ck_assert_uint_eq(machine.part_count, sizeof rows / sizeof *rows);
    for (uint32_t i = 0; i < machine.part_count; i++) {
        const struct machine_part *part = &machine.part[i];
        ck_assert_str_eq(part->name, rows[i].name);
        ck_assert_int_eq(part->kind, rows[i].kind);
        ck_assert_str_eq(part->bus_id, rows[i].bus_id);
        if (!rows[i].parent) {
            ck_assert_uint_eq(part->parent, MACHINE_NONE);
            continue;
        }
        ck_assert_uint_eq(part->parent, find(&machine, rows[i].parent));
        /* PCIe 4.0 x16: 16 lanes x 16 GT/s x 128/130 / 8 = 31.508 GB/s; hwloc keeps a float. */
        ck_assert_double_eq_tol(part->link_Bps, 31.507692e9, 1e4);
    }
    ck_assert(machine.part[find(&machine, "mlx5_0")].is_rdma);
    ck_assert_uint_eq(machine.gpus_guessed, 0);
    ck_assert_uint_eq(machine.places_guessed, 0);
    ck_assert_uint_eq(machine.census.packages, 2);
    ck_assert_uint_eq(machine.census.numa_count, 2);
    machine_release(&machine);
}
END_TEST

/* The matrix is full over 4 GPUs: 6 pairs, 100000 MB/s each way. */
START_TEST(node_has_its_nvlinks)
{
    struct machine machine;
    read_node(&machine);
    ck_assert_uint_eq(machine.cable_count, 6);
    for (uint32_t i = 0; i < machine.cable_count; i++) {
        ck_assert_int_eq(machine.part[machine.cable[i].a].kind, MACHINE_GPU);
        ck_assert_double_eq(machine.cable[i].to_b, 100e9);
        ck_assert_double_eq(machine.cable[i].to_a, 100e9);
        ck_assert_str_eq(machine.cable[i].network, "NVLink");
    }
    machine_release(&machine);
}
END_TEST

#define MACHINE_HEAD                                                                               \
    "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"                         \
    "<topology version=\"2.0\">"                                                                   \
    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "              \
    "allowed_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" "     \
    "gp_index=\"1\"><object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\" "                      \
    "complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\" "             \
    "local_memory=\"1000\"/><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "                    \
    "complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"3\"/>"            \
    "<object type=\"Bridge\" gp_index=\"4\" bridge_type=\"0-1\" depth=\"0\" "                      \
    "bridge_pci=\"0000:[00-10]\">"
#define MACHINE_TAIL "</object></object></topology>"
#define DEVICE(gp, bus, class_and_vendor, inside)                                                  \
    "<object type=\"PCIDev\" gp_index=\"" gp "\" pci_busid=\"0000:" bus                            \
    ":00.0\" pci_type=\"" class_and_vendor " [0000:0000] 00\" pci_link_speed=\"4.0\">" inside      \
    "</object>"

/* Without a compute library's devices, class and vendor decide: an NVIDIA 3D controller and a
 * processing accelerator are GPUs, an Intel display and a Matrox one are not. */
START_TEST(gpus_by_class_are_counted_as_guessed)
{
    struct machine machine;
    struct diag diag;
    ck_assert_int_eq(read_text(&machine,
                               MACHINE_HEAD DEVICE("10", "01", "0302 [10de:20b0]", "")
                                   DEVICE("11", "02", "1200 [1d0f:7164]", "")
                                       DEVICE("12", "03", "0300 [8086:3e98]", "")
                                           DEVICE("13", "04", "0300 [102b:0538]", "") MACHINE_TAIL,
                               &diag),
                     STATUS_OK);
    ck_assert_uint_eq(machine.part_count, 3);
    ck_assert_uint_eq(machine.gpus_guessed, 2);
    ck_assert_str_eq(machine.part[1].bus_id, "0000:01:00.0");
    ck_assert_str_eq(machine.part[2].bus_id, "0000:02:00.0");
    ck_assert_double_eq_tol(machine.part[1].link_Bps, 4e9, 1);
    machine_release(&machine);
}
END_TEST

/* A library saw one device: the other one, though of the same class, is then no GPU. */
START_TEST(a_library_is_believed)
{
    struct machine machine;
    struct diag diag;
    ck_assert_int_eq(read_text(&machine,
                               MACHINE_HEAD DEVICE("10", "01", "0302 [10de:20b0]", "")
                                   DEVICE("11", "02", "0302 [10de:20b0]",
                                          "<object type=\"OSDev\" gp_index=\"20\" name=\"cuda0\" "
                                          "osdev_type=\"5\"/>") MACHINE_TAIL,
                               &diag),
                     STATUS_OK);
    ck_assert_uint_eq(machine.part_count, 2);
    ck_assert_str_eq(machine.part[1].bus_id, "0000:02:00.0");
    ck_assert_uint_eq(machine.gpus_guessed, 0);
    machine_release(&machine);
}
END_TEST

static const struct {
    const char *xml, *message;
} bad[] = {
    {"", "hwloc cannot read this XML"},
    {"<?xml version=\"1.0\"?><nonsense/>", "hwloc cannot read this XML"},
    {"<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Mach", "hwloc cannot read"},
    {"<?xml version=\"1.0\"?><topology version=\"3.0\"></topology>", "written by hwloc 3"},
    /* document types without a file: hwloc would follow a null pointer */
    {"<?xml version=\"1.0\"?><!DOCTYPE topology><topology version=\"2.0\"/>",
     "cannot read this XML"},
    {"<!DOCTYPE x [<!ENTITY a \"b\">]><topology version=\"2.0\">&a;</topology>", "cannot read"},
    {"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\" [<!ENTITY a \"b\">]><topology/>", "cannot read"},
};

START_TEST(bad_files_are_told)
{
    struct machine machine;
    struct diag diag;
    ck_assert_int_eq(read_text(&machine, bad[_i].xml, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "%s", diag.message);
    ck_assert_str_eq(diag.file, "x.xml");
    ck_assert(diag.hint[0] != '\0');
}
END_TEST

START_TEST(this_machine_is_counted)
{
    struct machine machine;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(machine_read_this(&machine, &diag), STATUS_OK);
    ck_assert_uint_ge(machine.census.threads, 1);
    ck_assert_uint_ge(machine.census.numa_count, 1);
    machine_release(&machine);
}
END_TEST

/* hwloc's own reader of XML, which is all that there is without the package libhwloc-plugins. */
static void without_plugins(void)
{
    setenv("HWLOC_LIBXML_IMPORT", "0", 1);
}

static void add_xml_tests(Suite *suite, const char *name, void (*set_up)(void))
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, node_has_its_parts);
    tcase_add_test(tcase, node_has_its_nvlinks);
    tcase_add_test(tcase, gpus_by_class_are_counted_as_guessed);
    tcase_add_test(tcase, a_library_is_believed);
    tcase_add_loop_test(tcase, bad_files_are_told, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, this_machine_is_counted);
    suite_add_tcase(suite, tcase);
}

static Suite *machine_suite(void)
{
    Suite *suite = suite_create("machine");
    add_xml_tests(suite, "xml", NULL);
    add_xml_tests(suite, "xml without plugins", without_plugins);
    return suite;
}

RUN_SUITE(machine_suite())
