/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara explain binding/NAME`: where a binding of Karmada goes, or why it does not. */
#include <string.h>

#include "server/cli/fleet_objects.h"
#include "server/exit_code.h"
#include "server/lab/simulate/binding.h"
#include "topology/base/json_field.h"

struct options {
    struct skr_client_flags client;
    struct skr_text_list settings;
    int profile;
    int output;
    bool verbose;
};

static const struct skr_flag flags[] = {
    SKR_BINDING_FLAGS(options, profile, settings),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(SWITCH, options, verbose, "--verbose", "-v", NULL,
             "all groups and clusters, however many"),
    SKR_HELP_FLAG,
    {0},
};

/* "binding/NAME" with the namespace that is asked for, else "default"; a ClusterResourceBinding of
 * that name otherwise. */
static const struct skr_binding *find(const struct options *given, const char *name,
                                      const struct skr_fleet_input *input)
{
    const char *namespace_ = given->client.namespace_ ? given->client.namespace_ : "default";
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    const struct skr_binding *binding = skr_binding_find(input, key);
    return binding || given->client.namespace_ ? binding : skr_binding_find(input, name);
}

/* Those of the daemon, unless the call names a profile; then those of the call. */
static int settle(const struct options *given, const json_t *of_daemon,
                  struct skr_propagation_options *ret, struct skr_error *error)
{
    enum skr_propagation_profile profile = (enum skr_propagation_profile)given->profile;
    const char *options = "";
    int rc = 0;
    for (int i = 0; given->profile == SKR_PROFILE_DEFAULT && i < SKR_PROFILE_COUNT; i++) {
        if (strcmp(skr_object_text(of_daemon, "profile"), skr_binding_profiles[i]) == 0) {
            profile = (enum skr_propagation_profile)i;
            options = skr_object_text(of_daemon, "options");
        }
    }
    skr_propagation_options_init(ret, profile);
    rc = skr_propagation_options_set(ret, options, error);
    for (size_t i = 0; i < given->settings.n && rc == 0; i++) {
        rc = skr_propagation_options_set(ret, given->settings.item[i], error);
    }
    return rc;
}

static int explain(const void *options, const json_t *of_daemon, const char *name,
                   struct skr_fleet_input *input, struct skr_strbuf *out,
                   struct skr_strbuf *messages)
{
    const struct options *given = options;
    struct skr_propagation_options settings;
    struct skr_error error = {.text = ""};
    if (settle(given, of_daemon, &settings, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara explain: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    const struct skr_binding *binding = find(given, name, input);
    if (!binding) {
        skr_strbuf_addf(messages, "sakkara explain: there is no binding %s\n", name);
        return SKR_EXIT_NOT_FOUND;
    }
    const struct skr_binding_printing how = {&settings, given->output == SKR_OUTPUT_JSON,
                                             given->verbose};
    return skr_binding_print(&binding, 1, input, &how, out, messages);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_fleet_explanation what = {.client = &given->client,
                                               .rules = &skr_binding_rules,
                                               .module = "karmada",
                                               .json = given->output == SKR_OUTPUT_JSON,
                                               .explain = explain};
    return skr_fleet_explain(call, &what, out, messages);
}

const struct skr_command skr_command_explain_binding = {
    .name = "explain binding/",
    .usage = "sakkara explain binding/NAME [-n NAMESPACE] [-v] [-o text|json]\n"
             "                             [--profile NAME] [--option NAME=VALUE]\n"
             "                             [--server URL | --file DUMP]",
    .summary = "where a binding of Karmada goes, or why it does not",
    .text =
        "Decides the binding as the daemon would on the objects as they are: every cluster with "
        "the\n"
        "filters that rejected it, the groups with score and room, which were chosen, and which\n"
        "single changes would place it, each of them tried. Objects come from kubectl or the "
        "dump.\n"
        "The daemon, which --server or kubectl finds, is asked whether its module karmada is on,\n"
        "and for its profile and options, which count unless --profile names another one. Exit\n"
        "code 0 when the binding can be placed, 4 when not or when the module is off, 3 when "
        "there\n"
        "is none.\n",
    .examples = "  sakkara explain binding/web-deployment -n shop\n"
                "  kubectl get clusters,resourcebindings -A -o json > dump.json\n"
                "  sakkara explain binding/web-deployment --file dump.json -o json\n",
    .next = "sakkara help simulate binding",
    .word = "binding",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}, {skr_client_flag_table, offsetof(struct options, client)}},
    .options_size = sizeof(struct options),
    .run = run,
};
