/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks karmada-scheduler-estimator of each cluster how much room it has (karmada
 * pkg/estimator/client/accurate.go). Where karmada-scheduler drops all answers if one estimator
 * fails, here an estimator that fails is left out alone: the general estimate of its cluster counts.
 *
 * Answers belong to one decision, since each decision changes what the next one may be told. An
 * estimator that failed rests, so that later decisions do not wait for it as well.
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/estimator_wire.h"
#include "core/propagation/state.h"

const char skr_estimator_replicas[] = "MaxAvailableReplicas";
const char skr_estimator_sets[] = "MaxAvailableComponentSets";

enum { SILENT_SHOWN = 3 }; /* names in a warning */

const char *const skr_estimator_result_name[] = {
    [SKR_ESTIMATOR_ANSWERED] = "answered",
    [SKR_ESTIMATOR_UNKNOWN] = "unknown",
    [SKR_ESTIMATOR_FAILED] = "failed",
    [SKR_ESTIMATOR_RESTED] = "rested",
};
_Static_assert(sizeof skr_estimator_result_name / sizeof *skr_estimator_result_name ==
                   SKR_ESTIMATOR_RESULT_COUNT,
               "all named");

void skr_estimators_destroy(struct skr_estimators *estimators)
{
    for (size_t i = 0; estimators && i < estimators->n; i++) {
        free(estimators->item[i].cluster);
    }
    if (estimators) {
        free(estimators->item);
    }
    free(estimators);
}

/* ---- questions ---- */

/* The estimators of the clusters that may count and have one, each silent until it answers. */
static struct skr_estimators *list(struct skr_propagation *self, const struct skr_binding *binding)
{
    size_t n = 0;
    const struct skr_member_cluster *const *cluster = skr_propagation_clusters(self, &n);
    struct skr_estimators *estimators = skr_alloc(sizeof *estimators);
    SKR_AUTO_FREE bool *may = skr_alloc_array(n + 1, sizeof *may);
    skr_binding_list_possible(binding, cluster, n, &self->settings->options, may);
    estimators->generation = binding->generation;
    estimators->item = skr_alloc_array(n + 1, sizeof *estimators->item);
    for (size_t i = 0; i < n; i++) {
        if (may[i] && !(cluster[i]->pulls && self->settings->estimators_push_only)) {
            estimators->item[estimators->n++] = (struct skr_estimated){
                .cluster = skr_strdup(cluster[i]->meta.name), .room = -1, .silent = true};
        }
    }
    return estimators;
}

static bool rests(struct skr_propagation *self, const char *cluster)
{
    const struct skr_cluster_entry *entry = skr_propagation_find_cluster(self, cluster);
    return entry && entry->rests_until > skr_frame_now(self->frame);
}

static void send(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    struct skr_estimators *estimators = entry->estimators;
    const struct skr_binding *binding = entry->binding;
    const bool sets = self->settings->options.component_sets && skr_binding_is_set(binding);
    const struct skr_binding_bytes *rest = sets ? &binding->sets_asked : &binding->replicas_asked;
    SKR_AUTO_FREE struct skr_question *question = skr_alloc_array(estimators->n, sizeof *question);
    SKR_AUTO_FREE size_t *end = skr_alloc_array(estimators->n, sizeof *end);
    SKR_STRBUF(bodies);
    size_t n = 0;
    for (size_t i = 0; i < estimators->n; i++) {
        if (rests(self, estimators->item[i].cluster)) {
            self->estimators[SKR_ESTIMATOR_RESTED]++;
            continue;
        }
        estimators->item[i].asked = true;
        skr_estimator_write_request(estimators->item[i].cluster, rest->data, rest->n, &bodies);
        question[n].service = estimators->item[i].cluster;
        end[n++] = bodies.len;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t begin = i > 0 ? end[i - 1] : 0;
        question[i].body = bodies.s + begin;
        question[i].body_len = end[i] - begin;
    }
    if (n > 0) {
        estimators->query = skr_frame_query(
            self->frame,
            &(struct skr_query){.key = entry->key,
                                .method = sets ? skr_estimator_sets : skr_estimator_replicas,
                                .timeout = self->settings->estimator_timeout,
                                .n = n,
                                .question = question});
    }
}

bool skr_estimators_ask(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    skr_estimators_destroy(entry->estimators);
    entry->estimators = NULL;
    if (self->settings->estimator_timeout == 0 ||
        !skr_binding_asks_estimators(entry->binding, &self->settings->options)) {
        return false;
    }
    entry->estimators = list(self, entry->binding);
    if (entry->estimators->n > 0) {
        send(self, entry);
    }
    return entry->estimators->query != 0;
}

/* ---- replies ---- */

static void note_failure(struct skr_propagation *self, const char *cluster, const char *failure)
{
    struct skr_cluster_entry *entry = skr_propagation_find_cluster(self, cluster);
    self->estimators[SKR_ESTIMATOR_FAILED]++;
    if (entry) {
        free(entry->failure);
        entry->failure = skr_strdup(failure);
        entry->rests_until = skr_frame_now(self->frame) + SKR_ESTIMATOR_REST;
    }
}

static void take_one(struct skr_propagation *self, struct skr_estimated *item,
                     const struct skr_reply *reply)
{
    struct skr_error error = {.text = ""};
    if (!reply->answered) {
        note_failure(self, item->cluster, reply->failure);
    } else if (skr_estimator_read_answer(reply->body, reply->body_len, &item->room, &error) < 0) {
        note_failure(self, item->cluster, error.text);
    } else {
        self->estimators[item->room < 0 ? SKR_ESTIMATOR_UNKNOWN : SKR_ESTIMATOR_ANSWERED]++;
        item->silent = false;
    }
}

bool skr_estimators_take(struct skr_propagation *self, struct skr_binding_entry *entry,
                         const struct skr_replies *replies)
{
    struct skr_estimators *estimators = entry ? entry->estimators : NULL;
    size_t next = 0;
    if (!estimators || estimators->query != replies->id) {
        return false;
    }
    estimators->query = 0;
    for (size_t i = 0; i < estimators->n && next < replies->n; i++) {
        if (estimators->item[i].asked) {
            take_one(self, &estimators->item[i], &replies->reply[next++]);
        }
    }
    return true;
}

int32_t *skr_estimators_answers(const struct skr_estimators *estimators,
                                const struct skr_member_cluster *const *cluster, size_t n)
{
    size_t next = 0;
    if (!estimators) {
        return NULL;
    }
    int32_t *answers = skr_alloc_array(n + 1, sizeof *answers);
    for (size_t i = 0; i < n; i++) {
        const char *name = cluster[i]->meta.name;
        while (next < estimators->n && strcmp(estimators->item[next].cluster, name) < 0) {
            next++;
        }
        const bool found =
            next < estimators->n && strcmp(estimators->item[next].cluster, name) == 0;
        answers[i] = found ? estimators->item[next].room : -1;
    }
    return answers;
}

void skr_estimators_warn(struct skr_propagation *self, const struct skr_estimators *estimators,
                         struct skr_strbuf *out)
{
    const char *why = NULL;
    size_t n = 0;
    SKR_STRBUF(names);
    for (size_t i = 0; estimators && i < estimators->n; i++) {
        const char *cluster = estimators->item[i].cluster;
        if (!estimators->item[i].silent) {
            continue;
        }
        const struct skr_cluster_entry *entry = skr_propagation_find_cluster(self, cluster);
        why = why ? why : entry ? entry->failure : NULL;
        if (n++ < SILENT_SHOWN) {
            skr_strbuf_addf(&names, "%s%s", n > 1 ? ", " : "", cluster);
        }
    }
    if (n == 0) {
        return;
    }
    skr_strbuf_addf(out, "%s" SKR_ESTIMATORS_SILENT "no answer from the estimator of %s",
                    out->len > 0 ? " " : "", names.s);
    if (n > SILENT_SHOWN) {
        skr_strbuf_addf(out, " and of %zu more clusters", n - SILENT_SHOWN);
    }
    skr_strbuf_addf(out, "%s%s. The Cluster objects alone said how much room there is.",
                    why ? ": " : "", why ? why : "");
}
