/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the controllers of pods (kubernetes pkg/controller/controller_utils.go). */
#include "server/lab/cluster/cluster_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "topology/base/arena.h"
#include "topology/base/hash.h"
#include "topology/base/json_field.h"

/* ---- existing pods ---- */

static struct skr_worker look_at(json_t *pod, const struct skr_member *member)
{
    const char *phase = skr_path_text(pod, "status.phase");
    struct skr_worker w = {
        .object = pod,
        .namespace_ = member->namespace_,
        .name = member->name,
        .deleting = skr_path_get(pod, "metadata.deletionTimestamp"),
        .bound = *skr_path_text(pod, "spec.nodeName") != '\0',
        .ready = skr_store_pod_ready(pod),
        .succeeded = strcmp(phase, "Succeeded") == 0,
        .failed = strcmp(phase, "Failed") == 0,
        .order = member->order,
    };
    w.active = !w.deleting && !w.succeeded && !w.failed;
    return w;
}

size_t skr_workload_pods(struct skr_cluster *c, const json_t *owner, struct skr_worker **ret)
{
    struct skr_owner *o = skr_owners_find(c, skr_path_text(owner, "metadata.uid"));
    struct skr_worker *worker = skr_alloc_array((o ? o->n : 0) + 1, sizeof *worker);
    const struct skr_link *link;
    size_t n = 0;
    *ret = worker;
    if (!o) {
        return 0;
    }
    DL_FOREACH(o->links, link)
    {
        if (link->controller && strcmp(link->member->resource->kind, "Pod") == 0) {
            const json_t *pod =
                skr_store_get(c->store, "Pod", link->member->namespace_, link->member->name);
            if (pod) { /* deleted, and the change was not seen yet */
                worker[n++] = look_at(skr_path_ref(pod), link->member);
            }
        }
    }
    return n;
}

void skr_workload_let_go(struct skr_worker *worker, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_decref(worker[i].object);
    }
    free(worker);
}

static int by_loss(const void *a, const void *b)
{
    const struct skr_worker *x = a, *y = b;
    const bool x_pending = strcmp(skr_path_text(x->object, "status.phase"), "Pending") == 0;
    const bool y_pending = strcmp(skr_path_text(y->object, "status.phase"), "Pending") == 0;
    if (x->bound != y->bound) {
        return x->bound ? 1 : -1;
    }
    if (x_pending != y_pending) {
        return x_pending ? -1 : 1;
    }
    if (x->ready != y->ready) {
        return x->ready ? 1 : -1;
    }
    return x->order > y->order ? -1 : (x->order < y->order ? 1 : 0);
}

void skr_workload_rank_for_deletion(struct skr_worker *worker, size_t n)
{
    if (n > 1) {
        qsort(worker, n, sizeof *worker, by_loss);
    }
}

/* ---- new pods ---- */

/* NAME-0, NAME-1, ...: no number is reused. */
static void set_ordinal_name(struct skr_cluster *c, const json_t *owner, json_t *meta,
                             const char *base)
{
    struct skr_owner *o = skr_owners_get(c, skr_path_text(owner, "metadata.uid"));
    char name[300];
    do {
        (void)snprintf(name, sizeof name, "%.240s-%zu", base, o->next_ordinal++);
    } while (skr_store_get(c->store, "Pod", skr_path_text(owner, "metadata.namespace"), name));
    json_object_set_new_nocheck(meta, "name", json_string(name));
}

static void merge_metadata(json_t *meta, json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach(more, key, value)
    {
        json_t *there = json_object_get(meta, key);
        if (json_is_object(there) && json_is_object(value)) {
            json_object_update(there, value);
        } else {
            json_object_set_nocheck(meta, key, value);
        }
    }
}

static void add_env(json_t *spec, const char *list, const json_t *variable)
{
    size_t i;
    json_t *container;
    json_array_foreach(json_object_get(spec, list), i, container)
    {
        json_t *env = json_object_get(container, "env");
        if (!env) {
            env = json_array();
            json_object_set_new_nocheck(container, "env", env);
        }
        if (!skr_path_find(env, "name", skr_path_text(variable, "name"))) {
            json_array_append_new(env, skr_path_copy(variable));
        }
    }
}

void skr_workload_fini(struct skr_cluster *c)
{
    struct skr_prepared *p = &c->prepared;
    json_decref(p->owner);
    json_decref(p->template);
    json_decref(p->env);
    json_decref(p->spec);
    json_decref(p->references);
    *p = (struct skr_prepared){.spec = NULL};
}

static const struct skr_prepared *prepare(struct skr_cluster *c, const json_t *owner,
                                          const json_t *template, const json_t *env)
{
    struct skr_prepared *p = &c->prepared;
    if (p->spec && p->owner == owner && p->template == template && p->env == env) {
        return p;
    }
    skr_workload_fini(c);
    p->owner = skr_path_ref(owner);
    p->template = skr_path_ref(template);
    p->env = skr_path_ref(env);
    p->references = json_pack("[o]", skr_owners_reference(owner));
    p->spec = skr_path_copy(skr_path_get(template, "spec"));
    p->spec = p->spec ? p->spec : json_object();
    skr_store_default_pod_spec(p->spec); /* shared below: the store would take them for set */
    if (env) {
        add_env(p->spec, "containers", env);
        add_env(p->spec, "initContainers", env);
    }
    return p;
}

/* The first pod may share parts with older ones; the next ones then share them from the start. */
static void learn_from(struct skr_prepared *p, const json_t *pod)
{
    if (!p->is_shared) {
        skr_store_share(p->spec, json_object_get(pod, "spec"), NULL);
        p->is_shared = true;
    }
}

static json_t *from_template(struct skr_cluster *c, const json_t *owner, const json_t *template,
                             const struct skr_pod_plan *plan)
{
    const char *base = plan->base ? plan->base : skr_path_text(owner, "metadata.name");
    const struct skr_prepared *prepared = prepare(c, owner, template, plan->env);
    json_t *pod = json_object();
    json_t *meta = skr_path_copy(skr_path_get(template, "metadata"));
    json_t *spec = json_copy(prepared->spec);
    meta = meta ? meta : json_object();
    json_object_del(meta, "name");
    json_object_del(meta, "namespace");
    json_object_set_nocheck(meta, "ownerReferences", prepared->references);
    if (plan->name) {
        json_object_set_new_nocheck(meta, "name", json_string(plan->name));
    } else if (c->options.ordinal_names) {
        set_ordinal_name(c, owner, meta, base);
    } else {
        json_object_set_new_nocheck(meta, "generateName", json_sprintf("%.240s-", base));
    }
    merge_metadata(meta, plan->metadata);
    if (plan->hostname && !json_object_get(spec, "hostname")) {
        json_object_set_new_nocheck(spec, "hostname", json_string(plan->hostname));
    }
    json_object_set_new_nocheck(pod, "apiVersion", json_string("v1"));
    json_object_set_new_nocheck(pod, "kind", json_string("Pod"));
    json_object_set_new_nocheck(pod, "metadata", meta);
    json_object_set_new_nocheck(pod, "spec", spec);
    return pod;
}

static json_t *event_about(const struct skr_cluster *c, const json_t *owner, const char *message)
{
    char note[1024], controller[64]; /* "job-controller" */
    size_t n = 0;
    for (const char *kind = skr_path_text(owner, "kind"); n < 32 && kind[n] != '\0'; n++) {
        controller[n] = (char)tolower((unsigned char)kind[n]);
    }
    (void)snprintf(controller + n, sizeof controller - n, "-controller");
    (void)snprintf(note, sizeof note, "Error creating: %.900s", message);
    const struct skr_store_event event = {.api_version = skr_path_text(owner, "apiVersion"),
                                          .kind = skr_path_text(owner, "kind"),
                                          .namespace_ = skr_path_text(owner, "metadata.namespace"),
                                          .name = skr_path_text(owner, "metadata.name"),
                                          .uid = skr_path_text(owner, "metadata.uid"),
                                          .type = "Warning",
                                          .reason = "FailedCreate",
                                          .action = "Create",
                                          .note = note,
                                          .controller = controller,
                                          .instance = "sakkara"};
    return skr_store_event_write(&event, c->now);
}

/* Kubernetes' controllers report each refusal; this one reports the first. */
void skr_workload_refuse(struct skr_cluster *c, const json_t *owner, const char *why)
{
    struct skr_owner *o = skr_owners_get(c, skr_path_text(owner, "metadata.uid"));
    if (o->refused) {
        return;
    }
    o->refused = c->any_refused = true;
    json_auto_t *event = event_about(c, owner, why);
    if (c->options.refused) {
        c->options.refused(c->options.context, c->now, event);
    } else {
        skr_store_note(c->store, event, c->now);
    }
}

void skr_workload_accept(struct skr_cluster *c, const json_t *owner)
{
    if (c->any_refused) {
        skr_owners_get(c, skr_path_text(owner, "metadata.uid"))->refused = false;
    }
}

bool skr_cluster_is_refused(const struct skr_cluster *cluster)
{
    const struct skr_owner *o = cluster->any_refused ? cluster->owners : NULL;
    while (o && !o->refused) {
        o = o->hh.next;
    }
    return o;
}

int skr_workload_create_pod(struct skr_cluster *c, const json_t *owner, const json_t *template,
                            const struct skr_pod_plan *plan)
{
    json_t *answer = NULL;
    const int status =
        skr_cluster_request(c, SKR_STORE_CREATE, "Pod", skr_path_text(owner, "metadata.namespace"),
                            "", "", from_template(c, owner, template, plan), &answer);
    if (status >= 400) {
        skr_workload_refuse(c, owner, skr_path_text(answer, "message"));
    } else {
        learn_from(&c->prepared, answer);
        skr_workload_accept(c, owner);
    }
    json_decref(answer);
    json_decref(plan->metadata);
    json_decref(plan->env);
    return status;
}

/* ---- numbers and names ---- */

int64_t skr_workload_share(const json_t *value, int64_t total, bool up)
{
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        return (int64_t)json_integer_value(value);
    }
    if (!text) {
        return 0;
    }
    const int64_t percent = strtoll(text, NULL, 10);
    return (percent * total + (up ? 99 : 0)) / 100;
}

void skr_workload_hash(const json_t *json, char text[11])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    char *dump = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    uint64_t hash = skr_hash_string(dump ? dump : "");
    free(dump);
    for (int i = 0; i < 10; i++) {
        text[i] = letters[hash % (sizeof letters - 1)];
        hash /= sizeof letters - 1;
    }
    text[10] = '\0';
}
