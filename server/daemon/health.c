/* SPDX-License-Identifier: Apache-2.0 */
/* One function a check. */
#include "server/daemon/health.h"

#define WEDGED_TIME (30 * SKR_SECOND) /* at one thing: the process is to be killed */

static bool check_engine(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    skr_time busy = skr_engine_thread_busy(h->engine);
    if (busy >= WEDGED_TIME) {
        skr_error_set(error, SKR_BUG, "the engine has been at one event for %d s",
                      (int)(busy / SKR_SECOND));
        return false;
    }
    return true;
}

static bool check_kube(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    struct skr_kube_stats stats;
    skr_kube_get_stats(h->kube, &stats);
    if (stats.since_beat >= WEDGED_TIME) {
        skr_error_set(error, SKR_BUG, "the client of the API server has stood still for %d s",
                      (int)(stats.since_beat / SKR_SECOND));
        return false;
    }
    return true;
}

static bool check_synced(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    struct skr_gang_stats stats;
    skr_engine_thread_get_stats(h->engine, &stats);
    if (stats.synced) {
        return true;
    }
    struct skr_kube_stats kube;
    struct skr_strbuf waits;
    skr_kube_get_stats(h->kube, &kube);
    skr_strbuf_init(&waits);
    for (int i = 0; i < SKR_KUBE_RESOURCE_COUNT; i++) {
        if (!kube.resource[i].synced) {
            skr_strbuf_addf(&waits, " %s", skr_kube_resource_name((enum skr_kube_resource)i));
        }
    }
    skr_error_set(error, SKR_RETRY, "first lists are not complete:%s",
                  waits.len ? waits.s : " being taken in");
    skr_strbuf_fini(&waits);
    return false;
}

static bool check_fresh(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    struct skr_kube_stats kube;
    skr_kube_get_stats(h->kube, &kube);
    for (int i = 0; i < SKR_KUBE_RESOURCE_COUNT; i++) {
        if (kube.resource[i].stale) {
            skr_error_set(error, SKR_RETRY, "no list or watch of %s succeeded for %d s",
                          skr_kube_resource_name((enum skr_kube_resource)i),
                          (int)(kube.resource[i].age / SKR_SECOND));
            return false;
        }
    }
    return true;
}

static bool check_leader(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    char holder[512];
    if (skr_leader_leads(h->leader)) {
        return true;
    }
    skr_leader_get_holder(h->leader, holder, sizeof holder);
    skr_error_set(error, SKR_RETRY, "standing by, the Lease is held by \"%.160s\"", holder);
    return false;
}

static bool check_running(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    if (atomic_load(&h->stopping)) {
        skr_error_set(error, SKR_GONE, "shutting down");
        return false;
    }
    return true;
}

size_t skr_health_live(struct skr_health *health, struct skr_admin_check *check)
{
    check[0] = (struct skr_admin_check){"engine", check_engine, health};
    check[1] = (struct skr_admin_check){"kube", check_kube, health};
    return 2;
}

size_t skr_health_ready(struct skr_health *health, struct skr_admin_check *check)
{
    check[0] = (struct skr_admin_check){"synced", check_synced, health};
    check[1] = (struct skr_admin_check){"fresh", check_fresh, health};
    check[2] = (struct skr_admin_check){"running", check_running, health};
    check[3] = (struct skr_admin_check){"leader", check_leader, health};
    return health->leader ? 4 : 3;
}
