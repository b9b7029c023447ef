/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_PROVISIONING_H
#define SKR_CORE_GANG_CHANGES_PROVISIONING_H
/*
 * Option provisioningClass: a group that waits for capacity asks cluster-autoscaler for the room of
 * all its pods at once, by a ProvisioningRequest, and keeps its gates.
 *
 *   read a pod of each shape -> make a PodTemplate of it -> make the request -> follow it
 *   Failed, expired, deleted:    all is removed, and asked again after a pause
 *   no answer, or refused:       all is removed, and the gates go as without the option
 *   bound, or no room is needed: all is removed
 *
 * The name of a request follows from its group, so the next process finds it. A request for other
 * pods than those that wait is removed first. It belongs to the object of the group, and is deleted
 * with it. No request is made for pods without a gate, which autoscalers see anyway, nor for pods
 * that consume a request of their own.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_PROVISIONING_SHAPES_MAX = 32, /* pod sets of a request, as in the API */
    SKR_PROVISIONING_AT_ONCE = 100,   /* groups with a request; others wait for their turn */
    SKR_PROVISIONING_LOOK_S = 10,     /* a request is read so often */
    SKR_PROVISIONING_REST_S = 30,    /* a request is removed when no room was missing for so long */
    SKR_PROVISIONING_ANSWER_S = 300, /* without an answer for so long no autoscaler serves it */
    SKR_PROVISIONING_AGAIN_S = 60,   /* after the first failure; doubles up to */
    SKR_PROVISIONING_AGAIN_MAX_S = 1800,
};

/* The group waits for capacity: one step further. Returns whether it keeps its gates. */
bool skr_provisioning_step(struct skr_gang *e, struct group *g);
/* It does not wait for capacity. */
void skr_provisioning_rest(struct skr_gang *e, struct group *g);
void skr_provisioning_done(struct skr_gang *e, const struct skr_pending_write *w,
                           struct skr_event *ev);
/* "ProvisioningRequest NAME ...", appended; false: there is none. */
bool skr_provisioning_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* The group ends: what was made is deleted, without a look at the outcome. */
void skr_provisioning_end(struct skr_gang *e, struct group *g);
/* Another process leads, or this one ends: nothing is written any more. */
void skr_provisioning_forget(struct skr_gang *e, struct group *g);

#endif
