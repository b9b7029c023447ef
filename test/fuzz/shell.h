/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_FUZZ_SHELL_H
#define SKR_TEST_FUZZ_SHELL_H
/*
 * A shell around the engine for events that need not fit together: keeps what is on its way and
 * checks every action. One that must not be aborts.
 */
#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/plan_text.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/types.h"
#include "core/gang/state/writes.h"
#include "test/fuzz/objects.h"

enum { FUZZ_WRITES_MAX = 512, FUZZ_CALLS_MAX = 128, FUZZ_UIDS = FUZZ_PODS * 4 };

struct fuzz_call {
    uint64_t request;
    char uid[16];
    char node[16];
    skr_time asked;
};

struct fuzz_shell {
    struct fuzz_objects objects;
    struct skr_engine *engine;
    struct skr_gang *gang; /* of engine */
    struct skr_actions actions;
    skr_time now, timer;
    const struct skr_object_type *list[32]; /* that the engine has asked for */
    size_t n_lists;
    uint64_t request, hash;
    uint64_t asking; /* request of the verb in hand */
    enum skr_gang_verb verb;
    size_t n_asked; /* names, candidates */
    size_t n_answers;
    struct fuzz_call call[FUZZ_CALLS_MAX]; /* open bind calls */
    size_t n_calls;
    struct skr_write write[FUZZ_WRITES_MAX]; /* in flight; strings are ours */
    size_t n_writes;
    uint64_t last_write;
    struct skr_solve_request *solve;
    struct skr_solve_request *explanation; /* likewise, for who asks */
    uint64_t explain_request;
    size_t n_questions;      /* without an answer */
    bool binding[FUZZ_UIDS]; /* a plan in state Binding with that member is out */
    bool any_binding;        /* one that names no members is */
    bool traces, bound; /* a pod with a plan of its own, a bound pod was seen: a member that carries
                           the id of one that is bound is rolled forward */
    bool synced, stopped;
    bool trace; /* prints what happens: for people, SKR_FUZZ_TRACE=1 */
};

/* One event: the engine handles it, its actions are taken over, its invariants hold. */
void fuzz_shell_handle(struct fuzz_shell *w, struct skr_event *event);
/* A request with the next number; its id. */
uint64_t fuzz_shell_request(struct fuzz_shell *w, enum skr_gang_verb verb, const void *body);
/* Puts a text into the hash of all that happened. */
void fuzz_shell_mix(struct fuzz_shell *w, const char *text);

/* A plan that the API server is known to hold from now on; NULL allowed. */
void fuzz_shell_plan_is_out(struct fuzz_shell *w, const char *text);
/* An object that the engine is about to see. */
void fuzz_shell_seen(struct fuzz_shell *w, const struct skr_meta *meta);
void fuzz_shell_pod_seen(struct fuzz_shell *w, const struct skr_pod *pod);
/* The plan annotation that a patch writes, or NULL; json_decref() *ret_json. */
const char *fuzz_shell_patched_plan(const struct skr_write *write, json_t **ret_json);

#endif
