/* SPDX-License-Identifier: Apache-2.0 */
/* Executes steps of Scenario documents, which were checked when they were read. */
#include "server/lab/simulate/steps.h"

#include "server/manifest/scenario.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

static const char *const step_words[] = {"create", "delete", "patch"};
_Static_assert(sizeof step_words / sizeof step_words[0] == SKR_SIMULATE_STEP_KIND_COUNT,
               "one word a kind");

void skr_simulate_steps_add(struct skr_simulate_input *input, const struct skr_manifest *where)
{
    struct skr_error error;
    const json_t *steps = json_object_get(where->object, "steps");
    const json_t *percentage = json_object_get(where->object, "percentageOfNodesToScore");
    if (percentage) {
        input->percentage = (int)json_integer_value(percentage);
    }
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *from = json_array_get(steps, i);
        struct skr_simulate_step step = {.where = where, .number = i};
        for (int k = 0; k < SKR_SIMULATE_STEP_KIND_COUNT; k++) {
            const json_t *body = json_object_get(from, step_words[k]);
            step.kind = body ? (enum skr_simulate_step_kind)k : step.kind;
            step.body = body ? body : step.body;
        }
        skr_scenario_read_time(json_object_get(from, "at"), "", &step.at, &error);
        skr_grow(&input->step, &input->cap_steps, input->n_steps + 1, sizeof step);
        input->step[input->n_steps++] = step;
    }
}

/* ---- execution ---- */

static int create(const json_t *body, struct skr_store *store, skr_time now,
                  struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < skr_scenario_count_objects(body) && rc == 0; i++) {
        rc = skr_simulate_create(skr_scenario_object_at(body, i), store, now, error);
    }
    return rc;
}

static const char *namespace_of(const json_t *target)
{
    if (!skr_simulate_resource(target)->namespaced) {
        return "";
    }
    const char *text = skr_scenario_target_text(target, "namespace");
    return text[0] ? text : "default";
}

static const char *key_of(const json_t *target)
{
    return skr_store_resource_key(skr_simulate_resource(target));
}

static int remove_object(const json_t *body, struct skr_store *store, skr_time now,
                         struct skr_error *error)
{
    const char *kind = skr_path_text(body, "kind"), *name = skr_scenario_target_text(body, "name");
    int status = skr_store_delete(store, key_of(body), namespace_of(body), name, now);
    return status < 400 ? 0
                        : skr_error_set(error, status == 404 ? SKR_NOT_FOUND : SKR_INVALID,
                                        "%s \"%.128s\" cannot be deleted: %s", kind, name,
                                        status == 404 ? "not found" : "refused");
}

/* The status is a separate subresource. */
static int patch(const json_t *body, struct skr_store *store, skr_time now, struct skr_error *error)
{
    const char *key = key_of(body), *name = skr_scenario_target_text(body, "name");
    json_t *main_part = json_deep_copy(body), *status_part = json_object();
    static const char *const words[] = {"apiVersion", "kind", "name", "namespace", "status"};
    const json_t *status = json_object_get(body, "status");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        json_object_del(main_part, words[i]);
    }
    json_object_set_new(status_part, "status", json_deep_copy(status));
    int rc = skr_store_merge(store, key, namespace_of(body), name, "", main_part, now, error);
    if (rc < 400 && status) {
        rc = skr_store_merge(store, key, namespace_of(body), name, "status", status_part, now,
                             error);
    }
    json_decref(main_part);
    json_decref(status_part);
    return rc < 400 ? 0 : -SKR_INVALID;
}

int skr_simulate_step_apply(const struct skr_simulate_step *step, struct skr_store *store,
                            skr_time now, struct skr_strbuf *errors)
{
    struct skr_error error = {.code = SKR_OK};
    int rc = 0;
    switch (step->kind) {
    case SKR_SIMULATE_CREATE:
        rc = create(step->body, store, now, &error);
        break;
    case SKR_SIMULATE_DELETE:
        rc = remove_object(step->body, store, now, &error);
        break;
    case SKR_SIMULATE_PATCH:
        rc = patch(step->body, store, now, &error);
        break;
    case SKR_SIMULATE_STEP_KIND_COUNT:
        break;
    }
    if (rc < 0) {
        skr_strbuf_addf(errors, "%s:%zu:%zu: steps[%zu].%s: %s\n", step->where->file,
                        step->where->line, step->where->column, step->number,
                        step_words[step->kind], error.text);
    }
    return rc;
}
