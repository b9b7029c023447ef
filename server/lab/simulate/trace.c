/* SPDX-License-Identifier: Apache-2.0 */
/* Files and words in, reports out. */
#include "server/lab/simulate/trace.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/topology.h"
#include "server/exit_code.h"
#include "server/lab/replay/report.h"
#include "server/lab/simulate/dump.h"
#include "topology/base/arena.h"
#include "topology/resources.h"

enum { CHOICES_MAX = 8 }; /* words of --policy and of --place */

struct trace {
    const struct skr_simulate_trace_options *options;
    struct skr_strbuf *messages;
    struct skr_simulate_dump dump;
    struct skr_replay_cluster cluster;
    struct skr_replay_jobs jobs;
    const struct skr_replay_policy *policy[CHOICES_MAX];
    const struct skr_replay_place *place[CHOICES_MAX];
    size_t n_policies, n_places;
    struct skr_replay_report report[CHOICES_MAX * CHOICES_MAX];
    size_t n_reports;
};

/* ---- words ---- */

/* Rows begin with their name; a row without one ends them. */
static const void *find_row(const void *rows, size_t size, const char *word, size_t len)
{
    for (const char *row = rows;; row += size) {
        const char *name = *(const char *const *)(const void *)row;
        if (!name || (strlen(name) == len && memcmp(name, word, len) == 0)) {
            return name ? row : NULL;
        }
    }
}

static void refuse_word(struct trace *t, const char *flag, const char *word, size_t len,
                        const void *rows, size_t size)
{
    skr_strbuf_addf(t->messages, "sakkara simulate: %s: \"%.*s\" is not one of ", flag,
                    (int)(len < 40 ? len : 40), word);
    for (const char *row = rows; *(const char *const *)(const void *)row; row += size) {
        skr_strbuf_addf(t->messages, "%s%s", row == rows ? "" : ", ",
                        *(const char *const *)(const void *)row);
    }
    skr_strbuf_addc(t->messages, '\n');
}

/* A list of rows, no row twice; text NULL: the first row. Returns an exit code. */
static int read_words(struct trace *t, const char *flag, const char *text, const void *rows,
                      size_t size, const void **ret, size_t *ret_n)
{
    *ret_n = 0;
    if (!text) {
        ret[(*ret_n)++] = rows;
        return SKR_EXIT_OK;
    }
    for (const char *at = text; at;) {
        const size_t len = strcspn(at, ",");
        const void *row = find_row(rows, size, at, len);
        if (!row) {
            refuse_word(t, flag, at, len, rows, size);
            return SKR_EXIT_USAGE;
        }
        for (size_t i = 0; i < *ret_n && row; i++) {
            row = ret[i] == row ? NULL : row;
        }
        if (row) {
            ret[(*ret_n)++] = row;
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    return SKR_EXIT_OK;
}

static int read_choices(struct trace *t)
{
    const void *row[CHOICES_MAX] = {NULL};
    int code = read_words(t, "--policy", t->options->policy, skr_replay_policy,
                          sizeof *skr_replay_policy, row, &t->n_policies);
    for (size_t i = 0; i < t->n_policies; i++) {
        t->policy[i] = row[i];
    }
    if (code == SKR_EXIT_OK) {
        code = read_words(t, "--place", t->options->place, skr_replay_place,
                          sizeof *skr_replay_place, row, &t->n_places);
    }
    for (size_t i = 0; i < t->n_places; i++) {
        t->place[i] = row[i];
    }
    return code;
}

/* ---- the cluster ---- */

/* The nodes of the files, empty; one unit of the resource is a slot. */
static int take_cluster(struct trace *t)
{
    static const struct skr_view_query query = {.path = "/v1/tree"};
    const struct skr_gang *e = skr_simulate_dump_gang(&t->dump);
    json_auto_t *page =
        skr_simulate_dump_page(&t->dump, &query, 0, "sakkara simulate", t->messages);
    const char *name = json_string_value(json_object_get(page, "resource"));
    const int id = name ? skr_resource_names_find(e->resources, name) : -1;
    if (!skr_topology_is_usable(e) || id < 0 || e->topology.tree->n_leaves > SKR_REPLAY_NODES_MAX) {
        skr_strbuf_addf(t->messages,
                        "sakkara simulate: the files have no topology with 1 to %d nodes\n",
                        SKR_REPLAY_NODES_MAX);
        return SKR_EXIT_ERROR;
    }
    const struct skr_tree *tree = e->topology.tree;
    t->cluster.tree = skr_tree_ref(tree);
    t->cluster.slots = skr_alloc_array((size_t)tree->n_leaves, sizeof *t->cluster.slots);
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        const char *node = tree->unit_name[tree->first_leaf + i];
        const int64_t all = skr_ledger_allocatable(e->ledger, node, (uint16_t)id);
        const int64_t slots = skr_room_holds(all, skr_resource_one(name));
        t->cluster.slots[i] = slots < SKR_REPLAY_SLOTS_MAX ? slots : SKR_REPLAY_SLOTS_MAX;
    }
    return SKR_EXIT_OK;
}

static int read_cluster(struct trace *t)
{
    const struct skr_simulate_trace_options *o = t->options;
    struct skr_error error;
    if (!o->cluster) {
        const int code =
            skr_simulate_dump_read(&t->dump, o->file, o->n_files, SKR_SECOND, t->messages);
        return code == SKR_EXIT_OK ? take_cluster(t) : code;
    }
    if (skr_replay_cluster_parse(o->cluster, &t->cluster, &error) < 0) {
        skr_strbuf_addf(t->messages, "sakkara simulate: --cluster: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    return SKR_EXIT_OK;
}

/* ---- the jobs ---- */

static int read_jobs(struct trace *t)
{
    const char *path = t->options->trace;
    struct skr_findings findings;
    char *text;
    size_t n;
    skr_findings_init(&findings);
    int rc = strcmp(path, "-") == 0
                 ? skr_findings_read(&findings, "/dev/stdin", SKR_REPLAY_BYTES_MAX, &text, &n)
                 : skr_findings_read(&findings, path, SKR_REPLAY_BYTES_MAX, &text, &n);
    if (rc == 0) {
        rc =
            skr_replay_jobs_parse(text, n, t->cluster.tree, &findings, &t->jobs) ? 0 : -SKR_INVALID;
        free(text);
    }
    skr_findings_write(&findings, path, t->messages);
    return skr_exit_code_of(rc);
}

/* ---- the whole ---- */

static int play_one(struct trace *t, const struct skr_replay_policy *policy,
                    const struct skr_replay_place *place)
{
    const skr_time patience = t->dump.settings.patience;
    const struct skr_replay_options options = {
        .policy = policy,
        .place = place,
        .reservations = (int32_t)t->dump.settings.reservations,
        .patience = patience == SKR_TIME_NEVER ? SKR_INSTANT_NEVER : skr_instant_up(patience),
        .horizon = skr_instant_up(t->dump.settings.horizon)};
    struct skr_replay_outcome outcome;
    struct skr_error error;
    const int rc = skr_replay_run(&t->jobs, &t->cluster, &options, &outcome, &error);
    if (rc < 0) {
        skr_strbuf_addf(t->messages, "sakkara simulate: %s: %s\n", policy->name, error.text);
    } else {
        skr_replay_report_make(&t->jobs, &t->cluster, &options, &outcome,
                               &t->report[t->n_reports++]);
    }
    skr_replay_outcome_fini(&outcome);
    return rc < 0 ? SKR_EXIT_ERROR : SKR_EXIT_OK;
}

static int play_all(struct trace *t)
{
    int code = SKR_EXIT_OK;
    for (size_t i = 0; i < t->n_policies; i++) {
        for (size_t k = 0; k < t->n_places && code == SKR_EXIT_OK; k++) {
            code = play_one(t, t->policy[i], t->place[k]);
        }
    }
    return code;
}

static void write_reports(const struct trace *t, struct skr_strbuf *out)
{
    const struct skr_tree *tree = t->cluster.tree;
    const int32_t level = skr_replay_rack_level(tree);
    const struct skr_replay_head head = {.file = t->options->trace,
                                         .jobs = t->jobs.n,
                                         .racks = tree->level_first[level + 1] -
                                                  tree->level_first[level],
                                         .nodes = tree->n_leaves,
                                         .slots = skr_replay_largest(&t->cluster, 0),
                                         .places = t->n_places > 1};
    if (t->options->json) {
        skr_replay_report_json(&head, t->report, t->n_reports, out);
    } else {
        skr_replay_report_text(&head, t->report, t->n_reports, out);
    }
}

int skr_simulate_trace_run(const struct skr_simulate_trace_options *options, struct skr_strbuf *out,
                           struct skr_strbuf *messages)
{
    struct trace t = {.options = options, .messages = messages};
    int code = skr_simulate_dump_init(&t.dump, options->config, messages);
    code = code == SKR_EXIT_OK ? read_choices(&t) : code;
    code = code == SKR_EXIT_OK ? read_cluster(&t) : code;
    code = code == SKR_EXIT_OK ? read_jobs(&t) : code;
    code = code == SKR_EXIT_OK ? play_all(&t) : code;
    if (code == SKR_EXIT_OK) {
        write_reports(&t, out);
    }
    skr_replay_jobs_fini(&t.jobs);
    skr_replay_cluster_fini(&t.cluster);
    skr_simulate_dump_fini(&t.dump);
    return code;
}
