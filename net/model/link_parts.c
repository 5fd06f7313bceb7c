#include "net/model/link_parts.h"

#include "base/memory.h"

void link_parts_init(struct link_parts *parts)
{
    *parts = (struct link_parts){.free_transfer = 0};
    need_memory(grow_init(&parts->transfers, sizeof(struct transfer), (size_t)1 << 28));
}

void link_parts_release(struct link_parts *parts)
{
    for (unsigned class = 0; class < UNIT_CLASSES; class ++)
        if (parts->pool[class].units.base)
            grow_release(&parts->pool[class].units);
    grow_release(&parts->transfers);
}

uint64_t unit_take_new(struct link_parts *parts, unsigned class)
{
    promise(class < UNIT_CLASSES);
    struct grow *units = &parts->pool[class].units;
    if (!units->base)
        need_memory(grow_init(units, (size_t)64 << class, (size_t)1 << (30 - class)));
    return (uint64_t) class << 32 | grow_push(units, 1);
}

uint32_t transfer_take(struct link_parts *parts, uint64_t ticket, uint64_t awaited)
{
    uint32_t index;
    if (parts->free_transfer) {
        index = parts->free_transfer - 1;
        parts->free_transfer = transfer_at(parts, index)->next;
    } else {
        index = (uint32_t)grow_push(&parts->transfers, 1);
    }
    *transfer_at(parts, index) = (struct transfer){.ticket = ticket, .awaited = awaited};
    return index;
}

bool transfer_arrive(struct link_parts *parts, uint64_t *ticket, time_ps *when)
{
    while (is_transfer(*ticket)) {
        uint32_t index = (uint32_t)(*ticket & ENGINE_DATA_MASK);
        struct transfer *transfer = transfer_at(parts, index);
        if (transfer->latest < *when)
            transfer->latest = *when;
        if (--transfer->awaited > 0)
            return false;
        *when = transfer->latest;
        *ticket = transfer->ticket;
        transfer->next = parts->free_transfer;
        parts->free_transfer = index + 1;
    }
    return true;
}
