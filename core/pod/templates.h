/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_TEMPLATES_H
#define SKR_CORE_POD_TEMPLATES_H
/*
 * Pods from trees that share what is equal in them, as the store of the simulated cluster does
 * (server/lab/store/store_share.c): pods of one template have the same containers, tolerations, volumes,
 * at the same address. A pod whose parts are those of one read before shares its shape (share.h) and
 * costs neither the reading nor the memory of it. For pods from text: reader.h.
 *
 * Holds a reference on every part that it compares with, so nothing else has its address; the trees
 * must not change. SKR_POD_TEMPLATES_MAX shapes, then it begins anew.
 *
 * Two readers of the same trees, of one thread, may share one: what the first has read is there for
 * the second, once, and both have one pod. Of SKR_POD_HANDOVER_MAX trees at most, which are held for
 * so long.
 */
#include "core/pod/pod.h"

enum { SKR_POD_TEMPLATES_MAX = 1024, SKR_POD_HANDOVER_MAX = 65536 };

struct skr_pod_template;
struct skr_pod_handover;

/* All zero is empty. */
struct skr_pod_templates {
    struct skr_pod_template *list; /* by parts */
    bool two_readers;
    struct skr_pod_handover *handover; /* [SKR_POD_HANDOVER_MAX], by address; NULL: none yet */
};

void skr_pod_templates_fini(struct skr_pod_templates *templates);
/* What skr_pod_decode() makes of the same tree. */
int skr_pod_templates_decode(struct skr_pod_templates *templates, const json_t *json,
                             struct skr_pod **ret, struct skr_error *error);

#endif
