/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_OUTPUT_H
#define SKR_CORE_GANG_OUTPUT_H
/* Actions as the files of this folder emit them: answers, writes (remembered until they are
 * answered), Events, solves. */
#include <uthash.h>

#include "core/gang/gang.h"

enum { SKR_MESSAGE_MAX = 1024 }; /* bytes of message keys and Event notes */

enum write_purpose {
    WRITE_FOR_MAP,
    WRITE_FOR_PODGROUP,
    WRITE_FOR_MEMBER,
    WRITE_FOR_MEMBER_READ,
    WRITE_FOR_BINDING,
    WRITE_FOR_BINDING_READ,
    WRITE_FOR_ROLLBACK,
    WRITE_FOR_EVENT,
    WRITE_PURPOSE_COUNT
};

struct pending_write {
    UT_hash_handle hh; /* by id */
    uint64_t id;
    enum write_purpose purpose;
    char *key; /* uid of the pod, or namespace/name of the object */
    /* member patches: what to overlay on success */
    char *nominated_node;
    bool drop_gate;
    struct skr_label *label;
    size_t n_labels;
    char *annotation;
    bool is_kick;
    bool ungates;
    const char *node; /* Bindings: where to; from names_intern */
};

void out_answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind, const char *text);
void out_answer_one(struct skr_gang *e, uint64_t request, size_t index);
/* mask: (n + 7) / 8 bytes, copied */
void out_answer_mask(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                     const char *text, const uint8_t *mask, size_t n);
void out_answer_scores(struct skr_gang *e, uint64_t request, const int8_t *scores, size_t n);
/* Handed over; gets its id, which is returned. */
uint64_t out_solve(struct skr_gang *e, struct skr_solve_request *request);
void out_cancel_solve(struct skr_gang *e, uint64_t solve);
void out_explain(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                 const struct skr_strbuf *json);
void out_hold(struct skr_gang *e, uint64_t request, skr_time deadline);
void out_decision(struct skr_gang *e, const char *group, const char *pod, const char *what,
                  const char *reason, const char *message, bool is_error);
void out_timer(struct skr_gang *e, skr_time at);
/* Hands out a write and remembers it; body is copied. */
struct pending_write *out_write(struct skr_gang *e, enum skr_write_kind kind,
                                enum skr_write_class class, const char *namespace_,
                                const char *name, const struct skr_strbuf *body,
                                enum write_purpose purpose, const char *key);
/* Order of the write that was handed out last. */
void out_order(struct skr_gang *e, uint64_t order);
/* The write that was answered, no longer remembered; there must be one of that id. */
struct pending_write *out_take_write(struct skr_gang *e, uint64_t id);
void out_forget_writes(struct skr_gang *e);
void pending_write_destroy(struct pending_write *w);
/* An Event about an object; note is cut at SKR_MESSAGE_MAX. */
void out_event(struct skr_gang *e, const char *kind, const struct skr_meta *about, bool warning,
               const char *reason, const char *action, const char *note);

#endif
