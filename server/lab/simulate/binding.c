/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides bindings offline with the daemon's code. One binding prints one object; several print
 * {"bindings": [...]} with namespace and name first in each. The scheduler that a binding names is
 * ignored: the result is what this daemon would decide.
 */
#include "server/lab/simulate/binding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/propagation/decision_json.h"
#include "core/propagation/types.h"
#include "server/exit_code.h"
#include "server/lab/simulate/binding_text.h"

/* ---- reading ---- */

static void say_ignored(const char *kind, const char *api_version, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%s %s plays no part here", api_version, kind);
}

static bool refuse_twice(const struct skr_manifest *first, const struct skr_fleet_object *object,
                         struct skr_strbuf *messages)
{
    (void)first;
    if (object->type == &skr_member_cluster_type) {
        skr_strbuf_addf(messages, "Cluster \"%s\" is there twice\n", object->meta->name);
    } else {
        skr_strbuf_addf(messages, "binding \"%s/%s\" is there twice\n", object->meta->namespace_,
                        object->meta->name);
    }
    return false;
}

static const struct skr_propagation_settings no_settings = {.scheduler_name = ""};

const struct skr_fleet_rules skr_binding_rules = {.scheduler = &skr_propagation_scheduler,
                                                  .settings = &no_settings,
                                                  .ignored = say_ignored,
                                                  .one_cache = 1, /* after the clusters */
                                                  .twice = refuse_twice};

static int by_number(const void *a, const void *b)
{
    const struct skr_fleet_object *s = a, *t = b;
    return (s->number > t->number) - (s->number < t->number);
}

size_t skr_binding_all(const struct skr_fleet_input *input, const struct skr_binding ***ret)
{
    size_t n_clusters;
    (void)skr_fleet_input_of(input, &skr_member_cluster_type, &n_clusters);
    const size_t n = input->n - n_clusters;
    SKR_AUTO_FREE struct skr_fleet_object *all = skr_alloc_array(n + 1, sizeof *all);
    *ret = skr_alloc_array(n + 1, sizeof **ret);
    memcpy(all, input->object + n_clusters, n * sizeof *all); /* both kinds, after the clusters */
    qsort(all, n, sizeof *all, by_number);
    for (size_t i = 0; i < n; i++) {
        (*ret)[i] = all[i].object;
    }
    return n;
}

const struct skr_binding *skr_binding_find(const struct skr_fleet_input *input, const char *name)
{
    const char *slash = strchr(name, '/');
    SKR_AUTO_FREE const struct skr_binding **binding = NULL;
    const size_t n_all = skr_binding_all(input, &binding);
    const size_t n_namespace = slash ? (size_t)(slash - name) : 0;
    const struct skr_binding *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++) {
        const char *namespace_ = binding[i]->meta.namespace_;
        if (strcmp(binding[i]->meta.name, slash ? slash + 1 : name) != 0) {
            continue;
        }
        if (strlen(namespace_) == n_namespace && strncmp(namespace_, name, n_namespace) == 0) {
            return binding[i];
        }
        found = binding[i];
        n++;
    }
    return !slash && n == 1 ? found : NULL;
}

int skr_binding_decide_here(const struct skr_fleet_input *input, const struct skr_binding *binding,
                            const struct skr_propagation_options *options,
                            struct skr_binding_decision **ret, struct skr_error *error)
{
    size_t n;
    const struct skr_member_cluster *const *cluster =
        skr_propagation_clusters(skr_engine_self(input->engine), &n);
    return skr_binding_decide(binding, cluster, n, NULL, options, NULL, ret, error);
}

struct skr_place_row skr_binding_row(const struct skr_fleet_input *input, const char *cluster,
                                     int64_t replicas)
{
    const struct skr_member_cluster *c =
        skr_fleet_input_find(input, &skr_member_cluster_type, "", cluster);
    return (struct skr_place_row){.n_parts = 4,
                                  .part = {c ? c->provider : "", c ? c->region : "",
                                           c && c->n_zones > 0 ? c->zone[0] : "", cluster},
                                  .number = replicas};
}

/* ---- deciding ---- */

static int settings_of(enum skr_propagation_profile profile, const char *const *option, size_t n,
                       struct skr_propagation_options *ret, struct skr_error *error)
{
    int rc = 0;
    skr_propagation_options_init(ret, profile);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = skr_propagation_options_set(ret, option[i], error);
    }
    return rc;
}

static void write_notes(const struct skr_binding_decision *decision, struct skr_strbuf *messages)
{
    const struct skr_meta *meta = &decision->binding->meta;
    const char *slash = meta->namespace_[0] != '\0' ? "/" : "";
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if ((decision->warnings >> i & 1) != 0) {
            skr_strbuf_addf(messages, "binding %s%s%s: warning: ", meta->namespace_, slash,
                            meta->name);
            skr_propagation_warning_write((enum skr_propagation_warning)i, messages);
            skr_strbuf_addc(messages, '\n');
        }
    }
    if (decision->code != SKR_PROPAGATION_PLACED) {
        skr_strbuf_addf(messages, "binding %s%s%s: %s\n", meta->namespace_, slash, meta->name,
                        decision->message);
    }
}

static int print_one(const struct skr_binding *binding, const struct skr_fleet_input *input,
                     const struct skr_binding_printing *how, bool several, bool *placed,
                     struct skr_json_writer *w, struct skr_strbuf *messages)
{
    struct skr_binding_decision *decision = NULL;
    struct skr_error error = {.text = ""};
    if (skr_binding_decide_here(input, binding, how->settings, &decision, &error) < 0) {
        skr_strbuf_addf(messages, "binding %s: %s\n", binding->meta.name, error.text);
        return SKR_EXIT_ERROR;
    }
    if (how->json) {
        skr_json_open(w, NULL, '{');
        if (several) {
            skr_json_string(w, "namespace", binding->meta.namespace_);
            skr_json_string(w, "name", binding->meta.name);
        }
        skr_binding_decision_write(decision, w);
        skr_json_close(w, '}');
        write_notes(decision, messages);
    } else {
        skr_binding_text_write(decision, how->verbose, w->out);
    }
    *placed = *placed && decision->code == SKR_PROPAGATION_PLACED;
    skr_binding_decision_destroy(decision);
    return SKR_EXIT_OK;
}

int skr_binding_print(const struct skr_binding *const *binding, size_t n,
                      const struct skr_fleet_input *input, const struct skr_binding_printing *how,
                      struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const bool list = n > 1 && how->json;
    struct skr_json_writer w = {.out = out};
    int code = SKR_EXIT_OK;
    bool placed = true;
    if (list) {
        skr_json_open(&w, NULL, '{');
        skr_json_open(&w, "bindings", '[');
    }
    for (size_t i = 0; i < n && code == SKR_EXIT_OK; i++) {
        skr_strbuf_add(out, !how->json && i > 0 ? "\n" : "");
        code = print_one(binding[i], input, how, n > 1, &placed, &w, messages);
    }
    if (list) {
        skr_json_close(&w, ']');
        skr_json_close(&w, '}');
    }
    if (how->json) {
        skr_strbuf_addc(out, '\n');
    }
    return code == SKR_EXIT_OK && !placed ? SKR_EXIT_NOT_PLACED : code;
}

static int run(const struct skr_simulate_binding_options *options,
               const struct skr_propagation_options *settings, struct skr_fleet_input *input,
               struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct skr_binding_printing how = {settings, options->json, options->verbose};
    SKR_AUTO_FREE const struct skr_binding **all = NULL;
    bool good = true;
    for (size_t i = 0; i < options->n_files; i++) {
        good = skr_fleet_input_read(input, options->file[i], messages) == 0 && good;
    }
    if (!good || skr_fleet_input_finish(input, messages) < 0) {
        return SKR_EXIT_ERROR;
    }
    const struct skr_binding *only =
        options->binding ? skr_binding_find(input, options->binding) : NULL;
    const size_t n = skr_binding_all(input, &all);
    if (n == 0 || (options->binding && !only)) {
        skr_strbuf_addf(messages, "sakkara simulate binding: no binding %s%sin these files\n",
                        options->binding ? options->binding : "", options->binding ? " " : "");
        return SKR_EXIT_NOT_FOUND;
    }
    return skr_binding_print(only ? &only : all, only ? 1 : n, input, &how, out, messages);
}

int skr_simulate_binding_run(const struct skr_simulate_binding_options *options,
                             struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_propagation_options settings;
    struct skr_fleet_input input;
    struct skr_error error = {.text = ""};
    if (settings_of(options->profile, options->option, options->n_options, &settings, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara simulate binding: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    skr_fleet_input_init(&input, &skr_binding_rules);
    int code = run(options, &settings, &input, out, messages);
    skr_fleet_input_fini(&input);
    return code;
}
