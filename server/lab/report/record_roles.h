/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_RECORD_ROLES_H
#define SKR_SERVER_LAB_REPORT_RECORD_ROLES_H
/* The roles of a group in a picture: those that the labels of its members name, else one for each
 * request. */
#include "server/lab/report/record.h"

/* One more member of its role on a leaf of the group's tree. */
void skr_record_roles_place(struct skr_record *record, struct skr_record_group *group,
                            const json_t *pod, int32_t leaf);
/* All members have been placed: puts the roles in the order of their ranks, and names those without a
 * name "pod-1", "pod-2". */
void skr_record_roles_name(struct skr_record_group *group);
void skr_record_roles_forget(struct skr_record_group *group);

#endif
