#include "report/rank_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct entry {
    const struct rank_result *figures;
    uint32_t class;
};

static int compare_figures(const struct rank_result *a, const struct rank_result *b)
{
    int order = memcmp(a, b, offsetof(struct rank_result, finished));
    return order ? order : a->finished - b->finished;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_figures(a->figures, b->figures);
    return order ? order : a->class < b->class ? -1 : a->class > b->class;
}

static int compare_groups(const void *left, const void *right)
{
    const struct rank_group *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    need_memory(memory != NULL);
    return memory;
}

/* Numbers of classes' groups, as the figures sort. Returns how many there are. */
static uint32_t number_classes(struct rank_groups *groups)
{
    const struct run_result *result = groups->result;
    struct entry *entry = zeroed(result->class_count, sizeof *entry);
    uint32_t count = 0;
    for (uint32_t c = 0; c < result->class_count; c++)
        entry[c] = (struct entry){&result->class_result[c], c};
    qsort(entry, result->class_count, sizeof *entry, compare_entries);
    for (uint32_t i = 0; i < result->class_count; i++) {
        if (i == 0 || compare_figures(entry[i].figures, entry[i - 1].figures) != 0)
            count++;
        groups->group_of_class[entry[i].class] = count - 1;
    }
    free(entry);
    return count;
}

void rank_groups_init(struct rank_groups *groups, const struct run_result *result)
{
    *groups = (struct rank_groups){.result = result};
    groups->group_of_class = zeroed(result->class_count, sizeof(uint32_t));
    groups->count = number_classes(groups);
    groups->group = zeroed(groups->count, sizeof *groups->group);
    for (uint32_t r = 0; r < result->rank_count; r++) {
        uint32_t class = result->class_of_rank[r];
        struct rank_group *group = &groups->group[groups->group_of_class[class]];
        if (group->count++ == 0) {
            group->first = r;
            group->figures = &result->class_result[class];
        }
    }
    qsort(groups->group, groups->count, sizeof *groups->group, compare_groups);
    uint32_t *number = zeroed(groups->count, sizeof *number); /* as before -> by first rank */
    for (uint32_t g = 0; g < groups->count; g++)
        number[groups->group_of_class[result->class_of_rank[groups->group[g].first]]] = g;
    for (uint32_t c = 0; c < result->class_count; c++)
        groups->group_of_class[c] = number[groups->group_of_class[c]];
    free(number);
}

void rank_groups_release(struct rank_groups *groups)
{
    free(groups->group);
    free(groups->group_of_class);
    *groups = (struct rank_groups){0};
}

const char *rank_groups_text(char *to, const struct rank_groups *groups, uint32_t number)
{
    enum { CUT = RANK_GROUP_TEXT - 28 }; /* room for one more run of ranks */
    const struct run_result *result = groups->result;
    uint32_t seen = 0, count = groups->group[number].count;
    size_t used = 0;
    *to = '\0';
    for (uint32_t r = groups->group[number].first; r < result->rank_count && seen < count; r++) {
        if (groups->group_of_class[result->class_of_rank[r]] != number)
            continue;
        uint32_t last = r;
        while (last + 1 < result->rank_count &&
               groups->group_of_class[result->class_of_rank[last + 1]] == number)
            last++;
        if (used > CUT) {
            snprintf(to + used, RANK_GROUP_TEXT - used, ", ..");
            break;
        }
        const char *form = last > r ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32;
        used +=
            (size_t)snprintf(to + used, RANK_GROUP_TEXT - used, form, used ? ", " : "", r, last);
        seen += last - r + 1;
        r = last;
    }
    return to;
}

uint32_t rank_groups_pick(const struct rank_groups *groups, uint32_t most, uint32_t *to)
{
    uint32_t first = 0, last = 0, count = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        time_ps finish = groups->group[g].figures->finish_ps;
        first = finish < groups->group[first].figures->finish_ps ? g : first;
        last = finish > groups->group[last].figures->finish_ps ? g : last;
    }
    bool is_all = groups->count <= most;
    uint64_t room = most > 3 ? most - 3 : 1; /* beside the last group and the two above */
    for (uint32_t g = 0; g < groups->count; g++) {
        uint64_t step = g * room / groups->count;
        bool is_due = g == 0 || step > (g - 1) * room / groups->count;
        if (is_all || is_due || g == first || g == last || g + 1 == groups->count)
            to[count++] = g;
    }
    return count;
}
