/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_MEMBER_RECORD_H
#define SKR_CORE_GANG_PLAN_MEMBER_RECORD_H
/*
 * Shows a process that starts in the middle of state Binding which members belong to the plan, even
 * if the group's object is gone. Every unbound member carries its own part, or a bound member that
 * carries the plan of all names it.
 *
 * A member gets its part with the patch that activates it (members.c). A member that kube-scheduler
 * tries by itself needs no activation: its Binding carries its labels and its part. Then no member
 * carries anything before the first Binding, and no information is lost until then. So the first
 * Bindings carry the plan of all (SKR_ANNOTATION_GANG_PLAN), and the others wait until one of them
 * is known to have arrived. Any bound subset then has one member that names the rest. In small
 * gangs each Binding carries the plan.
 *
 * Annotations of a Binding reach the pod in every version of Kubernetes, labels from
 * SKR_TRACE_LABELS_FROM on (settings.server_minor).
 */
#include "core/gang/state/plan_entry.h"

enum {
    SKR_TRACE_LABELS_FROM = 35, /* 1.35: PodTopologyLabelsAdmission is on by default */
    SKR_BINDING_PLAN_BYTES_MAX =
        32 * 1024,                /* of the plan of all; members of longer plans are patched */
    SKR_BINDING_PLAN_COPIES = 16, /* first Bindings that carry it, in all but large groups */
};

/* Whether the member's Binding carries its labels and its part of the plan: then it is not
 * patched. */
bool skr_member_record_in_binding(const struct skr_gang *e, const struct pod_entry *p);
/* Whether it carries its part of the plan, or its Binding will. */
bool skr_member_record_is_provided(const struct skr_gang *e, struct pod_entry *p);

enum bind_turn {
    BIND_TURN_POST,      /* the Binding may be posted */
    BIND_TURN_POST_PLAN, /* the Binding with the plan of all */
    BIND_TURN_WAIT,      /* until a Binding with the plan is known to have arrived */
};
/* For the plan's next Binding. O(members). */
enum bind_turn skr_member_record_turn(const struct skr_gang *e, const struct plan *plan);

/* The plans of all, under one id, that bound members of the group carry. */
struct bound_records {
    struct skr_plan_record **item;
    size_t n, cap;
};
struct bound_records *skr_bound_records_read(const struct group *g, const char *id);
void skr_bound_records_free(struct bound_records *records);
SKR_AUTO_DEFINE(struct bound_records, skr_bound_records_free)
bool skr_bound_records_name(const struct bound_records *records, const char *uid);

/* Labels of a Binding did not reach the pod: from now on members are patched first. */
void skr_member_record_labels_were_lost(struct skr_gang *e);

#endif
