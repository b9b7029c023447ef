/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_STATUS_H
#define SKR_CORE_GANG_REPORT_STATUS_H
/* What users read: status, reason, message, conditions and times of a group, and the keys of its
 * object for them. */
#include "core/gang/report/desired_keys.h"
#include "core/gang/state/groups.h"

/* Computes status, conditions and outputs from the state; Events on change. */
void skr_status_update(struct skr_gang *e, struct group *g);
void skr_status_desired_keys(struct skr_gang *e, const struct group *g, struct desired_keys *w);
const char *skr_status_condition_name(int kind); /* CONDITION_COMPLETE: "Complete" */
/* Appends a condition that is set, as JSON of this type. */
void skr_status_condition_add(const struct condition *c, const char *type, struct skr_strbuf *b);

/* Sets what an earlier process reported, so that it is not repeated; NULL: nothing. */
void skr_status_restore(struct group *g, const char *status, const char *reason);
void skr_status_restore_condition(struct group *g, const char *type, bool status,
                                  const char *reason, const char *message, skr_time since);
/* The lines of key ways; copied, NULL allowed. */
void skr_status_restore_ways(struct group *g, const char *text);
/* A normal Event about the group, which views show too. reason and action are literals. */
void skr_status_event(struct skr_gang *e, struct group *g, const char *reason, const char *action,
                      const char *note);
/* The same as a warning. */
void skr_status_warning(struct skr_gang *e, struct group *g, const char *reason, const char *note);
/* Nothing of a reservation is told any more. */
void skr_status_forget_told(struct group *g);
void skr_status_fini(struct group *g);

#endif
