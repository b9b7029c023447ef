/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/scheduler_model_rig.h"

#include "server/object/path.h"
#include "test/test.h"

/* ---- the extender ---- */

static int filter(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    struct rig *r = context;
    struct filter_call *call = &r->call[r->n_calls < CALLS_MAX ? r->n_calls : CALLS_MAX - 1];
    r->n_calls++;
    call->at = now - START;
    call->n = n;
    snprintf(call->pod, sizeof call->pod, "%s", pod->meta.name);
    snprintf(call->first, sizeof call->first, "%s", node[0]);
    if (r->error) {
        return skr_error_set(error, SKR_RETRY, "%s", r->error);
    }
    for (size_t i = 0; i < n; i++) {
        passes[i] = !r->only || strcmp(r->only, node[i]) == 0;
        why[i] = "sakkara: no";
    }
    return 0;
}

static void prioritize(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score)
{
    struct rig *r = context;
    (void)pod;
    (void)now;
    r->n_prioritize++;
    for (size_t i = 0; i < n; i++) {
        score[i] = r->best && strcmp(r->best, node[i]) == 0 ? 10 : 0;
    }
}

void sched_write_binding(struct rig *r, const char *pod, const char *node, skr_time now)
{
    assert_int_equal(skr_store_bind(r->store, "default", pod, NULL, node, now, NULL), 201);
}

static void bind(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                 skr_time now)
{
    struct rig *r = context;
    r->n_binds++;
    r->bind_call = call;
    snprintf(r->bound_to, sizeof r->bound_to, "%s", node);
    snprintf(r->bound_pod, sizeof r->bound_pod, "%s", pod->meta.name);
    if (r->hold) {
        return;
    }
    if (r->bind_store && !r->bind_error) {
        sched_write_binding(r, pod->meta.name, node, now);
    }
    skr_scheduler_bind_done(r->scheduler, call, r->bind_error);
}

/* ---- the cluster ---- */

void sched_put(struct rig *r, json_t *object)
{
    struct skr_error error = {.code = SKR_OK};
    int status = skr_store_put(r->store, object, r->now, &error);
    if (status >= 400) {
        fail_msg("%s", error.text);
    }
    json_decref(object);
}

void sched_add_node(struct rig *r, const char *name, const char *cpu)
{
    sched_put(r, json_pack("{s:s, s:s, s:{s:s}, s:{}, s:{s:{s:s, s:s, s:s}}}", "apiVersion", "v1",
                           "kind", "Node", "metadata", "name", name, "spec", "status",
                           "allocatable", "cpu", cpu, "memory", "8Gi", "pods", "110"));
}

static json_t *pod_json(const char *name, const char *cpu)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:[{s:s, s:s, s:{s:{s:s}}}]}}", "apiVersion",
                     "v1", "kind", "Pod", "metadata", "name", name, "namespace", "default", "spec",
                     "schedulerName", "sakkara", "containers", "name", "main", "image", "busybox",
                     "resources", "requests", "cpu", cpu);
}

void sched_add_pod(struct rig *r, const char *name, const char *cpu)
{
    sched_put(r, pod_json(name, cpu));
}

void sched_add_pod_with(struct rig *r, const char *name, const char *cpu, const char *spec_json)
{
    json_t *pod = pod_json(name, cpu), *more = json_loads(spec_json, 0, NULL);
    assert_non_null(more);
    json_object_update(json_object_get(pod, "spec"), more);
    json_decref(more);
    sched_put(r, pod);
}

void sched_patch(struct rig *r, const char *kind, const char *name, const char *subresource,
                 const char *text)
{
    struct skr_error error = {.code = SKR_OK};
    json_t *body = json_loads(text, 0, NULL);
    assert_non_null(body);
    const char *namespace_ = strcmp(kind, "Node") == 0 ? "" : "default";
    int status =
        skr_store_merge(r->store, kind, namespace_, name, subresource, body, r->now, &error);
    json_decref(body);
    if (status >= 400) {
        fail_msg("%s", error.text);
    }
}

void sched_create(struct rig *r, int percentage)
{
    static const char *const names[] = {"sakkara"};
    struct skr_scheduler_options options = {.n_names = 1,
                                            .name = names,
                                            .percentage = percentage,
                                            .cycle_time = 2 * MS,
                                            .watch_delay = MS / 2,
                                            .events = true};
    options.extender = (struct skr_extender){
        .context = r, .filter = filter, .prioritize = prioritize, .bind = bind, .weight = 20};
    r->scheduler = skr_scheduler_create(&options, r->store, r->now);
}

void rig_set_up(struct rig *r)
{
    r->store = skr_store_create(1);
    r->now = START;
    r->bind_store = true;
    sched_create(r, 0);
}

void rig_tear_down(struct rig *r)
{
    skr_scheduler_destroy(r->scheduler);
    skr_store_destroy(r->store);
}

void sched_run(struct rig *r, skr_time duration)
{
    skr_time end = r->now + duration;
    for (;;) {
        skr_time next = skr_scheduler_next(r->scheduler, r->now);
        if (next > end) {
            break;
        }
        r->now = next;
        skr_scheduler_step(r->scheduler, r->now);
    }
    r->now = end;
}

const json_t *sched_get(struct rig *r, const char *pod)
{
    const json_t *object = skr_store_get(r->store, "Pod", "default", pod);
    assert_non_null(object);
    return object;
}

void sched_assert_on(struct rig *r, const char *pod, const char *node)
{
    assert_string_equal(skr_path_text(sched_get(r, pod), "spec.nodeName"), node);
}

const char *sched_condition(struct rig *r, const char *pod, const char *field)
{
    const json_t *found =
        skr_path_find(skr_path_get(sched_get(r, pod), "status.conditions"), "type", "PodScheduled");
    return skr_path_text(found, field);
}
