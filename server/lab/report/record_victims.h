/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_RECORD_VICTIMS_H
#define SKR_SERVER_LAB_REPORT_RECORD_VICTIMS_H
/*
 * The victims of a group, for its picture and the table below it: recorded when the plan with their
 * names is first seen, before the first eviction.
 */
#include "server/lab/report/record.h"

/* A group, or a single pod. */
struct skr_record_victim {
    char *name; /* key of the group, of a pod namespace/name@uid */
    bool is_pod;
    size_t pods; /* on nodes */
    size_t nodes;
    char *owner; /* "Job low", of the first pod with a controller; NULL: they are not recreated */
};

/* Adds the groups that the plan evicts to those that the group has preempted. */
void skr_record_victims_note(struct skr_record_group *group, const char *plan);
/* Whether the plan waits for victims; NULL: no plan. */
bool skr_record_victims_named(const char *plan);
/* group has a picture of now. Sets its victims and how many slots of each leaf they free.
 * O(pods). */
void skr_record_victims_take(struct skr_record *record, struct skr_record_group *group,
                             const char *plan);
void skr_record_victims_fini(struct skr_record_group *group);

#endif
