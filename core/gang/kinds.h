/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_KINDS_H
#define SKR_CORE_GANG_KINDS_H
/*
 * What the gang scheduler does with the objects that it watches: one row a type. What it watches of a
 * type, and why, is in the row of state/types.c (skr_gang_watch). A new kind of object needs these two
 * rows.
 */
#include "core/frame/event.h"
#include "core/gang/state/gang.h"

struct skr_gang_kind {
    const struct skr_object_type *type;
    /* An object came or changed. Takes it. */
    void (*put)(struct skr_gang *e, const struct skr_object_type *type, void *object);
    /* An object was deleted: ev->deleted. */
    void (*gone)(struct skr_gang *e, const struct skr_event *ev);
    /* The account may not read the type, or may again. NULL: nothing depends on that. */
    void (*forbidden)(struct skr_gang *e, const struct skr_object_type *type, bool is);
    bool of_devices; /* objects are left out while devices are off */
};

/* The row of a type of skr_gang_watch. O(rows), frequent kinds first. */
const struct skr_gang_kind *skr_gang_kind_of(const struct skr_object_type *type);

#endif
