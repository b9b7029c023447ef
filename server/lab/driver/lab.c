/* SPDX-License-Identifier: Apache-2.0 */
/* Steps models in a fixed order, at every point of time at which one of them has work. */
#include "server/lab/driver/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/state/types.h"
#include "core/gang/state/writes.h"
#include "topology/base/arena.h"

#define BIND_REQUEST ((uint64_t)1 << 62) /* plus the call: numbers of bind requests */

/* The filter or prioritize request being asked. */
struct question {
    uint64_t request;
    size_t n;
    uint8_t *passes;
    int32_t *score;
    char *text; /* 256 bytes */
    bool failed;
};

struct skr_lab {
    struct skr_lab_options options;
    struct skr_cluster *cluster;
    struct skr_store *store;
    struct skr_settings settings; /* of the gang scheduler; the model may have more names */
    struct skr_driver *gang;
    struct skr_driver *joined[SKR_LAB_JOINED_MAX];
    size_t n_joined;
    struct skr_scheduler_model *scheduler;
    struct skr_scheduler_model *daemons; /* NULL: not served */
    skr_time now;
    bool started;
    uint64_t asked; /* number of questions to the gang scheduler */
    struct question *question;
    uint64_t unanswered;            /* the bind call being made; 0: none */
    char text[256];                 /* of the last answer to filter */
    struct skr_strbuf *explanation; /* the one being requested */
    enum skr_explain_status explain_status;
    bool explained;
};

/* ---- the gang scheduler as an extender ---- */

static void take_answer_to_question(struct question *q, const struct skr_answer *answer)
{
    q->failed = answer->kind == SKR_ANSWER_ERROR;
    for (size_t i = 0; i < q->n; i++) {
        if (q->score) {
            q->score[i] = answer->kind == SKR_ANSWER_SCORES ? answer->scores[i] : 0;
            continue;
        }
        q->passes[i] =
            answer->kind == SKR_ANSWER_FILTER_ALL ||
            (answer->kind == SKR_ANSWER_FILTER_ONE && answer->index == i) ||
            (answer->kind == SKR_ANSWER_FILTER_MASK && (answer->mask[i / 8] >> i % 8 & 1));
    }
    if (q->text) {
        snprintf(q->text, 256, "%s", answer->text);
    }
}

static void take_answer(void *context, uint64_t request, const void *body)
{
    struct skr_lab *l = context;
    const struct skr_answer *answer = body;
    if (answer->kind == SKR_ANSWER_EXPLANATION) {
        l->explained = true;
        l->explain_status = answer->explanation.status;
        skr_strbuf_addn(l->explanation, answer->explanation.json, answer->explanation.json_len);
    } else if (l->question && l->question->request == request) {
        take_answer_to_question(l->question, answer);
    } else if (request & BIND_REQUEST) {
        const uint64_t call = request & ~BIND_REQUEST;
        bool bound = answer->kind == SKR_ANSWER_BOUND;
        l->unanswered = l->unanswered == call ? 0 : l->unanswered;
        skr_scheduler_bind_done(l->scheduler, call, bound ? NULL : answer->text);
    }
}

static void put_question(struct skr_lab *l, enum skr_gang_verb verb, const struct skr_pod *pod,
                         const char *const *node, struct question *q, skr_time now)
{
    const struct skr_filter_request request = {pod, q->n, node};
    q->request = ++l->asked;
    l->question = q;
    skr_driver_ask(l->gang, now, q->request, (int)verb, &request);
    l->question = NULL;
}

static int filter(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    struct skr_lab *l = context;
    struct question q = {.n = n, .passes = passes, .text = l->text};
    l->text[0] = '\0';
    put_question(l, SKR_GANG_FILTER, pod, node, &q, now);
    for (size_t i = 0; i < n; i++) {
        why[i] = passes[i] ? NULL : l->text;
    }
    return q.failed ? skr_error_set(error, SKR_RETRY, "%s", l->text) : 0;
}

static void prioritize(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score)
{
    struct question q = {.n = n, .score = score};
    put_question(context, SKR_GANG_PRIORITIZE, pod, node, &q, now);
}

static void call_bind(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                      skr_time now)
{
    struct skr_lab *l = context;
    const struct skr_bind_request request = {pod->meta.namespace_, pod->meta.name, pod->meta.uid,
                                             node};
    l->unanswered = call;
    skr_driver_ask(l->gang, now, call | BIND_REQUEST, SKR_GANG_BIND, &request);
    if (l->unanswered == call) {
        skr_trace_add(&l->options.trace, SKR_TRACE_VERB, now, "bind call %llu is held",
                      (unsigned long long)call);
    }
    l->unanswered = 0;
}

static const char *name_of(const struct skr_write *write)
{
    return skr_write_kind_name(skr_write_kind_of(write));
}

static void pass_event(void *context, skr_time now, const json_t *event)
{
    const struct skr_lab *l = context;
    l->options.event(l->options.context, now, event);
}

struct skr_lab *skr_lab_create(const struct skr_lab_options *options)
{
    struct skr_lab *l = skr_alloc(sizeof *l);
    l->options = *options;
    l->now = options->start;
    l->cluster = skr_cluster_create(&options->cluster, options->start);
    l->store = skr_cluster_store(l->cluster);
    l->settings = options->settings;
    const struct skr_driver_options gang = {.scheduler = &skr_gang_scheduler,
                                            .settings = &l->settings,
                                            .instance = options->settings.instance,
                                            .write_time = SKR_LAB_WRITE_TIME,
                                            .work_time = SKR_LAB_SOLVE_TIME,
                                            .watch_delay = SKR_LAB_WATCH_TIME,
                                            .trace = options->trace,
                                            .name = name_of,
                                            .answer = take_answer,
                                            .event = options->event ? pass_event : NULL,
                                            .context = l};
    l->gang = skr_driver_create(&gang, l->store);
    return l;
}

void skr_lab_destroy(struct skr_lab *lab)
{
    if (!lab) {
        return;
    }
    skr_scheduler_destroy(lab->scheduler);
    skr_scheduler_destroy(lab->daemons);
    skr_driver_destroy(lab->gang);
    skr_cluster_destroy(lab->cluster);
    free(lab);
}

struct skr_store *skr_lab_store(struct skr_lab *lab)
{
    return lab->store;
}

void skr_lab_join(struct skr_lab *lab, struct skr_driver *driver)
{
    skr_bug_on(lab->n_joined == SKR_LAB_JOINED_MAX);
    lab->joined[lab->n_joined++] = driver;
}

/* ---- DaemonSets ---- */

static int let_pass(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                    skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    (void)context, (void)pod, (void)node, (void)now, (void)why, (void)error;
    memset(passes, 1, n);
    return 0;
}

static void bind_at_once(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                         skr_time now)
{
    struct skr_lab *l = context;
    const int status =
        skr_store_bind(l->store, pod->meta.namespace_, pod->meta.name, NULL, node, now, NULL);
    skr_scheduler_bind_done(l->daemons, call, status >= 400 ? "refused" : NULL);
}

static void start_daemons(struct skr_lab *l)
{
    const struct skr_scheduler_options options = {
        .daemons = true,
        .extender = {.context = l, .filter = let_pass, .bind = bind_at_once},
        .percentage = 100};
    l->daemons = skr_scheduler_create(&options, l->store, l->now);
}

static void seat_daemons(struct skr_lab *l)
{
    while (l->daemons && skr_scheduler_next(l->daemons, l->now) <= l->now) {
        skr_scheduler_step(l->daemons, l->now);
    }
}

void skr_lab_start(struct skr_lab *lab)
{
    struct skr_lab *l = lab;
    struct skr_settings *settings = &l->options.settings;
    if (l->options.every_pod && settings->n_scheduler_names < SKR_SCHEDULER_NAMES_MAX) {
        settings->scheduler_name[settings->n_scheduler_names++] = "default-scheduler";
    }
    if (l->options.daemons) {
        start_daemons(l);
        seat_daemons(l);
    }
    struct skr_scheduler_options options = {.n_names = l->options.settings.n_scheduler_names,
                                            .name = l->options.settings.scheduler_name,
                                            .extender = {.context = l,
                                                         .filter = filter,
                                                         .prioritize = prioritize,
                                                         .bind = call_bind,
                                                         .weight = SKR_LAB_WEIGHT},
                                            .percentage = l->options.percentage,
                                            .cycle_time = SKR_LAB_CYCLE_TIME,
                                            .watch_delay = SKR_LAB_WATCH_TIME,
                                            .seed = l->options.cluster.seed,
                                            .trace = l->options.trace};
    l->scheduler = skr_scheduler_create(&options, l->store, l->now);
    l->started = true;
    skr_driver_start(l->gang, l->now);
}

bool skr_lab_schedules(const struct skr_lab *lab, const char *scheduler)
{
    const struct skr_settings *settings = &lab->options.settings;
    size_t i = 0;
    while (i < settings->n_scheduler_names && strcmp(settings->scheduler_name[i], scheduler) != 0) {
        i++;
    }
    return i < settings->n_scheduler_names;
}

skr_time skr_lab_now(const struct skr_lab *lab)
{
    return lab->now;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t skr_lab_seen(const struct skr_lab *lab)
{
    const struct skr_lab *l = lab;
    uint64_t seen = skr_cluster_seen(l->cluster);
    if (l->started) { /* models that start later list first */
        seen = least(seen, skr_driver_seen(l->gang));
        seen = least(seen, skr_scheduler_seen(l->scheduler));
    }
    for (size_t i = 0; i < l->n_joined; i++) {
        seen = least(seen, skr_driver_seen(l->joined[i]));
    }
    return l->daemons ? least(seen, skr_scheduler_seen(l->daemons)) : seen;
}

skr_time skr_lab_next(const struct skr_lab *lab)
{
    const struct skr_lab *l = lab;
    skr_time next = skr_cluster_next(l->cluster);
    if (l->started) {
        skr_time driver = skr_driver_next(l->gang, l->now);
        skr_time scheduler = skr_scheduler_next(l->scheduler, l->now);
        next = driver < next ? driver : next;
        next = scheduler < next ? scheduler : next;
    }
    if (l->daemons) {
        skr_time daemons = skr_scheduler_next(l->daemons, l->now);
        next = daemons < next ? daemons : next;
    }
    for (size_t i = 0; i < l->n_joined; i++) {
        skr_time joined = skr_driver_next(l->joined[i], l->now);
        next = joined < next ? joined : next;
    }
    return next < l->now ? l->now : next;
}

void skr_lab_step(struct skr_lab *lab)
{
    struct skr_lab *l = lab;
    skr_time next = skr_lab_next(l);
    if (next == SKR_TIME_NEVER) {
        return;
    }
    l->now = next;
    skr_cluster_step(l->cluster, l->now);
    seat_daemons(l);
    for (size_t i = 0; i < l->n_joined; i++) {
        skr_driver_step(l->joined[i], l->now);
    }
    if (l->started) {
        skr_driver_step(l->gang, l->now);
        skr_scheduler_step(l->scheduler, l->now);
    }
}

void skr_lab_skip(struct skr_lab *lab, skr_time at)
{
    lab->now = at > lab->now ? at : lab->now;
}

void skr_lab_run(struct skr_lab *lab, skr_time at)
{
    while (skr_lab_next(lab) <= at) {
        skr_lab_step(lab);
    }
    skr_lab_skip(lab, at);
}

bool skr_lab_cluster_is_idle(const struct skr_lab *lab)
{
    return skr_cluster_next(lab->cluster) == SKR_TIME_NEVER;
}

bool skr_lab_is_refused(const struct skr_lab *lab)
{
    return skr_cluster_is_refused(lab->cluster);
}

enum skr_explain_status skr_lab_explain(struct skr_lab *lab, const char *namespace_,
                                        const char *name, struct skr_strbuf *out)
{
    const struct skr_explain_request request = {.namespace_ = namespace_, .name = name};
    lab->explanation = out;
    lab->explained = false;
    skr_driver_ask(lab->gang, lab->now, 0, SKR_GANG_EXPLAIN, &request);
    while (!lab->explained && skr_driver_hurry(lab->gang, lab->now)) {
    }
    skr_bug_on(!lab->explained);
    lab->explanation = NULL;
    return lab->explain_status;
}

const struct skr_engine *skr_lab_engine(const struct skr_lab *lab)
{
    return skr_driver_engine(lab->gang);
}

void skr_lab_get_scheduler_stats(const struct skr_lab *lab, struct skr_scheduler_stats *ret)
{
    *ret = (struct skr_scheduler_stats){0};
    if (lab->started) {
        skr_scheduler_get_stats(lab->scheduler, ret);
    }
}
