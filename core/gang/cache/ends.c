/* SPDX-License-Identifier: Apache-2.0 */
/* A table by uid, and a list for each node. */
#include "core/gang/cache/ends.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/booked.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/workload_owners.h"
#include "topology/base/table.h"

static struct end_row *find(const struct skr_gang *e, const char *uid)
{
    struct end_row *row = NULL;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->ends, uid, row);
    return row;
}

const struct end_row *skr_ends_find(const struct skr_gang *e, const char *uid)
{
    return find(e, uid);
}

const struct end_row *skr_ends_on(const struct skr_gang *e, const char *node)
{
    const struct node_entry *n = skr_nodes_find(e, node);
    return n ? n->ends : NULL;
}

/* ---- times ---- */

static const struct skr_owner *find_job(const struct skr_gang *e, const char *namespace_,
                                        const char *job)
{
    const struct owner_entry *entry =
        *job ? skr_workload_owners_find(e, "Job", namespace_, job) : NULL;
    return entry ? entry->owner : NULL;
}

static void add_job(const struct skr_owner *job, struct skr_pod_times *times)
{
    times->job_deadline_s = job->deadline_s;
    times->job_started = job->started;
}

#define UID_LABEL     "batch.kubernetes.io/controller-uid"
#define UID_LABEL_OLD "controller-uid"

/* Whether it has the label that the API server puts into selectors of Jobs. */
static bool is_labelled(const struct skr_pod *pod)
{
    const char *uid = skr_labels_get(&pod->meta.labels, UID_LABEL);
    uid = uid ? uid : skr_labels_get(&pod->meta.labels, UID_LABEL_OLD);
    return uid && strcmp(uid, pod->controller_uid) == 0;
}

/* With the labels of the pod if its Job is known. The answer stays: another Job has another uid, and a
 * selector never changes. */
static void judge(const struct skr_gang *e, struct end_row *row, const struct skr_pod *pod)
{
    const struct skr_owner *job = find_job(e, pod->meta.namespace_, row->job);
    row->labelled = is_labelled(pod);
    row->judged = !job || job->deadline_s == 0 || strcmp(row->controller, job->meta.uid) != 0
                      ? END_UNJUDGED
                  : skr_owner_manages(job, row->controller, &pod->meta) ? END_BY_JOB
                                                                        : END_NOT_BY_JOB;
}

/* If the Job became known after the pod, a selector that the API server made is judged by its label. One
 * that the user wrote gives no end until the next version of the pod. */
static bool is_ended_by(struct end_row *row, const struct skr_owner *job)
{
    struct skr_label own[] = {{UID_LABEL, row->controller}, {UID_LABEL_OLD, row->controller}};
    const struct skr_meta meta = {.namespace_ = job->meta.namespace_,
                                  .labels = {.n = row->labelled ? 2 : 0, .item = own}};
    if (row->judged == END_UNJUDGED && skr_owner_manages(job, row->controller, &meta)) {
        row->judged = END_BY_JOB;
    }
    return row->judged == END_BY_JOB && strcmp(row->controller, job->meta.uid) == 0 &&
           skr_owner_has_deadline(job);
}

/* The Job that ends the pod at its deadline; NULL: none. */
static const struct skr_owner *job_of(const struct skr_gang *e, const struct skr_pod *pod)
{
    const struct skr_owner *job =
        find_job(e, pod->meta.namespace_, skr_workload_owners_job_name(pod));
    const bool ends = job && skr_owner_has_deadline(job) &&
                      skr_owner_manages(job, pod->controller_uid, &pod->meta);
    return ends ? job : NULL;
}

/* Clocks differ: a little later is the same. */
static bool is_raised(const struct end_row *row, int64_t end)
{
    return row->times.word != 0 && end > skr_instant_plus(row->times.word, SKR_OVERRUN_S);
}

/* Its word is over, and no reservation is on its node. Promises of an earlier process are read first. */
static bool is_spent(const struct skr_gang *e, const struct end_row *row)
{
    return !e->rounds.first && !skr_booked_find(e, row->on->name) &&
           skr_frame_now(e->frame) / SKR_SECOND > skr_instant_plus(row->times.word, SKR_OVERRUN_S);
}

/* The earliest end by limits so far is its word. A deletion gives none: the seat may be held until the word. */
static void keep_word(const struct skr_gang *e, struct end_row *row, struct skr_pod_times *times)
{
    struct skr_pod_times stays = *times;
    stays.deleted = 0;
    const int64_t end = skr_end_begun(times), limit = skr_end_begun(&stays);
    if (is_raised(row, end) && is_spent(e, row)) {
        row->times.word = 0;
    }
    if (limit != SKR_INSTANT_NEVER && (row->times.word == 0 || limit < row->times.word)) {
        row->times.word = limit;
    }
    times->raised = is_raised(row, end);
    times->word = e->settings.evict_overrun ? row->times.word : 0;
}

struct skr_pod_times skr_ends_times(const struct skr_gang *e, const struct end_row *row)
{
    struct end_row *own =
        (struct end_row *)(uintptr_t)row; /* its word is kept when it is first given */
    struct skr_pod_times times = row->times;
    SKR_STRBUF(space);
    skr_strbuf_addn(&space, row->key, *row->job ? strcspn(row->key, "/") : 0);
    const struct skr_owner *job = *row->job ? find_job(e, space.s, row->job) : NULL;
    if (job && is_ended_by(own, job)) {
        add_job(job, &times);
    }
    keep_word(e, own, &times);
    return times;
}

struct skr_pod_times skr_ends_times_of(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct skr_pod_times times = skr_pod_times_of(pod);
    const struct skr_owner *job = job_of(e, pod);
    if (job) {
        add_job(job, &times);
    }
    return times;
}

int64_t skr_ends_by_job(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct skr_pod_times times = {0};
    const struct skr_owner *job = job_of(e, pod);
    if (job) {
        add_job(job, &times);
        times.grace_s = pod->grace_s;
    }
    return skr_end_begun(&times);
}

/* What an earlier process wrote. */
static int64_t written_word(const struct skr_pod *pod)
{
    const char *text = skr_labels_get(&pod->meta.annotations, SKR_ANNOTATION_END);
    skr_time end;
    return text && skr_time_parse(text, &end, NULL) == 0 && end > 0 ? skr_instant_up(end) : 0;
}

bool skr_ends_broke_word(const struct skr_gang *e, const char *uid)
{
    const struct end_row *row = skr_ends_find(e, uid);
    return row && row->evict.told;
}

int64_t skr_ends_by_limit(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct skr_pod_times times = skr_ends_times_of(e, pod);
    times.deleted = 0;
    const int64_t end = skr_end_begun(&times);
    const struct end_row *row = skr_ends_find(e, pod->meta.uid);
    const int64_t word = row && e->settings.evict_overrun ? row->times.word : 0;
    return word != 0 && word < end ? word : end;
}

void skr_ends_renew(struct skr_gang *e, struct end_row *row)
{
    row->times.word = 0;
    (void)skr_ends_times(e, row);
    skr_booked_stale(e, row->on->name);
    skr_seen_note(&e->seen, SEEN_ENDS);
}

/* ---- rows ---- */

static bool has_limit(const struct end_row *row)
{
    return row->times.deadline_s > 0 || row->times.deleted > 0;
}

static void drop(struct skr_gang *e, struct end_row *row)
{
    e->n_limits -= has_limit(row);
    skr_booked_stale(e, row->on->name);
    DL_DELETE(row->on->ends, row);
    HASH_DEL(e->ends, row);
    free(row);
    skr_seen_note(&e->seen, SEEN_ENDS);
}

void skr_ends_forget(struct skr_gang *e, const char *uid)
{
    struct end_row *row = e->ends ? find(e, uid) : NULL;
    if (row) {
        drop(e, row);
    }
}

static bool is_wanted(const struct skr_gang *e, const struct skr_pod *pod, int64_t deadline_s)
{
    return e->settings.ends_of_all ||
           (e->settings.reservations > 0 &&
            (deadline_s > 0 || pod->meta.deleting || *skr_workload_owners_job_name(pod)));
}

static struct end_row *make(struct skr_gang *e, const struct skr_pod *pod)
{
    const size_t uid = strlen(pod->meta.uid) + 1, space = strlen(pod->meta.namespace_),
                 name = strlen(pod->meta.name) + 1,
                 job = strlen(skr_workload_owners_job_name(pod)) + 1;
    const char *controller = job > 1 ? pod->controller_uid : "";
    const size_t n = strlen(controller) + 1;
    struct end_row *row = skr_alloc(sizeof *row + uid + space + 1 + name + job + n);
    char *at = row->text;
    row->uid = memcpy(at, pod->meta.uid, uid);
    at += uid;
    row->key = memcpy(at, pod->meta.namespace_, space);
    at[space] = '/';
    memcpy(at + space + 1, pod->meta.name, name);
    at += space + 1 + name;
    row->job = memcpy(at, skr_workload_owners_job_name(pod), job);
    row->controller = memcpy(at + job, controller, n);
    row->times.word = job > 1 ? written_word(pod) : 0;
    SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->ends, row->uid, uid - 1, row);
    return row;
}

void skr_ends_put(struct skr_gang *e, const struct skr_pod *pod, const char *node,
                  int32_t deadline_s)
{
    struct end_row *row = e->ends ? find(e, pod->meta.uid) : NULL;
    struct skr_pod_times times = skr_pod_times_of(pod);
    times.started = row && row->times.started != 0
                        ? row->times.started
                        : skr_start_seen(pod->started, skr_frame_now(e->frame));
    times.deadline_s = deadline_s > 0 ? deadline_s : times.deadline_s;
    times.word = row ? row->times.word : 0;
    if (!is_wanted(e, pod, times.deadline_s) && times.word == 0) {
        if (row) {
            drop(e, row);
        }
        return;
    }
    if (row) {
        judge(e, row, pod); /* its labels may be others */
    }
    if (row && strcmp(row->on->name, node) == 0 && skr_pod_times_equal(&row->times, &times)) {
        return;
    }
    if (row) {
        skr_booked_stale(e, row->on->name);
        DL_DELETE(row->on->ends, row);
        e->n_limits -= has_limit(row);
    } else {
        row = make(e, pod);
        times.word = row->times.word;
        judge(e, row, pod);
    }
    if (*row->job) {
        skr_workload_owners_ask(e, "Job");
    }
    row->times = times;
    row->on = skr_nodes_get(e, node);
    DL_APPEND(row->on->ends, row);
    (void)skr_ends_times(e, row);
    e->n_limits += has_limit(row);
    skr_booked_stale(e, node);
    skr_seen_note(&e->seen, SEEN_ENDS);
}

void skr_ends_fini(struct skr_gang *e)
{
    struct end_row *row, *tmp;
    HASH_ITER(hh, e->ends, row, tmp)
    {
        HASH_DEL(e->ends, row);
        free(row);
    }
}
