/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SPOTMIX_SHOP_H
#define SKR_TEST_UNIT_SPOTMIX_SHOP_H
/* The spot mix before a server with Deployment shop/web (4 pods, max 2), its ReplicaSet shop/web-a, and
 * nodes on-0 and spot-0. */
#include "core/spotmix/scheduler.h"
#include "test/unit/frame_rig.h"

struct shop {
    struct skr_spotmix_settings settings;
    struct frame_rig *rig;
    unsigned status;
    enum skr_spotmix_result result;
    unsigned answers;
};

void shop_set_up(struct shop *shop); /* nothing runs yet; shop is all zero */
void shop_tear_down(struct shop *shop);
/* Starts the mix; it answers from then on, and API servers reach it. */
void shop_serve(struct shop *shop);

/* What refers to an object needs its uid, which the server gave it. */
const char *shop_uid_of(const struct shop *shop, const struct skr_resource *resource,
                        const char *key);
void shop_add_replica_set(struct shop *shop, const char *name, int revision);
/* class NULL: no review has seen it. */
void shop_add_pod(struct shop *shop, const char *name, const char *owner, const char *class_,
                  int index, bool ready);
/* Pods p-0 to p-3 of web-a, as the rule wants them. */
void shop_add_four(struct shop *shop);
void shop_set_max(struct shop *shop, const char *max);
/* How many decisions have the text. */
size_t shop_told(const struct shop *shop, const char *text);

#endif
