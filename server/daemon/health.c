/* SPDX-License-Identifier: Apache-2.0 */
/* The checks behind /livez and /readyz, one function each. */
#include "server/daemon/health.h"

skr_time skr_health_busy(const struct skr_health *health)
{
    skr_time longest = 0;
    for (size_t i = 0; i < health->n_engines; i++) {
        skr_time busy = skr_engine_thread_busy(health->engine[i]);
        longest = busy > longest ? busy : longest;
    }
    return longest;
}

bool skr_health_is_synced(const struct skr_health *health)
{
    for (size_t i = 0; i < health->n_engines; i++) {
        if (!skr_engine_thread_is_synced(health->engine[i])) {
            return false;
        }
    }
    return true;
}

static bool check_engine(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    skr_time busy = skr_health_busy(h);
    if (busy >= h->wedged_after) {
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
    if (stats.since_beat >= h->wedged_after) {
        skr_error_set(error, SKR_BUG, "the client of the API server has stood still for %d s",
                      (int)(stats.since_beat / SKR_SECOND));
        return false;
    }
    return true;
}

static bool check_synced(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    if (skr_health_is_synced(h)) {
        return true;
    }
    struct skr_kube_stats kube;
    SKR_STRBUF(waits);
    skr_kube_get_stats(h->kube, &kube);
    for (size_t i = 0; i < kube.n_resources; i++) {
        if (kube.resource[i].runs && !kube.resource[i].synced) {
            skr_strbuf_addf(&waits, " %s", kube.resource[i].name);
        }
    }
    skr_error_set(error, SKR_RETRY, "first lists are not complete:%s",
                  waits.len ? waits.s : " being taken in");
    return false;
}

static bool check_fresh(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    struct skr_kube_stats kube;
    skr_kube_get_stats(h->kube, &kube);
    for (size_t i = 0; i < kube.n_resources; i++) {
        if (kube.resource[i].stale) {
            skr_error_set(error, SKR_RETRY, "no list or watch of %s succeeded for %d s",
                          kube.resource[i].name, (int)(kube.resource[i].age / SKR_SECOND));
            return false;
        }
    }
    return true;
}

/* Engines hear of a Lease later than the elector, and refuse requests until then. */
static bool check_leader(void *context, struct skr_error *error)
{
    const struct skr_health *h = context;
    char holder[700];
    const bool leads = skr_leader_leads(h->leader);
    for (size_t i = 0; leads && i < h->n_engines; i++) {
        if (!skr_engine_thread_is_leader(h->engine[i])) {
            skr_error_set(error, SKR_RETRY, "the Lease is held, but an engine does not decide yet");
            return false;
        }
    }
    if (leads) {
        return true;
    }
    skr_leader_get_other(h->leader, holder, sizeof holder);
    if (holder[0] != '\0') {
        skr_error_set(error, SKR_CONFLICT,
                      "another installation decides: %.150s; remove one of them", holder);
        return false;
    }
    skr_leader_get_holder(h->leader, holder, sizeof holder);
    if (h->alone && holder[0] != '\0') {
        skr_error_set(
            error, SKR_CONFLICT,
            "another daemon decides, the Lease is held by \"%.120s\"; stop one of them, or "
            "set leaderElection.mode lease",
            holder);
        return false;
    }
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
