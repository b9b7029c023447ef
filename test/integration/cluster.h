/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_CLUSTER_H
#define SKR_TEST_INTEGRATION_CLUSTER_H
/*
 * The sandbox (server/lab/sandbox/http.h) in this process, and before it the proxy that the real daemon
 * talks to (fault_proxy.c): the scripted HTTP server of the unit tests (test/unit/fake_api.h) whose
 * responder is the sandbox, so that its steps are the faults. Requests and watches break in the
 * middle, hang, are refused or lose their answer; TLS and who may come in are the proxy's, too.
 *
 * A guard looks at every write that passes: a plan is persisted before anybody is nominated or
 * ungated; state Binding is persisted only when every member has an open bind call or is bound; a
 * Binding is posted in that state, with the rank on the API server, to the planned node, for an open
 * bind call, and succeeds once. What it finds is a violation and fails the test at its next wait,
 * and at the end. Between a write and what the guard notes of it nothing else passes: no request, no
 * line of a watch, no bind call, nothing of users.
 *
 * Thread safe. cluster_lock() is the proxy's lock and, within it, the sandbox's; what the sandbox
 * does by itself (kubelets, scheduler) needs the second alone. Functions named _locked want
 * both held. JSON is written with single quotes. What cannot be done aborts with the whole story on
 * stderr.
 */
#include <jansson.h>

#include "core/gang/state/writes.h"
#include "server/lab/sandbox/http.h"
#include "test/unit/fake_api.h"

enum { CLUSTER_DEADLINE_S = 120, CLUSTER_VIOLATIONS_MAX = 20 };

#define CLUSTER_TOKEN "token-that-nobody-may-read-in-a-log"

struct cluster {
    struct fake_api *api;
    const struct fake_pki *pki;
    /* Manners of the proxy; set them before the daemon starts or under the lock. */
    bool bindings_carry_labels; /* true, as from 1.35; else they are taken out */
    char denied[64];            /* reviews of permissions that hold this are answered no */
    char missing[64]; /* paths that hold this are answered 404: the kind is not installed */
    size_t page;      /* objects of a list page at most; 0: as asked for */
    char token[128];  /* accepted one */
    /* Called with the proxy's lock held after every write that was applied, before its answer. */
    void (*on_write)(void *context, enum skr_write_kind kind, const char *name);
    void *on_write_context;
    /* Whether a bind call of the pod is open (scheduler.h sets it); NULL: not looked at. */
    bool (*has_call)(void *context, const char *uid, const char *node);
    void *has_call_context;
    /* Told about when a wait fails (daemon.h, scheduler.h). */
    void (*dump[2])(void *context);
    void *dump_context[2];

    struct skr_clock clock;
    struct skr_cluster *model;
    struct skr_store *store;
    struct skr_sandbox_http *sandbox;
    struct fault_upstream *upstream;        /* the proxy's own connection; NULL: not yet */
    uint64_t compacted;                     /* watches from before it are answered 410 */
    size_t n_writes[SKR_WRITE_KIND_COUNT];  /* answered with success */
    size_t n_refused[SKR_WRITE_KIND_COUNT]; /* answered with 4xx by the sandbox */
    size_t n_unauthorized;
    json_t *binding_plans; /* ids seen persisted in state Binding */
    json_t *planned;       /* "uid node" of every plan ever persisted */
    size_t n_violations;
    char violation[CLUSTER_VIOLATIONS_MAX][256];
};

/* pki NULL: plain HTTP with a bearer token; else TLS, and with require_client a certificate. */
struct cluster *cluster_start(const struct fake_pki *pki, bool require_client);
void cluster_stop(struct cluster *c); /* fails on violations; NULL allowed */
uint16_t cluster_port(const struct cluster *c);
/* Set denied and missing, also while others ask. */
void cluster_deny(struct cluster *c, const char *text);
void cluster_lack(struct cluster *c, const char *text);

void cluster_lock(struct cluster *c);
void cluster_unlock(struct cluster *c);
/* Lets go of both until something changes at the proxy, or until a time of CLOCK_REALTIME, 20 ms
 * at most: what the sandbox does by itself is told to nobody. */
void cluster_sleep_locked(struct cluster *c, const struct timespec *until);
/* Prints everything that is known and aborts. */
_Noreturn void cluster_fail(struct cluster *c, const char *format, ...) SKR_PRINTF(2, 3);
void cluster_violate(struct cluster *c, const char *format, ...) SKR_PRINTF(2, 3); /* locked */

/* ---- what users do ---- */
void cluster_create(struct cluster *c, const char *format, ...) SKR_PRINTF(2, 3);
void cluster_patch(struct cluster *c, const char *kind, const char *name, const char *format, ...)
    SKR_PRINTF(4, 5);
void cluster_delete(struct cluster *c, const char *kind, const char *name);
/* racks named rack-N of nodes named node-N with cpu and 110 pods, and the topology map. */
void cluster_racks(struct cluster *c, int racks, int nodes, int cpu);
/* A group map; constraints NULL: none. */
void cluster_group(struct cluster *c, const char *name, int size, const char *constraints);
/* prefix-0 .. prefix-(n - 1) of one cpu; group NULL: ordinary pods. */
void cluster_pods(struct cluster *c, const char *prefix, int n, const char *group, bool gated);
/* What the daemon does to an object, by others. */
void cluster_patch_locked(struct cluster *c, const char *kind, const char *namespace_,
                          const char *name, const json_t *patch);
void cluster_delete_locked(struct cluster *c, const char *kind, const char *namespace_,
                           const char *name);
/* Forgets history, so that watches that are not running have to list again. */
void cluster_compact_locked(struct cluster *c);

/* ---- waiting and looking ---- */
/* Until the predicate, called under the lock, is true. */
void cluster_wait(struct cluster *c, bool (*is_true)(void *context), void *context,
                  const char *what);
/* Until something changes, 10 ms at most: between two looks at something outside. */
void cluster_pause(struct cluster *c);
void cluster_wait_bound(struct cluster *c, const char *prefix, int n);
/* Until kube-scheduler has come to n of these pods in vain: from then on they have to be woken. */
void cluster_wait_refused(struct cluster *c, const char *prefix, int n);
/* data[key] of a map; value NULL: absent. */
void cluster_wait_key(struct cluster *c, const char *map, const char *key, const char *value);
void cluster_wait_event(struct cluster *c, const char *reason);
void cluster_wait_writes(struct cluster *c, enum skr_write_kind kind, size_t n);
size_t cluster_writes(struct cluster *c, enum skr_write_kind kind);
size_t cluster_bound(struct cluster *c, const char *prefix);
bool cluster_has_event(struct cluster *c, const char *reason);
/* Heap copies; "" when absent. */
char *cluster_key(struct cluster *c, const char *map, const char *key);
char *cluster_label(struct cluster *c, const char *pod, const char *key);
char *cluster_text(struct cluster *c, const char *kind, const char *name, const char *path);
/* The end of a scenario: all n bound, ranks 0 .. n-1 each once, no node overfilled, no traces left
 * on unbound pods, no plan on the map. */
void cluster_expect_bound(struct cluster *c, const char *map, const char *prefix, int n);

/* ---- looking, with the lock held ---- */
/* Kinds are "Node", "Pod", "ConfigMap", "PodGroup". NULL: there is none. */
const json_t *cluster_get(const struct cluster *c, const char *kind, const char *namespace_,
                          const char *name);
/* The i-th by namespace and name, or NULL. O(i). */
const json_t *cluster_at(const struct cluster *c, const char *kind, size_t i);
const char *cluster_label_of(const json_t *object, const char *key); /* "" when absent */

/* ---- between the files of the cluster ---- */
skr_time cluster_now(const struct cluster *c);
const char *cluster_namespace_of(const char *kind); /* "default", or "" of nodes */
/* A request of the daemon: the proxy's way to the sandbox and back (fault_proxy.c). */
struct fake_reply fault_proxy_respond(void *context, const char *request);
void fault_upstream_close(struct fault_upstream *upstream); /* NULL allowed */
/* A write of the daemon, before it is carried out, and after it succeeded; both locks held. */
void cluster_guard_before(struct cluster *c, enum skr_write_kind kind, const char *namespace_,
                          const char *name, const json_t *body);
void cluster_guard_applied(struct cluster *c, enum skr_write_kind kind, const char *namespace_,
                           const char *name, const json_t *body);

#endif
