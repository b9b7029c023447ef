/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to JSON, in the order of the view. */
#include "core/spotmix/page.h"

#include <stdlib.h>
#include <string.h>

#include "core/spotmix/object.h"
#include "core/spotmix/why.h"
#include "topology/base/json_writer.h"

static const char *const members[] = {"onDemand", "spot"};
_Static_assert(sizeof members / sizeof members[0] == SKR_SPOTMIX_CLASS_COUNT, "a name each");

static void write_row(struct skr_json_writer *w, const struct skr_spotmix_row *row)
{
    skr_json_string(w, "namespace", row->namespace_);
    skr_json_string(w, "kind", skr_spotmix_types[row->kind]->resource->kind);
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

void skr_spotmix_page_write_nodes(const struct skr_spotmix *mix, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    struct skr_spotmix_node_row *row;
    const size_t n = skr_spotmix_node_rows(mix, &row);
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "nodes", '[');
    for (size_t i = 0; i < n; i++) {
        skr_json_open(&w, NULL, '{');
        skr_json_string(&w, "name", row[i].name);
        skr_json_string(&w, "class", skr_spotmix_class_name[row[i].class_]);
        skr_json_int(&w, "pods", (int64_t)row[i].pods);
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    free(row);
}

static void write_pod(struct skr_json_writer *w, const struct skr_spotmix_row *row,
                      const struct skr_spotmix_pod_row *pod)
{
    const bool none = pod->class_ == SKR_SPOTMIX_NO_CLASS;
    SKR_STRBUF(why);
    skr_spotmix_why(row, pod, &why);
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "name", pod->name);
    skr_json_string(w, "owner", pod->owner);
    if (pod->index < 0) {
        skr_json_raw(w, "index", NULL);
    } else {
        skr_json_int(w, "index", pod->index);
    }
    skr_json_string(w, "class", none ? NULL : skr_spotmix_class_name[pod->class_]);
    skr_json_string(w, "cost", pod->cost);
    skr_json_string(w, "node", *pod->node != '\0' ? pod->node : NULL);
    skr_json_string(w, "reason", pod->reason);
    skr_json_string(w, "why", why.s);
    skr_json_close(w, '}');
}

/* only: this pod; NULL: all. */
static void write_one(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                      const struct skr_spotmix_pod_row *pod, size_t n, const char *only,
                      struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    SKR_STRBUF(next);
    skr_spotmix_next(mix, row, &next);
    skr_json_open(&w, NULL, '{');
    write_row(&w, row);
    skr_json_string(&w, "next", next.s);
    skr_json_open(&w, "pods", '[');
    for (size_t i = 0; i < n; i++) {
        if (!only || strcmp(pod[i].name, only) == 0) {
            write_pod(&w, row, &pod[i]);
        }
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
}

static bool has_pod(const struct skr_spotmix_pod_row *pod, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(pod[i].name, name) != 0) {
        i++;
    }
    return i < n;
}

/* Workloads of that name before those that have a pod of that name. */
static bool write_if(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                     const char *name, bool as_pod, struct skr_strbuf *out)
{
    if (!as_pod && strcmp(row->name, name) != 0) {
        return false;
    }
    struct skr_spotmix_pod_row *pod;
    const size_t n = skr_spotmix_pod_rows(mix, row->key, &pod);
    const bool found = !as_pod || has_pod(pod, n, name);
    if (found) {
        write_one(mix, row, pod, n, as_pod ? name : NULL, out);
    }
    free(pod);
    return found;
}

bool skr_spotmix_page_write_one(const struct skr_spotmix *mix, const char *namespace_,
                                const char *name, struct skr_strbuf *out)
{
    struct skr_spotmix_row *row;
    const size_t n = skr_spotmix_rows(mix, &row);
    bool found = false;
    for (int as_pod = 0; as_pod < 2 && !found; as_pod++) {
        for (size_t i = 0; i < n && !found; i++) {
            found = strcmp(row[i].namespace_, namespace_) == 0 &&
                    write_if(mix, &row[i], name, as_pod == 1, out);
        }
    }
    free(row);
    return found;
}
