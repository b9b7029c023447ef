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

#define JOB "Job.batch/"

/* The name of the Job that controls the pod; "": none. */
static const char *job_of(const struct skr_pod *pod)
{
    const size_t n = sizeof JOB - 1;
    return pod->of_job && strncmp(pod->controller, JOB, n) == 0 ? pod->controller + n : "";
}

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

static void add_job(const struct skr_gang *e, const char *namespace_, size_t n, const char *job,
                    struct skr_pod_times *times)
{
    const struct owner_entry *entry = NULL;
    if (*job) {
        SKR_STRBUF(space);
        skr_strbuf_addn(&space, namespace_, n);
        entry = skr_workload_owners_find(e, "Job", space.s, job);
    }
    if (entry && entry->owner) {
        times->job_deadline_s = entry->owner->deadline_s;
        times->job_started = entry->owner->started;
    }
}

struct skr_pod_times skr_ends_times(const struct skr_gang *e, const struct end_row *row)
{
    struct skr_pod_times times = row->times;
    add_job(e, row->key, strcspn(row->key, "/"), row->job, &times);
    return times;
}

struct skr_pod_times skr_ends_times_of(const struct skr_gang *e, const struct skr_pod *pod)
{
    struct skr_pod_times times = skr_pod_times_of(pod);
    add_job(e, pod->meta.namespace_, strlen(pod->meta.namespace_), job_of(pod), &times);
    return times;
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
           (e->settings.reservations > 0 && (deadline_s > 0 || pod->meta.deleting || *job_of(pod)));
}

static struct end_row *make(struct skr_gang *e, const struct skr_pod *pod)
{
    const size_t uid = strlen(pod->meta.uid) + 1, space = strlen(pod->meta.namespace_),
                 name = strlen(pod->meta.name) + 1, job = strlen(job_of(pod)) + 1;
    struct end_row *row = skr_alloc(sizeof *row + uid + space + 1 + name + job);
    char *at = row->text;
    row->uid = memcpy(at, pod->meta.uid, uid);
    at += uid;
    row->key = memcpy(at, pod->meta.namespace_, space);
    at[space] = '/';
    memcpy(at + space + 1, pod->meta.name, name);
    at += space + 1 + name;
    row->job = memcpy(at, job_of(pod), job);
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
    if (!is_wanted(e, pod, times.deadline_s)) {
        if (row) {
            drop(e, row);
        }
        return;
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
    }
    if (*row->job) {
        skr_workload_owners_ask(e, "Job");
    }
    row->times = times;
    e->n_limits += has_limit(row);
    row->on = skr_nodes_get(e, node);
    DL_APPEND(row->on->ends, row);
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
