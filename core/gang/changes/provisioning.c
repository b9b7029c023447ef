/* SPDX-License-Identifier: Apache-2.0 */
/* ProvisioningRequests of groups that wait for capacity: see provisioning.h. One write of a group is
 * on its way at a time. */
#include "core/gang/changes/provisioning.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/changes/provisioning_text.h"
#include "core/gang/group/group_table.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "core/group/provisioning.h"
#include "topology/duration.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { TRY_AGAIN_S = 5, DOUBLINGS_MAX = 8 };

enum stage {
    STAGE_READ,     /* the pod of set `at` is read */
    STAGE_TEMPLATE, /* the PodTemplate of set `at` is made */
    STAGE_REQUEST,  /* the request is made */
    STAGE_FOLLOW,
    STAGE_REMOVE, /* the request (at 0), then the PodTemplates */
    STAGE_PAUSE,
    STAGE_GIVEN_UP,
};

struct provisioning {
    char *name; /* of the request; the object of the group may be gone when it is removed */
    enum stage stage;
    bool counts; /* in gang->n_provisioning: something is made, followed or removed */
    size_t at, n_sets;
    struct skr_pod_set set[SKR_PROVISIONING_SHAPES_MAX];
    uint64_t asked;   /* hash of the sets and their templates */
    uint64_t write;   /* on its way; 0 none */
    skr_time next;    /* nothing is done before */
    skr_time begun;   /* the request was made, or found */
    skr_time waited;  /* the group waited for capacity then */
    enum stage after; /* STAGE_REMOVE: what comes then, and */
    skr_time resume;  /* when */
    enum skr_provisioning_state state;
    uint32_t failures;
    char *text;    /* the template that was read last */
    char *message; /* of the request; NULL none */
};

static void fini_sets(struct skr_gang *e, struct provisioning *p)
{
    for (size_t i = 0; i < p->n_sets; i++) {
        skr_shapes_unref(e, p->set[i].shape);
        free(p->set[i].pod);
    }
    p->n_sets = 0;
}

void skr_provisioning_forget(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    if (p) {
        e->n_provisioning -= p->counts;
        fini_sets(e, p);
        free(p->name);
        free(p->text);
        free(p->message);
        free(p);
        g->provisioning = NULL;
    }
}

static void say(struct provisioning *p, const char *message)
{
    char *copy = skr_strdup(message && *message ? message : NULL);
    free(p->message);
    p->message = copy;
}

static void go(struct skr_gang *e, struct provisioning *p, enum stage stage, skr_time next)
{
    const bool counts = stage != STAGE_PAUSE && stage != STAGE_GIVEN_UP;
    e->n_provisioning += counts && !p->counts;
    e->n_provisioning -= !counts && p->counts;
    p->counts = counts;
    p->stage = stage;
    p->at = 0;
    p->next = next;
}

/* Removes all that was made. */
static void clear(struct skr_gang *e, struct provisioning *p, enum stage after, skr_time resume)
{
    p->after = after;
    p->resume = resume;
    go(e, p, STAGE_REMOVE, skr_frame_now(e->frame));
}

/* ---- which pods ---- */

static bool asks_itself(const struct skr_pod *pod)
{
    return skr_labels_get(&pod->meta.annotations, SKR_PROVISIONING_CONSUMED);
}

/* The sets of equal pods among those that wait, each with its first pod by name; 0: no request is
 * made for them. */
static size_t gather(const struct group *g, struct skr_pod_set set[SKR_PROVISIONING_SHAPES_MAX])
{
    const struct pod_entry *p, *first[SKR_PROVISIONING_SHAPES_MAX];
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        size_t i = 0;
        if (!p->seated || skr_pods_is_bound(p)) {
            continue;
        }
        while (i < n && set[i].shape != p->shape) {
            i++;
        }
        if (!p->pod->gate || p->pod->foreign_gate || asks_itself(p->pod) ||
            i == SKR_PROVISIONING_SHAPES_MAX) {
            return 0;
        }
        if (i == n) {
            set[n++] = (struct skr_pod_set){.shape = p->shape};
            first[i] = p;
        } else if (strcmp(p->pod->meta.name, first[i]->pod->meta.name) < 0) {
            first[i] = p;
        }
        set[i].count++;
    }
    for (size_t i = 0; i < n; i++) {
        set[i].pod = skr_strdup(first[i]->pod->meta.name);
    }
    if (n > 1) {
        qsort(set, n, sizeof set[0], skr_pod_set_compare);
    }
    return n;
}

/* The pods that wait are not those that were asked for. */
static bool is_outdated(const struct group *g, const struct provisioning *p)
{
    struct skr_pod_set now[SKR_PROVISIONING_SHAPES_MAX];
    const size_t n = gather(g, now);
    bool differs = n != p->n_sets;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < p->n_sets && p->set[k].shape != now[i].shape) {
            k++;
        }
        differs = differs || k == p->n_sets || now[i].count != p->set[k].count;
        free(now[i].pod);
    }
    return differs;
}

/* ---- writes ---- */

static void send(struct skr_gang *e, struct group *g, enum skr_write_kind kind, const char *name,
                 const struct skr_strbuf *body)
{
    const struct skr_meta meta = {.namespace_ = g->namespace_, .name = name};
    g->provisioning->write = skr_out_write(e, kind, SKR_WRITE_CLASS_STATUS, 0, &meta, body,
                                           WRITE_FOR_PROVISIONING, g->key)
                                 ->id;
}

static void remove_next(struct skr_gang *e, struct group *g)
{
    const struct provisioning *p = g->provisioning;
    SKR_STRBUF(name);
    if (p->at == 0) {
        send(e, g, SKR_WRITE_DELETE_PROVISIONING, p->name, NULL);
    } else {
        skr_provisioning_template_name(p->name, p->at - 1, &name);
        send(e, g, SKR_WRITE_DELETE_TEMPLATE, name.s, NULL);
    }
}

static void write_next(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    SKR_STRBUF(name);
    SKR_STRBUF(body);
    switch (p->stage) {
    case STAGE_READ:
        send(e, g, SKR_WRITE_READ_POD, p->set[p->at].pod, NULL);
        break;
    case STAGE_TEMPLATE:
        skr_provisioning_template_name(p->name, p->at, &name);
        skr_provisioning_write_template(g, name.s, p->text, &body);
        send(e, g, SKR_WRITE_CREATE_TEMPLATE, name.s, &body);
        break;
    case STAGE_REQUEST:
        skr_provisioning_write_request(g, p->name, e->settings.provisioning_class, p->asked, p->set,
                                       p->n_sets, &body);
        send(e, g, SKR_WRITE_CREATE_PROVISIONING, p->name, &body);
        break;
    case STAGE_FOLLOW:
        send(e, g, SKR_WRITE_GET_PROVISIONING, p->name, NULL);
        break;
    case STAGE_REMOVE:
        remove_next(e, g);
        break;
    case STAGE_PAUSE:
    case STAGE_GIVEN_UP:
    default:
        break;
    }
}

/* ---- steps ---- */

static void begin(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    SKR_STRBUF(name);
    skr_provisioning_name(g, &name);
    free(p->name);
    p->name = skr_strdup(name.s);
    fini_sets(e, p);
    p->n_sets = gather(g, p->set);
    for (size_t i = 0; i < p->n_sets; i++) {
        skr_shapes_ref(p->set[i].shape);
    }
    p->asked = SKR_HASH_BEGIN;
    p->state = SKR_PROVISIONING_NEW;
    say(p, NULL);
    go(e, p, p->n_sets > 0 ? STAGE_READ : STAGE_GIVEN_UP, skr_frame_now(e->frame));
}

/* Begins if it is time to, and its turn. */
static void take(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    if (!g->provisioning) {
        g->provisioning = skr_alloc(sizeof *g->provisioning);
        g->provisioning->stage = STAGE_PAUSE;
        g->provisioning->next = now;
    }
    struct provisioning *p = g->provisioning;
    p->waited = now;
    if (p->stage != STAGE_PAUSE || now < p->next) {
        return;
    }
    if (e->n_provisioning < SKR_PROVISIONING_AT_ONCE) {
        begin(e, g);
    } else {
        p->next = now + TRY_AGAIN_S * SKR_SECOND;
    }
}

bool skr_provisioning_step(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    if (!*e->settings.provisioning_class) {
        return false;
    }
    take(e, g);
    struct provisioning *p = g->provisioning;
    if (p->write) {
        return true;
    }
    if (p->stage == STAGE_GIVEN_UP) {
        return false;
    }
    if (p->stage != STAGE_REMOVE && p->stage != STAGE_PAUSE && is_outdated(g, p)) {
        clear(e, p, STAGE_PAUSE, now);
    }
    if (now < p->next) {
        skr_wakes_group(e, g, p->next);
    } else {
        write_next(e, g);
    }
    return true;
}

void skr_provisioning_rest(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    const skr_time now = skr_frame_now(e->frame);
    if (!p || p->write) {
        return;
    }
    if (!p->counts) {
        skr_provisioning_forget(e, g);
        return;
    }
    const skr_time over = p->waited + SKR_PROVISIONING_REST_S * SKR_SECOND;
    if (g->seats.n_newcomers > 0 && (g->plan || now < over)) {
        skr_wakes_group(e, g, over > now ? over : now + TRY_AGAIN_S * SKR_SECOND);
        return;
    }
    if (p->stage != STAGE_REMOVE) {
        clear(e, p, STAGE_GIVEN_UP, 0);
    }
    p->after = STAGE_GIVEN_UP;
    if (now < p->next) {
        skr_wakes_group(e, g, p->next);
    } else {
        write_next(e, g);
    }
}

void skr_provisioning_end(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    if (p && p->counts) {
        for (p->at = 0; p->at <= p->n_sets; p->at++) {
            remove_next(e, g);
        }
    }
    skr_provisioning_forget(e, g);
}

/* ---- outcomes ---- */

/* All is removed; then the gates go. */
static void give_up(struct skr_gang *e, struct group *g, const char *why)
{
    skr_out_decision(e, g->key, "", "ProvisioningRequest given up", skr_reason_name(g->reason), why,
                     true);
    clear(e, g->provisioning, STAGE_GIVEN_UP, 0);
}

static void try_again(struct skr_gang *e, struct group *g)
{
    struct provisioning *p = g->provisioning;
    const uint32_t shift = p->failures < DOUBLINGS_MAX ? p->failures : DOUBLINGS_MAX;
    skr_time wait = SKR_PROVISIONING_AGAIN_S * SKR_SECOND << shift;
    if (wait > SKR_PROVISIONING_AGAIN_MAX_S * SKR_SECOND) {
        wait = SKR_PROVISIONING_AGAIN_MAX_S * SKR_SECOND;
    }
    p->failures++;
    clear(e, p, STAGE_PAUSE, skr_frame_now(e->frame) + wait);
}

static void followed(struct skr_gang *e, struct group *g, const struct skr_provisioning *request)
{
    struct provisioning *p = g->provisioning;
    const skr_time now = skr_frame_now(e->frame);
    const char *asked = skr_labels_get(&request->meta.annotations, SKR_PROVISIONING_ASKED);
    if (!asked || strtoull(asked, NULL, 16) != p->asked) {
        clear(e, p, STAGE_PAUSE, now); /* of other pods, or not ours */
        return;
    }
    if (request->state != p->state) {
        skr_out_decision(e, g->key, "", "ProvisioningRequest changed",
                         skr_provisioning_state_name[request->state], request->message, false);
    }
    p->state = request->state;
    say(p, request->message);
    p->next = now + SKR_PROVISIONING_LOOK_S * SKR_SECOND;
    if (p->state == SKR_PROVISIONING_FAILED || p->state == SKR_PROVISIONING_EXPIRED) {
        try_again(e, g);
    } else if (p->state == SKR_PROVISIONING_NEW &&
               now >= p->begun + SKR_PROVISIONING_ANSWER_S * SKR_SECOND) {
        give_up(e, g,
                "no autoscaler has accepted the request: does cluster-autoscaler run with "
                "--enable-provisioning-requests?");
    }
}

static void pod_read(struct skr_gang *e, struct group *g, struct skr_event *ev)
{
    struct provisioning *p = g->provisioning;
    struct skr_pod_template *template =
        ev->written.outcome == SKR_WRITE_OK ? skr_event_take_object(ev) : NULL;
    if (ev->written.outcome == SKR_WRITE_NOT_FOUND) {
        clear(e, p, STAGE_PAUSE, skr_frame_now(e->frame) + TRY_AGAIN_S * SKR_SECOND);
        return;
    }
    if (!template) {
        give_up(e, g, ev->written.message);
        return;
    }
    free(p->text);
    p->text = skr_strdup(template->text);
    p->asked = skr_hash_bytes(p->asked, p->text, strlen(p->text));
    p->asked = skr_hash_bytes(p->asked, &p->set[p->at].count, sizeof p->set[p->at].count);
    p->stage = STAGE_TEMPLATE;
    skr_pod_template_destroy(template);
}

static void made(struct skr_gang *e, struct group *g, const struct skr_event *ev)
{
    struct provisioning *p = g->provisioning;
    const enum skr_write_outcome outcome = ev->written.outcome;
    const skr_time now = skr_frame_now(e->frame);
    if (outcome != SKR_WRITE_OK && outcome != SKR_WRITE_CONFLICT) { /* CONFLICT: it exists */
        give_up(e, g, ev->written.message);
    } else if (p->stage == STAGE_TEMPLATE) {
        p->at++;
        p->stage = p->at < p->n_sets ? STAGE_READ : STAGE_REQUEST;
    } else {
        p->begun = now;
        go(e, p, STAGE_FOLLOW,
           outcome == SKR_WRITE_OK ? now + SKR_PROVISIONING_LOOK_S * SKR_SECOND : now);
    }
}

static void removed(struct skr_gang *e, struct provisioning *p)
{
    if (p->at < p->n_sets) {
        p->at++;
    } else {
        go(e, p, p->after, p->resume);
    }
}

static void answered(struct skr_gang *e, struct group *g, struct skr_event *ev)
{
    struct skr_provisioning *request;
    switch (g->provisioning->stage) {
    case STAGE_READ:
        pod_read(e, g, ev);
        break;
    case STAGE_TEMPLATE:
    case STAGE_REQUEST:
        made(e, g, ev);
        break;
    case STAGE_FOLLOW:
        request = ev->written.outcome == SKR_WRITE_OK ? skr_event_take_object(ev) : NULL;
        if (request) {
            followed(e, g, request);
            skr_provisioning_destroy(request);
        } else if (ev->written.outcome == SKR_WRITE_NOT_FOUND) {
            try_again(e, g);
        } else {
            give_up(e, g, ev->written.message);
        }
        break;
    case STAGE_REMOVE:
        removed(e, g->provisioning);
        break;
    case STAGE_PAUSE:
    case STAGE_GIVEN_UP:
    default:
        break;
    }
}

void skr_provisioning_done(struct skr_gang *e, const struct skr_pending_write *w,
                           struct skr_event *ev)
{
    struct group *g = skr_groups_find(e, w->key);
    const enum skr_write_outcome outcome = ev->written.outcome;
    if (!g || !g->provisioning || g->provisioning->write != w->id) {
        return;
    }
    g->provisioning->write = 0;
    if (outcome == SKR_WRITE_BUSY || outcome == SKR_WRITE_UNKNOWN || outcome == SKR_WRITE_DROPPED) {
        const skr_time pause = TRY_AGAIN_S * SKR_SECOND, told = ev->written.retry_after;
        g->provisioning->next = skr_frame_now(e->frame) + (told > pause ? told : pause);
    } else {
        answered(e, g, ev);
    }
    skr_dirty_group(e, g);
}

/* ---- people ---- */

bool skr_provisioning_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    const struct provisioning *p = g->provisioning;
    char wait[SKR_DURATION_TEXT_MAX];
    if (!p || !p->name || p->stage == STAGE_GIVEN_UP) {
        return false;
    }
    skr_strbuf_addf(b, "ProvisioningRequest %s", p->name);
    if (p->stage == STAGE_PAUSE || p->stage == STAGE_REMOVE) {
        const skr_time left = p->resume - skr_frame_now(e->frame);
        skr_duration_write(left > 0 ? left / SKR_SECOND * SKR_SECOND : 0, wait, sizeof wait);
        skr_strbuf_addf(b, " is %s; it is made again in %s",
                        p->state == SKR_PROVISIONING_NEW ? "removed"
                                                         : skr_provisioning_state_name[p->state],
                        wait);
    } else if (p->state == SKR_PROVISIONING_NEW) {
        skr_strbuf_addf(b, " asks cluster-autoscaler for room for all %zu pods",
                        g->seats.n_newcomers);
    } else {
        skr_strbuf_addf(b, " is %s", skr_provisioning_state_name[p->state]);
    }
    if (p->message) {
        skr_strbuf_addf(b, ": %.*s", SKR_PROVISIONING_TEXT_MAX, p->message);
    }
    return true;
}
