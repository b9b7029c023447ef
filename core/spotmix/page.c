/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to JSON, in the order of the view. */
#include "core/spotmix/page.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/json_writer.h"

static const char *const kinds[] = {[SKR_SPOTMIX_DEPLOYMENT] = "Deployment",
                                    [SKR_SPOTMIX_REPLICA_SET] = "ReplicaSet",
                                    [SKR_SPOTMIX_STATEFUL_SET] = "StatefulSet",
                                    [SKR_SPOTMIX_NODE] = "Node",
                                    [SKR_SPOTMIX_POD] = "Pod"};
_Static_assert(sizeof kinds / sizeof kinds[0] == SKR_SPOTMIX_KIND_COUNT, "a name each");

static const char *const members[] = {"onDemand", "spot"};
_Static_assert(sizeof members / sizeof members[0] == SKR_SPOTMIX_CLASS_COUNT, "a name each");

static void write_row(struct skr_json_writer *w, const struct skr_spotmix_row *row)
{
    skr_json_string(w, "namespace", row->namespace_);
    skr_json_string(w, "kind", kinds[row->kind]);
    skr_json_string(w, "name", row->name);
    if (row->rule.all) {
        skr_json_raw(w, "max", NULL);
    } else {
        skr_json_int(w, "max", row->rule.max);
    }
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        skr_json_open(w, members[i], '{');
        skr_json_int(w, "actual", (int64_t)row->actual[i]);
        skr_json_int(w, "desired", row->desired[i]);
        skr_json_close(w, '}');
    }
    skr_json_int(w, "drift", (int64_t)row->drift);
    skr_json_string(w, "reason", row->reason);
}

void skr_spotmix_page_write(const struct skr_spotmix *mix, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    struct skr_spotmix_row *row;
    const size_t n = skr_spotmix_rows(mix, &row);

    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "workloads", '[');
    for (size_t i = 0; i < n; i++) {
        skr_json_open(&w, NULL, '{');
        write_row(&w, &row[i]);
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    free(row);
}

static void write_pod(struct skr_json_writer *w, const struct skr_spotmix_pod_row *pod)
{
    const bool none = pod->class_ == SKR_SPOTMIX_NO_CLASS;

    skr_json_open(w, NULL, '{');
    skr_json_string(w, "name", pod->name);
    skr_json_string(w, "owner", pod->owner);
    if (pod->index < 0) {
        skr_json_raw(w, "index", NULL);
    } else {
        skr_json_int(w, "index", pod->index);
    }
    skr_json_string(w, "class", none ? NULL : skr_spotmix_class_name(pod->class_));
    skr_json_string(w, "cost", *pod->cost != '\0' ? pod->cost : NULL);
    skr_json_string(w, "node", *pod->node != '\0' ? pod->node : NULL);
    skr_json_string(w, "reason", pod->reason);
    skr_json_close(w, '}');
}

bool skr_spotmix_page_write_one(const struct skr_spotmix *mix, const char *namespace_,
                                const char *name, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    struct skr_spotmix_row *row;
    const size_t n = skr_spotmix_rows(mix, &row);
    size_t i = 0;

    while (i < n &&
           (strcmp(row[i].namespace_, namespace_) != 0 || strcmp(row[i].name, name) != 0)) {
        i++;
    }
    const bool found = i < n;
    if (found) {
        struct skr_spotmix_pod_row *pod;
        const size_t n_pods = skr_spotmix_pod_rows(mix, row[i].uid, &pod);
        skr_json_open(&w, NULL, '{');
        write_row(&w, &row[i]);
        skr_json_open(&w, "pods", '[');
        for (size_t k = 0; k < n_pods; k++) {
            write_pod(&w, &pod[k]);
        }
        skr_json_close(&w, ']');
        skr_json_close(&w, '}');
        free(pod);
    }
    free(row);
    return found;
}
