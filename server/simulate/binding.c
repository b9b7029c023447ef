/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings decided offline by the code of the daemon. One binding prints one object; several print
 * {"bindings": [...]} with namespace and name in front of each. Which scheduler a binding names does
 * not matter here: what would happen if it were ours is the question.
 */
#include "server/simulate/binding.h"

#include <stdio.h>
#include <string.h>

#include "core/propagation/decision_json.h"
#include "server/exit_code.h"
#include "server/simulate/binding_input.h"
#include "server/simulate/binding_text.h"

int skr_simulate_binding_settings(enum skr_propagation_profile profile, const char *const *option,
                                  size_t n, struct skr_propagation_options *ret,
                                  struct skr_error *error)
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
            skr_binding_decision_warn(decision, (enum skr_propagation_warning)i, messages);
            skr_strbuf_addc(messages, '\n');
        }
    }
    if (decision->code != SKR_PROPAGATION_PLACED) {
        skr_strbuf_addf(messages, "binding %s%s%s: %s\n", meta->namespace_, slash, meta->name,
                        decision->message);
    }
}

struct printing {
    bool json, verbose;
    struct skr_strbuf *out, *messages;
    struct skr_json_writer w;
    bool several;
    bool placed;
};

static int print_one(struct printing *p, const struct skr_binding_input *input,
                     const struct skr_binding *binding,
                     const struct skr_propagation_options *settings)
{
    struct skr_binding_decision *decision = NULL;
    struct skr_error error = {.text = ""};
    const struct skr_member_cluster *const *cluster =
        (const struct skr_member_cluster *const *)input->cluster;
    if (skr_binding_decide(binding, cluster, input->n_clusters, settings, NULL, &decision, &error) <
        0) {
        skr_strbuf_addf(p->messages, "binding %s: %s\n", binding->meta.name, error.text);
        return SKR_EXIT_ERROR;
    }
    if (p->json) {
        skr_json_open(&p->w, NULL, '{');
        if (p->several) {
            skr_json_string(&p->w, "namespace", binding->meta.namespace_);
            skr_json_string(&p->w, "name", binding->meta.name);
        }
        skr_binding_decision_write(decision, &p->w);
        skr_json_close(&p->w, '}');
        write_notes(decision, p->messages);
    } else {
        skr_binding_text_write(decision, p->verbose, p->out);
    }
    p->placed = p->placed && decision->code == SKR_PROPAGATION_PLACED;
    skr_binding_decision_destroy(decision);
    return SKR_EXIT_OK;
}

int skr_simulate_binding_print(const struct skr_binding *binding,
                               const struct skr_binding_input *input,
                               const struct skr_propagation_options *settings, bool json,
                               bool verbose, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct printing p = {.json = json,
                         .verbose = verbose,
                         .out = out,
                         .messages = messages,
                         .w = {.out = out},
                         .placed = true};
    int code = print_one(&p, input, binding, settings);
    if (json) {
        skr_strbuf_addc(out, '\n');
    }
    return code == SKR_EXIT_OK && !p.placed ? SKR_EXIT_NOT_PLACED : code;
}

static int print_all(struct printing *p, const struct skr_binding_input *input,
                     const struct skr_binding *only, const struct skr_propagation_options *settings)
{
    int code = SKR_EXIT_OK;
    p->several = !only && input->n_bindings > 1;
    p->w = (struct skr_json_writer){.out = p->out};
    if (p->several && p->json) {
        skr_json_open(&p->w, NULL, '{');
        skr_json_open(&p->w, "bindings", '[');
    }
    for (size_t i = 0; i < input->n_bindings && code == SKR_EXIT_OK; i++) {
        if (!only || only == input->binding[i]) {
            if (!p->json && i > 0 && !only) {
                skr_strbuf_addc(p->out, '\n');
            }
            code = print_one(p, input, input->binding[i], settings);
        }
    }
    if (p->several && p->json) {
        skr_json_close(&p->w, ']');
        skr_json_close(&p->w, '}');
    }
    if (p->json) {
        skr_strbuf_addc(p->out, '\n');
    }
    return code;
}

static int run(const struct skr_simulate_binding_options *options,
               const struct skr_propagation_options *settings, struct skr_binding_input *input,
               struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct skr_binding *only = NULL;
    bool good = true;
    for (size_t i = 0; i < options->n_files; i++) {
        good = skr_binding_input_read(input, options->file[i], messages) == 0 && good;
    }
    if (!good || skr_binding_input_finish(input, messages, messages) < 0) {
        return SKR_EXIT_ERROR;
    }
    if (options->binding) {
        only = skr_binding_input_find(input, options->binding);
    }
    if (input->n_bindings == 0 || (options->binding && !only)) {
        skr_strbuf_addf(messages, "sakkara simulate binding: no binding %s%sin these files\n",
                        options->binding ? options->binding : "", options->binding ? " " : "");
        return SKR_EXIT_NOT_FOUND;
    }
    struct printing p = {.json = options->json,
                         .verbose = options->verbose,
                         .out = out,
                         .messages = messages,
                         .placed = true};
    int code = print_all(&p, input, only, settings);
    return code == SKR_EXIT_OK && !p.placed ? SKR_EXIT_NOT_PLACED : code;
}

int skr_simulate_binding_run(const struct skr_simulate_binding_options *options,
                             struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_propagation_options settings;
    struct skr_binding_input input;
    struct skr_error error = {.text = ""};
    if (skr_simulate_binding_settings(options->profile, options->option, options->n_options,
                                      &settings, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara simulate binding: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    skr_binding_input_init(&input);
    int code = run(options, &settings, &input, out, messages);
    skr_binding_input_fini(&input);
    return code;
}
