/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_WORLD_H
#define SKR_TEST_INTEGRATION_WORLD_H
/*
 * A cluster around the real program: an API server over plain HTTP on 127.0.0.1 (lists, watches,
 * merge patches with preconditions, Bindings; the store is server/demo_objects.h), a kube-scheduler
 * that calls filter and bind over HTTP as the real one does (cycles one after the other, binds all
 * at once, a failed bind clears the nomination), and the daemon as a child process.
 *
 * Everything is seen through one log of changes, so a test can say what was true at any moment and
 * not only at the end. Waiting is for conditions; WORLD_DEADLINE_S without one fails the test.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/demo_objects.h"

enum { WORLD_DEADLINE_S = 120, WORLD_PODS_MAX = 512 };

/* One change of an object, as the watches tell it. */
struct world_change {
    enum skr_demo_kind kind;
    uint64_t version;
    const char *type; /* ADDED, MODIFIED, DELETED */
    json_t *object;   /* a copy */
};

/* A pod as the scheduler sees it. */
struct world_pod {
    char uid[64], namespace_[64], name[64];
    uint64_t tried; /* version of the last attempt; 0 never */
    bool assumed;   /* a bind call is open */
    bool frozen;    /* the scheduler leaves it alone */
    struct timespec not_before;
};

struct world {
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct skr_demo_objects *objects;
    struct world_change *log;
    size_t n_log, cap_log;
    /* API server */
    int listener;
    uint16_t port;
    pthread_t acceptor;
    size_t connections;
    bool stop;
    size_t n_writes;      /* that changed something or tried to; Events do not count */
    size_t kill_at_write; /* the daemon is killed once this one was applied; 0: never */
    /* scheduler */
    struct world_pod pod[WORLD_PODS_MAX];
    size_t n_pods;
    pthread_t scheduler;
    size_t open_binds, most_open_binds, failed_binds;
    /* daemon */
    pid_t daemon;
    uint16_t extender_port, bind_port, admin_port;
    char directory[64];
    size_t starts;
};

void world_begin(struct world *w);
void world_end(struct world *w); /* ends the daemon if need be, checks that it ended cleanly */

/* Object as JSON text; %-arguments as printf. */
void world_create(struct world *w, const char *format, ...) SKR_PRINTF(2, 3);
void world_delete(struct world *w, enum skr_demo_kind kind, const char *namespace_,
                  const char *name);
/* Merge patch by a user. */
void world_patch(struct world *w, enum skr_demo_kind kind, const char *namespace_, const char *name,
                 const char *patch);
void world_add_node(struct world *w, const char *name, int cpu);
/* Gated, 1 cpu, in namespace "d". */
void world_add_member(struct world *w, const char *name, const char *group, bool gated);
void world_add_group(struct world *w, const char *name, int size, int priority,
                     const char *constraints);

/* Waits until holds(w, context), which is called with the lock held after each change. */
void world_wait(struct world *w, const char *what,
                bool (*holds)(struct world *w, const void *context), const void *context);
bool world_group_is_bound(struct world *w, const void *name);

void world_start_daemon(struct world *w);
void world_kill_daemon(struct world *w);
/* SIGTERM; the exit code must be 0 within 5 s (30 s under a sanitizer's weight). */
void world_stop_daemon(struct world *w);
/* Starts the daemon again whenever it was killed by kill_at_write; whether it was. */
bool world_revive(struct world *w);
/* The scheduler leaves the pod alone from now on, or no longer. */
void world_freeze(struct world *w, const char *name, bool frozen);

/* ---- between the files of the world ---- */

void world_note(struct world *w, enum skr_demo_kind kind, const char *type, json_t *object);
void world_start_api(struct world *w);
void world_stop_api(struct world *w);
void world_start_scheduler(struct world *w);
void world_stop_scheduler(struct world *w);
struct world_pod *world_find_pod(struct world *w, const char *uid);
/* POST to 127.0.0.1; *ret is the body (free()) or NULL when there was no answer. */
bool world_post(uint16_t port, const char *path, const char *body, char **ret);

#endif
