/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reserve to unreserve. What a pod takes is in skr_sched_pod.devices until it is bound: a list of
 * claims with their names and allocations, as they are written in pre-bind.
 */
#include "server/lab/scheduler/scheduler_claims.h"

#include <inttypes.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/device_claims.h"

#define CLAIM "ResourceClaim"

/* ---- choosing ---- */

/* Of one claim. */
struct part {
    json_t *results;
    json_t *term; /* the nodes that reach all of them; no requirements: every node */
    bool one_node;
};

struct choice {
    const struct skr_scheduler_model *s;
    const struct skr_sched_asked *asked;
    struct part *part; /* [asked->n] */
    uint64_t share;    /* the last share's number */
};

/* NANO in billionths. */
static json_t *quantity(skr_int128 nano)
{
    const skr_int128 unit = 1000000000;
    return nano % unit == 0 ? json_sprintf("%" PRId64, (int64_t)(nano / unit))
                            : json_sprintf("%" PRId64 "n", (int64_t)nano);
}

/* What the claim consumes of a device that others share. */
static void add_share(const struct skr_device *device, const skr_int128 *need, uint64_t share,
                      json_t *result)
{
    json_t *consumed = json_object();
    for (size_t i = 0; i < device->kind->n_capacities; i++) {
        if (need[i] > 0) {
            json_object_set_new(consumed, device->kind->capacity[i].name, quantity(need[i]));
        }
    }
    json_object_set_new(result, "shareID",
                        json_sprintf("00000000-0000-4000-8000-%012" PRIx64, share));
    json_object_set_new(result, "consumedCapacity", consumed);
}

static void add_requirements(const json_t *selector, const char *key, json_t *term)
{
    const json_t *from =
        json_object_get(json_array_get(json_object_get(selector, "nodeSelectorTerms"), 0), key);
    json_t *to = json_object_get(term, key), *one;
    size_t i, k;
    if (!to && json_array_size(from) > 0) {
        json_object_set_new(term, key, to = json_array());
    }
    json_array_foreach((json_t *)(uintptr_t)from, i, one)
    {
        for (k = 0; k < json_array_size(to) && !json_equal(json_array_get(to, k), one); k++) {
        }
        if (k == json_array_size(to)) {
            json_array_append(to, one);
        }
    }
}

/* As createNodeSelector() of k8s.io/dynamic-resource-allocation: selectors of slices have one term each. */
static void add_reach(const struct choice *c, const struct skr_device_slice *slice,
                      const char *device, struct part *part)
{
    const json_t *object = skr_store_get(c->s->store, "ResourceSlice", "", slice->meta.name);
    const json_t *spec = skr_path_get(object, "spec"), *list = json_object_get(spec, "devices");
    size_t i = 0;
    while (i < json_array_size(list) &&
           strcmp(skr_path_text(json_array_get(list, i), "name"), device) != 0) {
        i++;
    }
    const json_t *own = json_array_get(list, i);
    const json_t *of = json_is_true(json_object_get(spec, "perDeviceNodeSelection")) ? own : spec;
    part->one_node = part->one_node || *skr_path_text(of, "nodeName") ||
                     json_is_true(json_object_get(own, "bindsToNode"));
    add_requirements(json_object_get(of, "nodeSelector"), "matchFields", part->term);
    add_requirements(json_object_get(of, "nodeSelector"), "matchExpressions", part->term);
}

static void add_result(struct choice *c, const struct skr_node_rows *rows, size_t row,
                       const struct skr_devices_request *of, size_t request)
{
    size_t claim = 0, ask = 0;
    while (request >= c->asked->spec[claim]->n_requests) {
        request -= c->asked->spec[claim++]->n_requests;
    }
    const struct skr_claim_spec *spec = c->asked->spec[claim];
    while (request >= spec->ask[ask].first + spec->ask[ask].n) {
        ask++;
    }
    const struct skr_device_slice *slice = rows->row[row].slice->slice;
    const struct skr_device *device = skr_node_rows_device(rows, row);
    const struct skr_devices_row *numbers = &rows->node.row[row];
    const bool alternatives = spec->ask[ask].alternatives;
    json_t *result =
        json_pack("{s:o, s:s, s:s, s:s}", "request",
                  json_sprintf("%s%s%s", spec->ask[ask].name, alternatives ? "/" : "",
                               alternatives ? spec->request[request].name : ""),
                  "driver", slice->driver, "pool", slice->pool, "device", device->name);
    if (of->admin) {
        json_object_set_new(result, "adminAccess", json_true());
    }
    if (numbers->shared && !of->admin) {
        add_share(device, &of->need[numbers->first_capacity], ++c->share, result);
    }
    json_array_append_new(c->part[claim].results, result);
    add_reach(c, slice, device->name, &c->part[claim]);
}

static void see(void *context, const struct skr_node_rows *rows,
                const struct skr_devices_problem *problem, const struct skr_devices_result *result,
                size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_result(context, rows, result[i].row, &problem->request[result[i].request],
                   result[i].request);
    }
}

/* Consumes the part. */
static json_t *allocation_of(struct part *part, const char *node, skr_time now)
{
    json_t *ret = json_pack("{s:{s:o}, s:o}", "devices", "results", part->results,
                            "allocationTimestamp", skr_store_time(now));
    if (part->one_node) {
        json_decref(part->term);
        part->term = json_pack("{s:[{s:s, s:s, s:[s]}]}", "matchFields", "key", "metadata.name",
                               "operator", "In", "values", node);
    }
    if (json_object_size(part->term) > 0) {
        json_object_set_new(ret, "nodeSelector",
                            json_pack("{s:[O]}", "nodeSelectorTerms", part->term));
    }
    json_decref(part->term);
    return ret;
}

void skr_sched_devices_reserve(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    struct skr_sched_devices *d = s->cache.devices;
    struct skr_sched_asked asked;
    struct part part[SKR_POD_CLAIMS_MAX + 1];
    struct choice choice = {.s = s, .asked = &asked, .part = part, .share = s->n_shares};
    const struct skr_pod *pod = p->pod;
    skr_bug_on(skr_sched_asked_make(&s->cache, p, p->node, &asked));
    const struct skr_pod_claims claims = {asked.n, asked.spec};
    for (size_t i = 0; i < asked.n; i++) {
        part[i] = (struct part){json_array(), json_object(), false};
    }
    if (asked.n > 0) {
        (void)skr_sequence_play(skr_sched_devices_stock(d), p->node->name, &claims, 1, see,
                                &choice);
    }
    s->n_shares = choice.share;
    p->devices = json_array();
    for (size_t i = 0; i < asked.n; i++) {
        json_t *name = asked.claim[i]
                           ? json_string(asked.claim[i]->key + strlen(pod->meta.namespace_) + 1)
                           : json_sprintf("%.200s-extended-resources-%05" PRIx64, pod->meta.name,
                                          ++s->n_extended % 0x100000);
        json_t *claim = json_pack("{s:{s:o, s:s}, s:{s:o}}", "metadata", "name", name, "namespace",
                                  pod->meta.namespace_, "status", "allocation",
                                  allocation_of(&part[i], p->node->name, s->now));
        if (!asked.claim[i]) {
            json_object_set_new(
                claim, "spec",
                json_pack("{s:o}", "devices", json_loads(asked.extended->text, 0, NULL)));
        }
        json_array_append_new(p->devices, claim);
    }
    skr_sched_asked_fini(d, &asked);
    for (size_t i = 0; i < json_array_size(p->devices); i++) {
        skr_sched_devices_assume(d, json_array_get(p->devices, i));
    }
}

/* ---- writing ---- */

static json_t *consumer_of(const struct skr_pod *pod)
{
    return json_pack("{s:s, s:s, s:s}", "resource", "pods", "name", pod->meta.name, "uid",
                     pod->meta.uid);
}

/* reservedFor with or without the pod. */
static json_t *reserved_for(const json_t *claim, const struct skr_pod *pod, bool with)
{
    const json_t *was = skr_path_get(claim, "status.reservedFor");
    json_t *list = json_array(), *one;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)was, i, one)
    {
        if (strcmp(skr_path_text(one, "uid"), pod->meta.uid) != 0) {
            json_array_append(list, one);
        }
    }
    if (with) {
        json_array_append_new(list, consumer_of(pod));
    }
    return list;
}

/* Takes status. */
static bool patch_status(struct skr_scheduler_model *s, const char *kind, const struct skr_pod *of,
                         const char *name, json_t *status, struct skr_strbuf *why)
{
    struct skr_error error = {.text = ""};
    json_auto_t *patch = json_pack("{s:o}", "status", status);
    const bool good = skr_store_merge(s->store, kind, of->meta.namespace_, name, "status", patch,
                                      s->now, &error) < 400;
    if (!good && why) {
        skr_strbuf_add(why, error.text);
    }
    return good;
}

/* The allocation of a claim that the pod takes; NULL: it had one before. */
static json_t *allocation_in(const json_t *devices, const char *name)
{
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *claim = json_array_get(devices, i);
        if (strcmp(skr_path_text(claim, "metadata.name"), name) == 0) {
            return skr_path_ref(skr_path_get(claim, "status.allocation"));
        }
    }
    return NULL;
}

/* The claim for an extended resource, with status. */
static bool make_extended(struct skr_scheduler_model *s, const struct skr_pod *pod, json_t *claim,
                          struct skr_strbuf *why)
{
    struct skr_error error = {.text = ""};
    json_auto_t *object = json_copy(claim);
    const char *name = skr_path_text(claim, "metadata.name");
    json_object_set_new(object, "apiVersion", json_string("resource.k8s.io/v1"));
    json_object_set_new(object, "kind", json_string(CLAIM));
    json_object_set_new(object, "metadata",
                        json_pack("{s:s, s:s, s:{s:s}, s:[{s:s, s:s, s:s, s:s, s:b, s:b}]}", "name",
                                  name, "namespace", pod->meta.namespace_, "annotations",
                                  "resource.kubernetes.io/extended-resource-claim", "true",
                                  "ownerReferences", "apiVersion", "v1", "kind", "Pod", "name",
                                  pod->meta.name, "uid", pod->meta.uid, "controller", 1,
                                  "blockOwnerDeletion", 1));
    json_object_set_new(object, "status",
                        json_pack("{s:O, s:[o]}", "allocation",
                                  skr_path_get(claim, "status.allocation"), "reservedFor",
                                  consumer_of(pod)));
    if (skr_store_put(s->store, object, s->now, &error) >= 400) {
        skr_strbuf_add(why, error.text);
        return false;
    }
    return patch_status(
        s, "Pod", pod, pod->meta.name,
        json_pack("{s:{s:s}}", "extendedResourceClaimStatus", "resourceClaimName", name), why);
}

bool skr_sched_devices_write(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                             struct skr_strbuf *why)
{
    const struct skr_pod *pod = p->pod;
    bool good = true;
    if (!skr_sched_devices_stock(s->cache.devices)->slices && !s->cache.devices_needed) {
        return true;
    }
    p->devices_written = true;
    for (size_t i = 0; good && i < pod->n_claims; i++) {
        const char *name = pod->claim[i].name;
        if (pod->claim[i].kind != SKR_POD_CLAIM_DEVICES) {
            continue;
        }
        const json_t *claim = skr_store_get(s->store, CLAIM, pod->meta.namespace_, name);
        json_t *consumers = reserved_for(claim, pod, true);
        if (json_array_size(consumers) > SKR_CLAIM_CONSUMERS_MAX) { /* as the API server says */
            json_decref(consumers);
            skr_strbuf_addf(why, "ResourceClaim %s: status.reservedFor: must have at most %d items",
                            name, (int)SKR_CLAIM_CONSUMERS_MAX);
            return false;
        }
        json_t *status = json_pack("{s:o}", "reservedFor", consumers);
        json_t *allocation = allocation_in(p->devices, name);
        if (allocation) {
            json_object_set_new(status, "allocation", allocation);
        }
        good = patch_status(s, CLAIM, pod, name, status, why);
    }
    for (size_t i = 0; good && i < json_array_size(p->devices); i++) {
        json_t *claim = json_array_get(p->devices, i);
        good = !json_object_get(claim, "spec") || make_extended(s, pod, claim, why);
    }
    return good;
}

/* ---- the end ---- */

static void take_back(struct skr_scheduler_model *s, const struct skr_pod *pod, const json_t *claim)
{
    const char *name = skr_path_text(claim, "metadata.name");
    const json_t *current = skr_store_get(s->store, CLAIM, pod->meta.namespace_, name);
    skr_sched_devices_forget(s->cache.devices, claim, current);
}

static bool deallocate(struct skr_scheduler_model *s, const struct skr_pod *pod, const char *claim)
{
    return patch_status(s, CLAIM, pod, claim, json_pack("{s:n, s:n}", "allocation", "reservedFor"),
                        NULL);
}

static void leave(struct skr_scheduler_model *s, const struct skr_pod *pod, const char *name)
{
    const json_t *claim = skr_store_get(s->store, CLAIM, pod->meta.namespace_, name);
    if (claim) {
        (void)patch_status(s, CLAIM, pod, name,
                           json_pack("{s:o}", "reservedFor", reserved_for(claim, pod, false)),
                           NULL);
    }
}

void skr_sched_devices_unreserve(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    const struct skr_pod *pod = p->pod;
    for (size_t i = 0; p->devices_written && i < pod->n_claims; i++) {
        if (pod->claim[i].kind == SKR_POD_CLAIM_DEVICES) {
            leave(s, pod, pod->claim[i].name);
        }
    }
    for (size_t i = 0; i < json_array_size(p->devices); i++) {
        const json_t *claim = json_array_get(p->devices, i);
        if (!p->devices_written) {
            take_back(s, pod, claim);
        } else if (json_object_get(claim, "spec")) {
            const char *name = skr_path_text(claim, "metadata.name");
            (void)deallocate(s, pod, name);
            (void)skr_store_delete(s->store, CLAIM, pod->meta.namespace_, name, s->now);
            (void)patch_status(s, "Pod", pod, pod->meta.name,
                               json_pack("{s:n}", "extendedResourceClaimStatus"), NULL);
        }
    }
    skr_sched_devices_keep(p);
}

void skr_sched_devices_keep(struct skr_sched_pod *p)
{
    json_decref(p->devices);
    p->devices = NULL;
    p->devices_written = false;
}

/* No other pod uses it, and it keeps this one on some nodes. */
static bool is_in_the_way(const struct skr_scheduler_model *s, const struct skr_pod *pod,
                          const struct skr_pod_claim *of)
{
    const struct skr_sched_claim *known =
        of->kind == SKR_POD_CLAIM_DEVICES
            ? skr_sched_claim_find(s->cache.devices, pod->meta.namespace_, of->name)
            : NULL;
    if (!known || !known->reach || known->assumed) {
        return false;
    }
    const json_t *claim = skr_store_get(s->store, CLAIM, pod->meta.namespace_, of->name);
    json_auto_t *others = reserved_for(claim, pod, false);
    return claim && json_array_size(others) == 0;
}

bool skr_sched_devices_deallocate(struct skr_scheduler_model *s, const struct skr_sched_pod *p)
{
    const struct skr_pod *pod = p->pod;
    size_t i = 0;
    while (i < pod->n_claims && !is_in_the_way(s, pod, &pod->claim[i])) {
        i++;
    }
    return i < pod->n_claims && deallocate(s, pod, pod->claim[i].name);
}
