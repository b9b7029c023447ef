/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_DESIRED_KEYS_H
#define SKR_CORE_GANG_REPORT_DESIRED_KEYS_H
/* The wanted keys of an object's data; group_objects.c writes the difference. {0} is an empty
 * list. */
#include "core/gang/state/gang.h"

/* Annotation sakkara.reservation, of objects that have their keys as data too. */
#define DESIRED_KEY_RESERVATION "reservation"
/* Annotation sakkara.seats, likewise: core/gang/preempt/arranged.h. */
#define DESIRED_KEY_SEATS "seats"
/* Annotation sakkara.pauses, likewise: pauses.h. */
#define DESIRED_KEY_PAUSES "pauses"

struct desired_keys {
    struct skr_label *item; /* value NULL: the key must be absent */
    size_t n, cap;
};

/* key: borrowed, mostly a literal. value: copied; NULL: the key must be absent. */
void skr_desired_keys_add(struct desired_keys *w, const char *key, const char *value);
void skr_desired_keys_fini(struct desired_keys *w); /* empty afterwards */

#endif
