#include "cli/schedule_out.h"

#include "cli/output.h"
#include "config/algorithm_name.h"
#include "net/collective/msccl_write.h"
#include "run/schedule_chakra.h"

static enum status write_msccl(const struct lone_schedule *lone, const char *path,
                               struct diag *diag)
{
    struct out_file file;
    enum status status = output_open(&file, path, diag);
    if (status)
        return status;
    status =
        msccl_write(&lone->request, &lone->schedule, lone->program, lone->name, file.stream, diag);
    if (!status)
        return output_commit(&file, diag);
    output_abandon(&file);
    return status;
}

static enum status put_out(const struct lone_schedule *lone, const struct schedule_out *out,
                           struct diag *diag)
{
    enum status status = STATUS_OK;
    if (out->verify)
        status = lone_schedule_print_proof(lone, stdout, diag);
    if (!status && out->msccl)
        status = write_msccl(lone, out->msccl, diag);
    if (!status && out->chakra)
        status = schedule_write_chakra(&lone->request, lone->program, out->chakra, diag);
    return status;
}

enum status schedule_out(const struct lab_request *request, const struct schedule_out *out,
                         struct diag *diag)
{
    bool is_all = !request->algorithm;
    if (is_all && (out->msccl || out->chakra)) {
        diag_fail(diag, STATUS_USAGE, "one algorithm's schedule can be written, not all");
        diag_hint(diag, "name it: --algorithm oneRing, or an MSCCL file");
        return STATUS_USAGE;
    }
    const char *const *name = is_all ? algorithm_names : request->algorithm;
    for (; *name; name++) {
        if (is_all && !lab_is_of_kind(request, *name))
            continue;
        struct lone_schedule lone;
        struct diag own = DIAG_NONE;
        char flat[64];
        snprintf(flat, sizeof flat, "%s:flat", *name); /* one schedule on several dimensions too */
        struct algorithm_choice choice;
        const char *text = is_all && algorithm_parse(flat, &choice) ? flat : *name;
        enum status status = lab_schedule(request, text, &lone, &own);
        if (status == STATUS_BAD_CONFIG && is_all) {
            printf("%s: not here: %s\n", *name, own.message);
            status = STATUS_OK;
        } else if (!status) {
            status = put_out(&lone, out, &own);
        }
        lone_schedule_release(&lone);
        if (status) {
            *diag = own;
            return status;
        }
    }
    return STATUS_OK;
}
