/* A study from memory: refused with a message, or points that are in order, hold the filter and
 * have identities. */
#include <stdint.h>
#include <string.h>

#include "sweep/identity.h"
#include "sweep/points.h"
#include "sweep/study.h"

enum { MOST_GRID = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status any_key(const void *context, const char *key, struct diag *diag)
{
    (void)context;
    (void)key;
    (void)diag;
    return STATUS_OK;
}

static uint64_t grid_of(const struct study *study)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < study->group_count && count <= MOST_GRID; i++)
        count *= study->group[i].length;
    return count;
}

static void check_points(const struct study *study, const struct points *points)
{
    promise(points->count >= 1 && points->count <= points->grid);
    promise(!study->sample_count || points->count <= study->sample_count);
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t value[STUDY_AXES];
        points_values(study, points->place[i], value);
        promise(i == 0 || points->place[i - 1] < points->place[i]);
        for (uint32_t k = 0; k < study->axis_count; k++)
            promise(value[k] < study->axis[k].count);
    }
    struct identity first = identity_of_request(study, points->place[0], "p");
    promise(identity_equal(first, identity_of_request(study, points->place[0], "p")));
    promise(!identity_equal(first, identity_of_request(study, points->place[0], "q")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct study_keys keys = {any_key, NULL};
    struct study study;
    struct points points;
    struct diag diag = DIAG_NONE;
    enum status status = study_parse(&study, "s.yaml", (const char *)data, size, &keys, &diag);
    promise(status == diag.status && (status == STATUS_OK || diag.message[0] != '\0'));
    if (status == STATUS_OK && grid_of(&study) <= MOST_GRID) {
        status = points_find(&points, &study, &study.arena, &diag);
        promise(status == diag.status && (status == STATUS_OK || diag.message[0] != '\0'));
        if (status == STATUS_OK)
            check_points(&study, &points);
    }
    study_release(&study);
    return 0;
}
