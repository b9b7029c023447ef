/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara tree`: the tree with what is used and what is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cli/client_flags.h"
#include "server/cli/did_you_mean.h"
#include "server/cli/fleet_objects.h"
#include "server/cli/mix_flags.h"
#include "server/client/node_classes.h"
#include "server/config/config.h"
#include "server/exit_code.h"
#include "server/lab/simulate/placement_tree.h"
#include "server/render/render.h"
#include "topology/base/arena.h"
#include "topology/label_levels.h"

struct options {
    const char *resource, *slot;
    const char *preset, *levels, *missing;
    bool bindings, placements;
    struct skr_page_flags page;
    struct skr_mix_flags mix;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, resource, "--resource", NULL, "NAME",
             "what to look at, \"nvidia.com/gpu\", \"gpu\", or devices of a DeviceClass as\n"
             "\"class/gpu.nvidia.com\"; default: the tree's first special one"),
    SKR_FLAG(
        TEXT, options, slot, "--slot", NULL, "SIZE",
        "what one slot takes, \"gpu=2,memory=8Gi\", \"class/gpu.nvidia.com=4\", or ROLE@GROUP;\n"
        "default: one of the resource"),
    SKR_FLAG(TEXT, options, preset, "--preset", NULL, "NAME",
             "of a dump: the tree that this preset of the option topology would make, whatever\n"
             "topology maps the dump has"),
    SKR_FLAG(TEXT, options, levels, "--levels", NULL, "JSON",
             "of a dump: the same with these levels, as in the key levels of a topology map"),
    SKR_FLAG(TEXT, options, missing, "--missing", NULL, "WORD",
             "with --preset or --levels: exclude or pad nodes that lack a label"),
    SKR_FLAG(SWITCH, options, bindings, "--bindings", NULL, NULL,
             "bindings of Karmada: provider, region, zone, cluster with replicas"),
    SKR_FLAG(SWITCH, options, placements, "--placements", NULL, NULL,
             "Placements of OCM: their spread levels, clusters with decisions"),
    SKR_HELP_FLAG,
    {0},
};

static int show(const struct skr_call *call, const json_t *page, struct skr_strbuf *out,
                struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_render how = {.ascii = o->look.ascii,
                                   .no_headers = o->look.no_headers,
                                   .coloured = skr_look_is_coloured(&o->look, stdout)};
    struct skr_error error = {0};
    if (!skr_page_flags_write(&o->page, page, out) &&
        skr_render_tree(page, &how, out, messages, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara tree: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    return SKR_EXIT_OK;
}

/* What is about racks and nodes alone, or a daemon, which hands out no objects; NULL: nothing. */
static const char *misplaced(const struct skr_call *call)
{
    const struct options *o = call->options;
    return call->n_words > 0                 ? call->word[0]
           : o->resource                     ? "--resource"
           : o->slot                         ? "--slot"
           : o->preset                       ? "--preset"
           : o->levels                       ? "--levels"
           : o->page.output != SKR_PAGE_TEXT ? "--output"
           : o->client.server                ? "--server"
           : o->bindings && o->placements    ? "--placements"
                                             : NULL;
}

static void say_none(const struct options *o, const char *what, struct skr_strbuf *messages)
{
    const char *namespace_ = o->client.namespace_;
    skr_strbuf_addf(messages, "No %s found%s%s.\n", what, namespace_ ? " in namespace " : "",
                    namespace_ ? namespace_ : "");
}

static void draw_binding(const struct skr_fleet_input *input, const struct skr_binding *binding,
                         bool ascii, struct skr_strbuf *out)
{
    char title[600];
    SKR_AUTO_FREE struct skr_place_row *row = skr_alloc_array(binding->n_targets + 1, sizeof *row);
    for (size_t i = 0; i < binding->n_targets; i++) {
        row[i] = skr_binding_row(input, binding->target[i].name, binding->target[i].replicas);
    }
    snprintf(title, sizeof title, "%s%s%s", binding->meta.namespace_,
             binding->meta.namespace_[0] != '\0' ? "/" : "", binding->meta.name);
    skr_place_tree_write(title, row, binding->n_targets, SKR_BINDING_NAME_COLUMN, ascii, out);
}

/* Where the bindings are, as their spec.clusters say. */
static int draw_bindings(const struct skr_call *call, struct skr_strbuf *out,
                         struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const char *namespace_ = o->client.namespace_;
    SKR_AUTO_FREE const struct skr_binding **all = NULL;
    struct skr_fleet_input input;
    int code = skr_fleet_objects_fetch(call, &o->client, &skr_binding_rules, &input, messages);
    const size_t n = code == SKR_EXIT_OK ? skr_binding_all(&input, &all) : 0;
    for (size_t i = 0; i < n; i++) {
        if (!namespace_ || strcmp(namespace_, all[i]->meta.namespace_) == 0) {
            draw_binding(&input, all[i], o->look.ascii, out);
        }
    }
    if (code == SKR_EXIT_OK && out->len == 0) {
        say_none(o, "bindings", messages);
    }
    skr_fleet_input_fini(&input);
    return code;
}

static int draw_placements(const struct skr_call *call, struct skr_strbuf *out,
                           struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_fleet_input input;
    int code = skr_fleet_objects_fetch(call, &o->client, &skr_placement_rules, &input, messages);
    if (code == SKR_EXIT_OK) {
        skr_placement_tree_write(&input, o->client.namespace_, o->look.ascii, out);
        if (out->len == 0) {
            say_none(o, "Placements", messages);
        }
    }
    skr_fleet_input_fini(&input);
    return code;
}

/* Adds the classes of nodes to the tree if there is a spot mix. If it does not answer, a message says
 * so, and the tree has no classes. */
static int add_classes(const struct skr_call *call, struct skr_client *client, json_t *page,
                       struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_mix_view view;
    struct skr_error error = {0};
    json_auto_t *nodes = NULL;
    const int code = skr_mix_view_init(&view, call, &o->mix, messages);
    if (code == SKR_EXIT_OK) {
        const int rc = skr_node_classes_fetch(client, &view.settings, &nodes, &error);
        if (rc == 0) {
            skr_node_classes_add(page, nodes);
        } else if (rc != -SKR_NOT_FOUND) {
            skr_strbuf_addf(messages, "sakkara tree: classes of nodes are not known: %s\n",
                            error.text);
        }
    }
    skr_mix_view_fini(&view);
    return code;
}

static int draw_tree(const struct skr_call *call, const struct skr_client_flags *source,
                     struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_view_query query = {
        .path = "/v1/tree",
        .argument = {[SKR_VIEW_DOMAIN] = call->n_words ? call->word[0] : NULL,
                     [SKR_VIEW_RESOURCE] = o->resource,
                     [SKR_VIEW_SLOT] = o->slot}};
    struct skr_client *client = NULL;
    json_auto_t *page = NULL;
    int code = skr_client_flags_open(call, source, &client, messages);
    if (code == SKR_EXIT_OK) {
        code = skr_client_flags_fetch(call, client, &query, "Tree", &page, messages);
    }
    if (code == SKR_EXIT_OK) {
        code = add_classes(call, client, page, messages);
        code = code == SKR_EXIT_OK ? show(call, page, out, messages) : code;
    } else if (client && code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_from_tree(client, &query, messages);
    }
    skr_client_destroy(client);
    return code;
}

/* The levels that the flags ask for. arena: of their texts. *ret: NULL if there are none. */
static int read_levels(const struct skr_call *call, const struct skr_config *config,
                       struct skr_arena *arena, struct skr_label_levels *levels,
                       const struct skr_label_levels **ret, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const char *flag = o->preset ? "--preset" : o->levels ? "--levels" : NULL;
    struct skr_error error;
    int rc = 0;
    *ret = config ? config->settings.label_levels : NULL;
    if (!flag) {
        return !o->missing ? SKR_EXIT_OK
                           : skr_cli_refuse(call->command, "--preset or --levels is needed beside",
                                            "--missing", messages);
    }
    if (o->preset && o->levels) {
        return skr_cli_refuse(call->command, "--preset makes another tree than", "--levels",
                              messages);
    }
    if (!o->client.file) {
        return skr_cli_refuse(call->command, "--file DUMP is needed beside", flag, messages);
    }
    rc = o->preset ? skr_label_levels_choose(o->preset, "", levels, &error)
                   : skr_label_levels_parse("--levels", o->levels, NULL, arena, levels, &error);
    if (rc == 0 && o->missing && !skr_label_levels_set_missing(levels, o->missing)) {
        flag = "--missing";
        rc = skr_error_set(&error, SKR_INVALID, "\"%.64s\" is neither exclude nor pad", o->missing);
    }
    if (rc < 0) {
        const bool named = strncmp(error.text, "--", 2) == 0;
        skr_strbuf_addf(messages, "sakkara tree: %s%s%s\n", named ? "" : flag, named ? "" : ": ",
                        error.text);
        return SKR_EXIT_USAGE;
    }
    *ret = levels;
    return SKR_EXIT_OK;
}

/* The configuration is read twice: here for its levels, and for the classes of nodes. */
static int run_tree(const struct skr_call *call, struct skr_strbuf *out,
                    struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_client_flags source = o->client;
    struct skr_label_levels levels;
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(4 * SKR_LABEL_LEVELS_TEXT_MAX, 0);
    skr_bug_on(!arena);
    int code =
        o->mix.config ? skr_cli_load_config(o->mix.config, NULL, &config, messages) : SKR_EXIT_OK;
    if (code == SKR_EXIT_OK) {
        code = read_levels(call, config, arena, &levels, &source.label_levels, messages);
    }
    source.levels_first = o->preset || o->levels;
    return code == SKR_EXIT_OK ? draw_tree(call, &source, out, messages) : code;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    if (o->bindings || o->placements) {
        const char *word = misplaced(call);
        return word          ? skr_cli_refuse(call->command,
                                     o->bindings ? "--bindings does not go with"
                                                          : "--placements does not go with",
                                              word, messages)
               : o->bindings ? draw_bindings(call, out, messages)
                             : draw_placements(call, out, messages);
    }
    return run_tree(call, out, messages);
}

const struct skr_command skr_command_tree = {
    .name = "tree",
    .usage = "sakkara tree [DOMAIN] [--resource NAME] [--slot SIZE] [-o text|json|yaml] "
             "[--server URL | --file DUMP] [--preset NAME | --levels JSON] [--missing exclude|pad] "
             "[--spotmix-preset PRESET | --config FILE] [--ascii] [--no-headers]\n"
             "       sakkara tree --bindings|--placements [-n NAMESPACE] [--file DUMP] [--ascii]",
    .summary = "show racks and nodes, what is used and what still fits",
    .text =
        "A row for every domain and node of the tree in force: nodes that are Ready, the\n"
        "resource used and allocatable, how many more pods of a size fit (SLOTS), and which\n"
        "groups are there, on nodes with the number of their pods. DOMAIN is a name, or a path\n"
        "below the root. A slot is one device, GiB or core unless --slot says so, and 100m of\n"
        "cpu where no node has a core. A slot ROLE@GROUP is a pod of that role, on the nodes\n"
        "that are open to it. With the spot mix, CLASS says which nodes are on-demand and which\n"
        "spot, and how many mixed pods sit there. Without --server and --file kubectl finds the\n"
        "daemon.\n"
        "\n"
        "--preset shows the tree that labels of nodes would make, before it is switched on with\n"
        "the option topology, and how many nodes it would leave out. Presets: zones, eks, gke,\n"
        "oke, coreweave, nebius, topograph, topograph0, nvlink.\n",
    .examples = "  sakkara tree\n"
                "  sakkara tree rack-1 --slot gpu=2,memory=64Gi\n"
                "  sakkara tree --slot worker@serve\n"
                "  kubectl get nodes,pods,configmaps -A -o json | sakkara tree --file -\n"
                "  kubectl get nodes -o json | sakkara tree --preset eks --file -\n",
    .next = "sakkara get groups",
    .word = "domain",
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {flags, 0},
              {skr_mix_tree_flag_table, offsetof(struct options, mix)},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run,
};
