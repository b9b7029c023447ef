/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_MEMBER_RECORD_H
#define SKR_CORE_GANG_PLAN_MEMBER_RECORD_H
/*
 * What tells a process that starts in the middle of state Binding which members belong to the plan,
 * when the group's object is gone: every member of it that is not bound yet carries its own part, or
 * is named by a member that is bound and carries the plan of all.
 *
 * A member carries its part by the patch that wakes it (members.c). One that kube-scheduler comes to
 * by itself needs no waking: its labels and its part travel in its Binding. Then nobody carries
 * anything before the first Binding, and nothing is lost with that. So the first Bindings carry the
 * plan of all (SKR_ANNOTATION_GANG_PLAN), and the others wait until one of them is known to have
 * arrived: whatever subset is bound at any time, one of it names the rest. Of small gangs each does.
 *
 * Annotations of a Binding reach the pod on every version of Kubernetes, labels from
 * SKR_TRACE_LABELS_FROM on (settings.server_minor).
 */
#include "core/gang/state/plan_entry.h"

enum {
    SKR_TRACE_LABELS_FROM = 35, /* 1.35: PodTopologyLabelsAdmission is on by default */
    SKR_BINDING_PLAN_BYTES_MAX =
        32 * 1024,                /* of the plan of all; members of larger ones are patched */
    SKR_BINDING_PLAN_COPIES = 16, /* first Bindings that carry it, of all groups but large ones */
};

/* The member's labels and its part of the plan travel in its Binding: it is not patched. */
bool skr_member_record_in_binding(const struct skr_gang *e, const struct pod_entry *p);
/* It carries its part of the plan, or that travels. */
bool skr_member_record_is_provided(const struct skr_gang *e, struct pod_entry *p);

enum bind_turn {
    BIND_TURN_POST,      /* the Binding may be posted */
    BIND_TURN_POST_PLAN, /* with the plan of all in it */
    BIND_TURN_WAIT,      /* until one of those is known to have arrived */
};
/* Of the next Binding of the plan. O(members). */
enum bind_turn skr_member_record_turn(const struct skr_gang *e, const struct plan *plan);

/* The plans of all that bound members of the group carry under one id. */
struct bound_records {
    struct skr_plan_record **item;
    size_t n, cap;
};
struct bound_records *skr_bound_records_read(const struct group *g, const char *id);
void skr_bound_records_free(struct bound_records *records);
SKR_AUTO_DEFINE(struct bound_records, skr_bound_records_free)
bool skr_bound_records_name(const struct bound_records *records, const char *uid);

/* Labels of a Binding did not reach the pod: from now on members are patched before. */
void skr_member_record_labels_were_lost(struct skr_gang *e);

#endif
