/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time is CLOCK_BOOTTIME, which goes on while the machine sleeps, so a sleep can end the Lease. A new
 * leader reports itself once the watches have shown all writes of the last holder. If the API server
 * cannot show them in time, the process leads all the same: its caches may be behind, and the
 * preconditions of writes refuse what is out of date.
 */
#include "server/daemon/leader.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/frame/installations.h"
#include "core/frame/leadership.h"
#include "core/gang/changes/namespace_limits.h"
#include "server/clock.h"
#include "server/daemon/caller_thread.h"
#include "server/daemon/life_sign.h"
#include "server/kube/permissions.h"
#include "server/kube/transfer.h"
#include "server/log.h"
#include "topology/base/arena.h"

#define CALL_TIME (4 * SKR_SECOND) /* for one request; two fit before the renew deadline */
#define OTHER_MAX 700
#define CALM      (300 * SKR_MILLISECOND)
#define WAIT_MIN  (SKR_MILLISECOND)
#define LOOK      (10 * SKR_MILLISECOND) /* between two looks at caches that are behind */

enum { ASKED_AT_ONCE = 8 }; /* accounts: a renewal of the Lease waits for them */

struct skr_leader {
    struct skr_leader_options options;
    char namespace_[SKR_LEADER_NAME_MAX];
    char name[SKR_LEADER_NAME_MAX];
    char host[SKR_LEADER_NAME_MAX];
    struct skr_life_sign sign;
    char identity[SKR_LEADERSHIP_IDENTITY_MAX]; /* "HOST_" and the name of the sign */
    struct skr_leadership *leadership;
    struct skr_strbuf body;
    struct skr_strbuf collection; /* targets */
    struct skr_strbuf lease;
    struct skr_strbuf scheduler; /* empty: not mode scheduler */
    skr_time scheduler_at;       /* when the scheduler's lease is looked at next */
    bool scheduler_is_here;
    struct skr_installations *installations; /* NULL: they are not looked for */
    struct skr_strbuf leases;                /* of all namespaces, target */
    skr_time leases_at;                      /* when they are listed next */
    bool leases_refused, accounts_refused;   /* that was logged */
    skr_time yield_until;                    /* a younger one is not waited for longer */
    bool trouble;                            /* the last request failed, and that was logged */
    bool calm;                               /* the Lease was won, and the report waits */
    skr_time calm_until;
    skr_time fresh_until;             /* not waited for longer */
    atomic_int_fast64_t writes_until; /* boot time; 0: not at all */
    atomic_bool leads;
    struct skr_caller_thread thread;

    /* Under the lock of the thread. */
    bool resigns;
    bool out; /* after resigning: given back */
    char holder[SKR_LEADERSHIP_IDENTITY_MAX];
    char other[OTHER_MAX];
};

static skr_time boot_now(void)
{
    struct timespec t;
    skr_bug_on(clock_gettime(CLOCK_BOOTTIME, &t) != 0);
    return (skr_time)t.tv_sec * SKR_SECOND + t.tv_nsec + 1;
}

static skr_time wall_now(void)
{
    struct timespec t;
    skr_bug_on(clock_gettime(CLOCK_REALTIME, &t) != 0);
    return (skr_time)t.tv_sec * SKR_SECOND + t.tv_nsec;
}

/* ---- requests ---- */

static enum skr_lease_outcome outcome_of(const struct skr_call_answer *answer)
{
    switch (answer->http_status) {
    case 200:
    case 201:
        return answer->json ? SKR_LEASE_OK : SKR_LEASE_UNKNOWN;
    case 404:
    case 410:
        return SKR_LEASE_NOT_FOUND;
    case 409:
        return SKR_LEASE_CONFLICT;
    case 400:
    case 403:
    case 422:
        return SKR_LEASE_REFUSED;
    case 401: /* a token that was rotated */
    case 429:
        return SKR_LEASE_NOT_APPLIED;
    default:
        return answer->never_sent ? SKR_LEASE_NOT_APPLIED : SKR_LEASE_UNKNOWN;
    }
}

static void note_trouble(struct skr_leader *l, const struct skr_call_answer *answer,
                         const char *target)
{
    const enum skr_lease_outcome outcome = outcome_of(answer);
    const bool fails = outcome >= SKR_LEASE_REFUSED;
    if (fails && !l->trouble && outcome == SKR_LEASE_REFUSED) {
        skr_log_error("Lease could not be used", SKR_LOG_S("lease", target),
                      SKR_LOG_S("err", answer->message), SKR_LOG_END);
    } else if (fails && !l->trouble) {
        skr_log_warning("Lease could not be reached", SKR_LOG_S("lease", target),
                        SKR_LOG_S("err", answer->message), SKR_LOG_END);
    } else if (!fails && l->trouble) {
        skr_log_info(2, "Lease was reached again", SKR_LOG_S("lease", target), SKR_LOG_END);
    }
    l->trouble = fails;
}

/* A request of a leader must not last much longer than its leadership, or LOST would come late. */
static skr_time call_time(const struct skr_leader *l, skr_time now)
{
    skr_time until = skr_leadership_leads_until(l->leadership);
    if (until > now && until - now < CALL_TIME) {
        return until - now;
    }
    return CALL_TIME;
}

static void call(struct skr_leader *l, const char *method, const char *target, const char *body,
                 struct skr_call_answer *ret)
{
    const struct skr_call request = {
        .method = method, .target = target, .body = body, .timeout = call_time(l, boot_now())};
    skr_caller_call(l->thread.caller, &request, ret);
    note_trouble(l, ret, target);
}

static void take_step(struct skr_leader *l, enum skr_leadership_step step)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    if (step == SKR_LEADERSHIP_READ) {
        call(l, "GET", l->lease.s, NULL, &answer);
        skr_leadership_was_read(l->leadership, boot_now(), outcome_of(&answer), answer.json);
    } else {
        const bool create = step == SKR_LEADERSHIP_CREATE;
        call(l, create ? "POST" : "PUT", create ? l->collection.s : l->lease.s, l->body.s, &answer);
        skr_leadership_was_written(l->leadership, boot_now(), outcome_of(&answer), answer.json);
    }
}

/* Reads whether the scheduler beside this process holds the scheduler's lease. If the API server
 * cannot be reached, the last answer stays: the Lease runs out by itself. */
static void look_at_scheduler(struct skr_leader *l, skr_time now)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    if (l->scheduler.len == 0 || now < l->scheduler_at) {
        return;
    }
    call(l, "GET", l->scheduler.s, NULL, &answer);
    const enum skr_lease_outcome outcome = outcome_of(&answer);
    if (outcome == SKR_LEASE_OK || outcome == SKR_LEASE_NOT_FOUND) {
        const char *holder = json_string_value(
            json_object_get(json_object_get(answer.json, "spec"), "holderIdentity"));
        bool here = outcome == SKR_LEASE_OK && holder && skr_leadership_is_host(holder, l->host);
        if (here != l->scheduler_is_here) {
            skr_log_info(2, here ? "Scheduler beside us leads" : "Scheduler beside us stands by",
                         SKR_LOG_S("holder", holder ? holder : ""), SKR_LOG_END);
        }
        l->scheduler_is_here = here;
    }
    l->scheduler_at = boot_now() + SKR_SECOND;
}

/* ---- other installations ---- */

/* False: no answer, which comes at the next look. */
static bool look_up_account(struct skr_leader *l, const char *namespace_)
{
    struct skr_error error = {0};
    enum skr_permission_answer said = SKR_PERMISSION_YES;
    if (!skr_namespace_is_listed(l->options.trusted, namespace_)) {
        said = skr_permission_ask_installation(l->thread.caller, namespace_,
                                               call_time(l, boot_now()), &error);
    }
    const bool refused = error.code == SKR_DENIED || error.code == SKR_NOT_FOUND;
    if (refused && !l->accounts_refused) {
        skr_log_warning("Other installations cannot be seen", SKR_LOG_S("lease", l->leases.s),
                        SKR_LOG_S("err", error.text), SKR_LOG_END);
    }
    l->accounts_refused = refused;
    if (said == SKR_PERMISSION_UNKNOWN && !refused) {
        return false;
    }
    if (said != SKR_PERMISSION_YES && !refused) {
        skr_log_info(2, "Lease is of no installation", SKR_LOG_S("namespace", namespace_),
                     SKR_LOG_END);
    }
    skr_installations_answer(l->installations, namespace_, said == SKR_PERMISSION_YES, boot_now());
    return true;
}

static void look_up_accounts(struct skr_leader *l)
{
    const char *namespace_;
    for (int i = 0; i < ASKED_AT_ONCE; i++) {
        namespace_ = skr_installations_ask(l->installations, boot_now());
        if (!namespace_ || !look_up_account(l, namespace_)) {
            return;
        }
    }
}

/* Lists the Leases of other installations. Older roles lack the permission: then no installation is
 * known. After any other failure the records of the last list remain until they expire. */
static void look_at_installations(struct skr_leader *l)
{
    SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
    if (!l->installations || boot_now() < l->leases_at) {
        return;
    }
    const struct skr_call request = {
        .method = "GET", .target = l->leases.s, .timeout = call_time(l, boot_now())};
    skr_caller_call(l->thread.caller, &request, &answer);
    const enum skr_lease_outcome outcome = outcome_of(&answer);
    const bool refused = outcome == SKR_LEASE_REFUSED || outcome == SKR_LEASE_NOT_FOUND;
    if (outcome == SKR_LEASE_OK) {
        skr_installations_see(l->installations, answer.json, boot_now(), wall_now());
        look_up_accounts(l);
    } else if (refused) {
        skr_installations_forget(l->installations);
    }
    if (refused && !l->leases_refused) {
        skr_log_warning("Other installations cannot be seen", SKR_LOG_S("lease", l->leases.s),
                        SKR_LOG_S("err", answer.message), SKR_LOG_END);
    }
    l->leases_refused = refused;
    l->leases_at = boot_now() + SKR_INSTALLATIONS_LOOK_S * SKR_SECOND;
}

/* Whether this process stands aside for another installation; logs a change. */
static bool is_in_the_way(struct skr_leader *l)
{
    const skr_time now = boot_now();
    const char *other =
        l->installations ? skr_installations_in_the_way(l->installations, now) : NULL;
    if (other && !*l->other) {
        skr_log_error("Another installation decides for this cluster",
                      SKR_LOG_S("lease", l->lease.s), SKR_LOG_S("other", other), SKR_LOG_END);
    } else if (!other && *l->other) {
        skr_log_info(0, "No other installation decides any more", SKR_LOG_S("lease", l->lease.s),
                     SKR_LOG_END);
    }
    pthread_mutex_lock(&l->thread.lock);
    (void)snprintf(l->other, sizeof l->other, "%s", other ? other : "");
    pthread_mutex_unlock(&l->thread.lock);
    return other;
}

/* ---- a predecessor ---- */

/* A process that should be alone follows one of its own place at once, if that one has ended. */
static void look_for_holder(struct skr_leader *l)
{
    const char *holder = skr_leadership_holder(l->leadership);
    if (l->options.alone && skr_leadership_is_host(holder, l->host) &&
        skr_life_sign_has_ended(&l->sign, holder + strlen(l->host) + 1)) {
        skr_leadership_holder_ended(l->leadership);
    }
}

/* ---- reports ---- */

static void report(struct skr_leader *l, bool leads)
{
    if (atomic_load(&l->leads) == leads) {
        return;
    }
    atomic_store(&l->leads, leads);
    skr_log_info(0, leads ? "Leadership began" : "Leadership ended", SKR_LOG_S("lease", l->lease.s),
                 SKR_LOG_S("identity", l->identity),
                 SKR_LOG_S("holder", skr_leadership_holder(l->leadership)), SKR_LOG_END);
    l->options.report(l->options.context, leads);
}

static void begin_calm(struct skr_leader *l, skr_time now)
{
    l->calm = true;
    l->calm_until = skr_leadership_was_handed_over(l->leadership) ? now + CALM : now;
    l->fresh_until = now + SKR_LEADER_FRESH_TIME;
    l->leases_at = 0; /* another installation may have begun at the same moment */
    l->yield_until = now + SKR_INSTALLATIONS_YIELD_S * SKR_SECOND;
    if (l->options.freshen) {
        l->options.freshen(l->options.context);
    }
}

/* Whether a Lease that was won can be reported. */
static bool is_ready(struct skr_leader *l, skr_time now)
{
    if (now < l->calm_until) {
        return false;
    }
    if (l->installations && l->leases_at == 0) {
        l->calm_until = now + LOOK;
        return false;
    }
    if (l->installations && now < l->yield_until && skr_installations_any(l->installations, now)) {
        l->leases_at = l->calm_until =
            now + CALM; /* the other installation sees that this older Lease is held */
        return false;
    }
    if (!l->options.is_fresh || l->options.is_fresh(l->options.context)) {
        return true;
    }
    if (now < l->fresh_until) {
        l->calm_until = now + LOOK;
        return false;
    }
    skr_log_warning("Caches may be behind the last leader", SKR_LOG_S("lease", l->lease.s),
                    SKR_LOG_END);
    return true;
}

static void publish(struct skr_leader *l, skr_time now)
{
    skr_time until = skr_leadership_leads_until(l->leadership);
    bool leads = until > now;
    if (leads && !atomic_load(&l->leads) && !l->calm) {
        begin_calm(l, now);
    }
    l->calm = l->calm && leads;
    if (!leads) {
        atomic_store(&l->writes_until, 0);
        report(l, false);
    } else if (atomic_load(&l->leads) || is_ready(l, now)) {
        l->calm = false;
        atomic_store(&l->writes_until, until);
        report(l, true);
    }
    pthread_mutex_lock(&l->thread.lock);
    (void)snprintf(l->holder, sizeof l->holder, "%s", skr_leadership_holder(l->leadership));
    l->out = skr_leadership_is_out(l->leadership);
    pthread_cond_broadcast(&l->thread.wake);
    pthread_mutex_unlock(&l->thread.lock);
}

/* ---- the thread ---- */

static bool may_lead(struct skr_leader *l)
{
    pthread_mutex_lock(&l->thread.lock);
    const bool resigns = l->resigns;
    pthread_mutex_unlock(&l->thread.lock);
    return !resigns && (l->scheduler.len == 0 || l->scheduler_is_here) && !is_in_the_way(l) &&
           (!l->options.fit || l->options.fit(l->options.context));
}

/* Waits until a time, or until the process resigns; false: the thread has to end. */
static bool wait_until(struct skr_leader *l, skr_time until)
{
    const skr_time wait = until - boot_now();
    return skr_caller_thread_wait(&l->thread, wait > WAIT_MIN ? wait : WAIT_MIN);
}

static void *work(void *context)
{
    struct skr_leader *l = context;
    skr_time at;
    do {
        look_at_scheduler(l, boot_now());
        look_at_installations(l);
        look_for_holder(l);
        skr_leadership_permit(l->leadership, may_lead(l));
        publish(l, boot_now());
        at = 0;
        enum skr_leadership_step step =
            skr_leadership_next(l->leadership, boot_now(), wall_now(), &l->body, &at);
        if (step != SKR_LEADERSHIP_REST) {
            take_step(l, step);
            at = boot_now();
        }
        publish(l, boot_now());
        if (l->scheduler.len > 0 && l->scheduler_at < at) {
            at = l->scheduler_at;
        }
        if (l->installations && l->leases_at < at) {
            at = l->leases_at;
        }
        if (l->calm && l->calm_until < at) {
            at = l->calm_until;
        }
    } while (wait_until(l, at));
    atomic_store(&l->writes_until, 0);
    return NULL;
}

/* ---- life ---- */

static void write_target(struct skr_strbuf *out, const char *namespace_, const char *name)
{
    skr_strbuf_add(out, "/apis/coordination.k8s.io/v1/namespaces/");
    skr_kube_escape(out, namespace_);
    skr_strbuf_add(out, "/leases");
    if (name) {
        skr_strbuf_addc(out, '/');
        skr_kube_escape(out, name);
    }
}

static void write_targets(struct skr_leader *l, const struct skr_leader_options *options)
{
    skr_strbuf_init(&l->body);
    skr_strbuf_init(&l->collection);
    skr_strbuf_init(&l->lease);
    skr_strbuf_init(&l->scheduler);
    skr_strbuf_init(&l->leases);
    write_target(&l->collection, l->namespace_, NULL);
    write_target(&l->lease, l->namespace_, l->name);
    if (options->scheduler_name[0] != '\0') {
        write_target(&l->scheduler, options->scheduler_namespace, options->scheduler_name);
    }
    if (options->beside) {
        l->installations = skr_installations_create(l->namespace_);
        skr_strbuf_add(&l->leases,
                       "/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.name%3D");
        skr_kube_escape(&l->leases, l->name);
    }
}

int skr_leader_create(const struct skr_leader_options *options, struct skr_kube_access *access,
                      struct skr_leader **ret, struct skr_error *error)
{
    struct skr_leader *l = skr_alloc(sizeof *l);
    l->options = *options;
    (void)snprintf(l->namespace_, sizeof l->namespace_, "%s", options->namespace_);
    (void)snprintf(l->name, sizeof l->name, "%s", options->name);
    (void)snprintf(l->host, sizeof l->host, "%s", options->host);
    skr_life_sign_init(&l->sign);
    (void)snprintf(l->identity, sizeof l->identity, "%s_%s", l->host, l->sign.name);
    write_targets(l, options);
    struct skr_leadership_options leadership;
    skr_leadership_options_default(&leadership);
    leadership.namespace_ = l->namespace_;
    leadership.name = l->name;
    leadership.identity = l->identity;
    l->leadership = skr_leadership_create(&leadership);
    const int rc =
        skr_caller_thread_start(&l->thread, access, options->user_agent, "elector", work, l, error);
    if (rc < 0) {
        skr_leader_destroy(l);
        return rc;
    }
    *ret = l;
    return 0;
}

void skr_leader_resign(struct skr_leader *leader, skr_time timeout)
{
    if (!leader) {
        return;
    }
    const struct timespec at = skr_clock_in(timeout + SKR_SECOND);
    int rc = 0;
    atomic_store(&leader->writes_until, 0);
    pthread_mutex_lock(&leader->thread.lock);
    leader->resigns = leader->thread.kicked = true;
    leader->out = false;
    pthread_cond_broadcast(&leader->thread.wake);
    while (!leader->out && rc != ETIMEDOUT) {
        rc = pthread_cond_timedwait(&leader->thread.wake, &leader->thread.lock, &at);
    }
    pthread_mutex_unlock(&leader->thread.lock);
    if (rc == ETIMEDOUT) {
        skr_log_warning("Lease was not given back in time and has to run out",
                        SKR_LOG_S("lease", leader->lease.s), SKR_LOG_END);
    }
}

void skr_leader_destroy(struct skr_leader *leader)
{
    struct skr_leader *l = leader;
    if (!l) {
        return;
    }
    skr_caller_thread_stop(&l->thread);
    skr_leadership_destroy(l->leadership);
    skr_life_sign_fini(&l->sign);
    skr_strbuf_fini(&l->body);
    skr_strbuf_fini(&l->collection);
    skr_strbuf_fini(&l->lease);
    skr_strbuf_fini(&l->scheduler);
    skr_strbuf_fini(&l->leases);
    skr_installations_destroy(l->installations);
    free(l);
}

/* ---- looking in ---- */

bool skr_leader_may_write(const struct skr_leader *leader)
{
    return boot_now() < atomic_load(&leader->writes_until);
}

bool skr_leader_leads(const struct skr_leader *leader)
{
    return atomic_load(&leader->leads);
}

void skr_leader_get_holder(struct skr_leader *leader, char *buffer, size_t size)
{
    pthread_mutex_lock(&leader->thread.lock);
    (void)snprintf(buffer, size, "%s", leader->holder);
    pthread_mutex_unlock(&leader->thread.lock);
}

void skr_leader_get_other(struct skr_leader *leader, char *buffer, size_t size)
{
    pthread_mutex_lock(&leader->thread.lock);
    (void)snprintf(buffer, size, "%s", leader->other);
    pthread_mutex_unlock(&leader->thread.lock);
}
