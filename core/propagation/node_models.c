/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by grades, from JSON, and what fits on them. Limits: see the header. */
#include "core/propagation/node_models.h"

#include <stdlib.h>
#include <string.h>

enum { NANO = 1000000000, NANO_PER_MILLI = 1000000 };

/* ---- reading ---- */

/* What is there for scheduling: cpu in millicores, others in whole units, rounded up. */
static int64_t amount_of(const char *name, skr_int128 nano)
{
    const skr_int128 unit = strcmp(name, "cpu") == 0 ? NANO_PER_MILLI : NANO;
    const skr_int128 amount = nano <= 0 ? 0 : (nano + unit - 1) / unit;
    return amount > INT64_MAX ? INT64_MAX : (int64_t)amount;
}

static struct skr_quantity_item *find(const struct skr_quantities *has, const char *name)
{
    for (size_t i = 0; i < has->n; i++) {
        if (strcmp(has->item[i].name, name) == 0) {
            return &has->item[i];
        }
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct skr_quantity_item *x = a;
    const struct skr_quantity_item *y = b;
    return strcmp(x->name, y->name);
}

/* Of two ranges of one name the later one counts. */
static void read_ranges(const struct skr_fields *grade, struct skr_quantities *ret)
{
    const struct skr_fields list = skr_fields_list(grade, "ranges", SKR_NODE_RESOURCES_MAX);
    ret->item = skr_fields_room(&list, list.n, sizeof *ret->item);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields range = skr_fields_entry(&list, i);
        const char *name = skr_fields_text(&range, "name");
        struct skr_quantity_item *item = find(ret, name);
        if (!item) {
            item = &ret->item[ret->n++];
        }
        item->name = name;
        item->amount = amount_of(name, skr_fields_nano(&range, "min"));
    }
    if (ret->n > 1) {
        qsort(ret->item, ret->n, sizeof *ret->item, by_name);
    }
}

/* Nodes of a grade; counts of one grade add up. */
static int64_t count_nodes(const struct skr_fields *counts, int64_t grade, bool *ret_is_negative)
{
    int64_t nodes = 0;
    for (size_t i = 0; skr_fields_more(counts, i); i++) {
        const struct skr_fields entry = skr_fields_entry(counts, i);
        const int64_t count = skr_fields_int64(&entry, "count", 0);
        *ret_is_negative = *ret_is_negative || count < 0;
        if (count > 0 && skr_fields_int64(&entry, "grade", 0) == grade) {
            nodes = count < SKR_MODEL_NODES_MAX - nodes ? nodes + count : SKR_MODEL_NODES_MAX;
        }
    }
    return nodes;
}

static int by_grade(const void *a, const void *b)
{
    const struct skr_node_model *x = a;
    const struct skr_node_model *y = b;
    return (x->grade > y->grade) - (x->grade < y->grade);
}

/* Of two models of one grade the later one counts. */
static struct skr_node_model *place_of(struct skr_node_models *models, int64_t grade)
{
    size_t i = 0;
    while (i < models->n && models->model[i].grade != grade) {
        i++;
    }
    models->n += i == models->n ? 1 : 0;
    models->model[i] = (struct skr_node_model){.grade = grade};
    return &models->model[i];
}

static void drop_empty_grades(struct skr_node_models *models)
{
    size_t n = 0;
    for (size_t i = 0; i < models->n; i++) {
        if (models->model[i].nodes > 0) {
            models->model[n++] = models->model[i];
        }
    }
    models->n = n;
}

void skr_node_models_decode(const struct skr_fields *spec, const struct skr_fields *summary,
                            struct skr_node_models *ret)
{
    const struct skr_fields grades = skr_fields_list(spec, "resourceModels", SKR_MODEL_GRADES_MAX);
    const struct skr_fields counts =
        skr_fields_list(summary, "allocatableModelings", SKR_MODEL_GRADES_MAX);
    bool is_negative = false;
    *ret = (struct skr_node_models){.count = grades.n > 0 && counts.n > 0};
    ret->model = skr_fields_room(&grades, grades.n, sizeof *ret->model);
    for (size_t i = 0; skr_fields_more(&grades, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&grades, i);
        struct skr_node_model *model = place_of(ret, skr_fields_int64(&entry, "grade", 0));
        read_ranges(&entry, &model->has);
        model->nodes = count_nodes(&counts, model->grade, &is_negative);
    }
    drop_empty_grades(ret);
    if (is_negative || !ret->count) {
        *ret = (struct skr_node_models){.count = false};
    }
    if (ret->n > 1) {
        qsort(ret->model, ret->n, sizeof *ret->model, by_grade);
    }
}

/* ---- room ---- */

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool skr_node_model_counts(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 ||
           strcmp(name, "ephemeral-storage") == 0 || begins_with(name, "hugepages-") ||
           begins_with(name, "attachable-volumes-") ||
           (strchr(name, '/') && !begins_with(name, "requests."));
}

int64_t skr_node_model_has(const struct skr_node_model *model, const char *name)
{
    const struct skr_quantity_item *item = find(&model->has, name);
    return item ? item->amount : 0;
}

int64_t skr_node_model_fits(const struct skr_node_model *model,
                            const struct skr_quantities *request)
{
    int64_t fits = SKR_MODEL_PODS;
    for (size_t i = 0; i < request->n && fits > 0; i++) {
        const struct skr_quantity_item *want = &request->item[i];
        if (want->amount > 0 && skr_node_model_counts(want->name)) {
            const int64_t each = skr_node_model_has(model, want->name) / want->amount;
            fits = each < fits ? each : fits;
        }
    }
    return fits;
}

int64_t skr_node_models_room(const struct skr_node_models *models,
                             const struct skr_quantities *request)
{
    int64_t room = 0;
    for (size_t i = 0; i < models->n; i++) {
        room += models->model[i].nodes * skr_node_model_fits(&models->model[i], request);
    }
    return room;
}

bool skr_node_models_grew(const struct skr_node_models *before, const struct skr_node_models *after)
{
    size_t at = 0;
    if (before->count != after->count) {
        return true;
    }
    for (size_t i = 0; i < after->n; i++) {
        const struct skr_node_model *now = &after->model[i];
        while (at < before->n && before->model[at].grade < now->grade) {
            at++;
        }
        const bool was_there = at < before->n && before->model[at].grade == now->grade;
        if (!was_there || before->model[at].nodes < now->nodes ||
            !skr_quantities_equal(&before->model[at].has, &now->has)) {
            return true;
        }
    }
    return false;
}
