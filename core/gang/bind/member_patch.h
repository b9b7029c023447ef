/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_MEMBER_PATCH_H
#define SKR_CORE_GANG_BIND_MEMBER_PATCH_H
/* One patch of a member: what it changes, and what the cache takes over when it is acknowledged. */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

/* Texts are borrowed until it is sent. */
struct member_change {
    struct skr_label label[5]; /* value "": remove */
    size_t n_labels;
    const char *annotation; /* "" remove, NULL untouched */
    bool exact;             /* only if the pod is at the cached version */
    const char *member;     /* annotation SKR_ANNOTATION_MEMBER; NULL untouched */
    const char *nominated;  /* "" clear, NULL untouched */
    bool drop_gate;
    int32_t deadline_s; /* activeDeadlineSeconds; 0 untouched */
    bool is_activation;
};

void skr_member_change_label(struct member_change *c, const char *key, const char *value);

/* Hangs on the pending write, which frees it. Applied to the cached pod after success. */
struct member_sent {
    char *nominated_node;
    bool drop_gate;
    int32_t deadline_s;
    struct skr_label *label;
    size_t n_labels;
    char *annotation, *member;
    bool is_activation;
};

/* Remembers the write in p->work->patch, where none is. A nomination that may not be written now is owed. */
void skr_member_patch_send(struct skr_gang *e, struct pod_entry *p, const struct member_change *c,
                           enum skr_write_class class);

#endif
