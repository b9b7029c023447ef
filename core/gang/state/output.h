/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_OUTPUT_H
#define SKR_CORE_GANG_STATE_OUTPUT_H
/* Appends actions in the terms of core/gang: answers, writes, Events, solves. */
#include "core/gang/state/gang.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/writes.h"
#include "topology/base/json_writer.h"

enum { SKR_MESSAGE_MAX = 1024 }; /* bytes of message keys and Event notes */

enum write_purpose {
    WRITE_FOR_MAP,
    WRITE_FOR_PODGROUP,
    WRITE_FOR_CONDITIONS, /* key: of the PodGroup */
    WRITE_FOR_MEMBER,
    WRITE_FOR_MEMBER_READ,
    WRITE_FOR_BINDING,
    WRITE_FOR_BINDING_READ,
    WRITE_FOR_ROLLBACK,
    WRITE_FOR_EVICTION,
    WRITE_FOR_WORD,         /* the eviction of a pod that breaks its word; key: its uid */
    WRITE_FOR_STATUS_MAP,   /* key: of the group */
    WRITE_FOR_PROVISIONING, /* key: of the group */
    WRITE_FOR_CLAIM,        /* key: of the claim */
    WRITE_FOR_ADMISSION,    /* key: of the Workload, or name of the AdmissionCheck */
    WRITE_PURPOSE_COUNT
};

/* Why no answer is possible now; NULL: it is. */
const char *skr_out_not_now(const struct skr_gang *e);
void skr_out_answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                    const char *text);
void skr_out_answer_one(struct skr_gang *e, uint64_t request, size_t index);
/* mask: (n + 7) / 8 bytes, copied */
void skr_out_answer_mask(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                         const char *text, const uint8_t *mask, size_t n);
void skr_out_answer_scores(struct skr_gang *e, uint64_t request, const int8_t *scores, size_t n);
/* Takes request, sets its id and returns it. */
uint64_t skr_out_solve(struct skr_gang *e, struct skr_solve_request *request);
void skr_out_explain(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                     const struct skr_strbuf *json);
void skr_out_decision(struct skr_gang *e, const char *group, const char *pod, const char *what,
                      const char *reason, const char *message, bool is_error);
/* Appends a write about the object of meta; body is copied, NULL: none. order: within the class. */
struct skr_pending_write *skr_out_write(struct skr_gang *e, enum skr_write_kind kind,
                                        enum skr_write_class class, uint64_t order,
                                        const struct skr_meta *meta, const struct skr_strbuf *body,
                                        enum write_purpose purpose, const char *key);
/* "ownerReferences": the object of meta. */
void skr_out_owner(struct skr_json_writer *w, const struct skr_resource *resource,
                   const struct skr_meta *meta);
/* An Event about an object; note is cut at SKR_MESSAGE_MAX. */
/* resource: of the object that it is about. */
void skr_out_event_on(struct skr_gang *e, const struct skr_resource *resource,
                      const struct skr_meta *about, bool warning, const char *reason,
                      const char *action, const char *note);
void skr_out_event(struct skr_gang *e, const char *kind, const struct skr_meta *about, bool warning,
                   const char *reason, const char *action, const char *note);

#endif
