/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files as a hub, runs one cycle, and writes the result. */
#include "server/lab/simulate/placement.h"

#include <stdlib.h>
#include <string.h>

#include "core/placement/report.h"
#include "core/placement/types.h"
#include "server/clock.h"
#include "server/exit_code.h"
#include "server/object/path.h"
#include "topology/base/decimal.h"

/* ---- reading ---- */

static int check(const struct skr_object_type *type, const void *object, struct skr_error *error)
{
    const struct skr_meta *meta = type->meta(object);
    const char *total = skr_labels_get(&meta->annotations, SKR_TOTAL_SCORE_KEY);
    int64_t number;
    if (!meta->name[0]) {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    if (type == &skr_ocm_types[SKR_OCM_CLUSTER] && total &&
        !skr_decimal_parse(total, strlen(total), &number)) {
        return skr_error_set_key(error, SKR_INVALID, "metadata.annotations",
                                 "%s is an integer, not \"%.64s\"", SKR_TOTAL_SCORE_KEY, total);
    }
    return 0;
}

static void say_ignored(const char *kind, const char *api_version, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "kind %.64s of %.96s is ignored", kind, api_version);
}

/* A binding is for the set of its name. */
static void say_other_set(const struct skr_object_type *type, const json_t *object,
                          struct skr_strbuf *out)
{
    const char *name = skr_path_text(object, "metadata.name");
    const char *set = skr_path_text(object, "spec.clusterSet");
    if (type == &skr_ocm_types[SKR_OCM_BINDING] && strcmp(name, set) != 0) {
        skr_strbuf_addf(out,
                        "spec.clusterSet is \"%.100s\", but a ManagedClusterSetBinding is that of "
                        "the set of its name, %.100s; the API server refuses it",
                        set, name);
    }
}

static bool say_again(const struct skr_manifest *first, const struct skr_fleet_object *object,
                      struct skr_strbuf *messages)
{
    (void)object;
    skr_strbuf_addf(messages,
                    "%s:%zu:%zu: warning: this object comes again below, and counts there\n",
                    first->file, first->line, first->column);
    return true;
}

static const struct skr_placement_settings settings = {.scheduler_name = ""};

const struct skr_fleet_rules skr_placement_rules = {.scheduler = &skr_placement_scheduler,
                                                    .settings = &settings,
                                                    .any_version = true,
                                                    .into_default = true,
                                                    .ignored = say_ignored,
                                                    .doubted = say_other_set,
                                                    .check = check,
                                                    .twice = say_again};

/* ---- finding ---- */

const struct skr_placement *skr_placement_at(const struct skr_fleet_input *input, size_t i)
{
    size_t n;
    const struct skr_fleet_object *all =
        skr_fleet_input_of(input, &skr_ocm_types[SKR_OCM_PLACEMENT], &n);
    return i < n ? all[i].object : NULL;
}

static bool is_named(const struct skr_placement *placement, const char *name)
{
    const char *slash = strchr(name, '/'), *own = placement->meta.namespace_;
    return strcmp(placement->meta.name, slash ? slash + 1 : name) == 0 &&
           (!slash || (strlen(own) == (size_t)(slash - name) &&
                       strncmp(own, name, (size_t)(slash - name)) == 0));
}

enum found { FOUND, ABSENT, AMBIGUOUS };

/* name: "NS/NAME", "NAME", or NULL: the only Placement of this scheduler. */
static enum found find(const struct skr_fleet_input *input, const char *name, const char *scheduler,
                       const struct skr_placement **ret)
{
    const struct skr_placement *placement, *in_default = NULL;
    size_t n = 0;
    for (size_t i = 0; (placement = skr_placement_at(input, i)); i++) {
        if (name ? !is_named(placement, name) : !skr_placement_is_ours(placement, scheduler)) {
            continue;
        }
        n++;
        *ret = placement;
        if (name && strcmp(placement->meta.namespace_, "default") == 0) {
            in_default = placement;
        }
    }
    if (n > 1 && in_default) {
        *ret = in_default;
        return FOUND;
    }
    return n == 1 ? FOUND : n == 0 ? ABSENT : AMBIGUOUS;
}

int skr_placement_hub(const struct skr_fleet_input *input, const struct skr_placement *placement,
                      struct skr_arena *arena, struct skr_placement_hub *ret,
                      struct skr_error *error)
{
    if (skr_placement_hub_of(skr_engine_self(input->engine), placement, arena, ret) < 0) {
        return skr_error_set(error, SKR_LIMIT, "too many objects");
    }
    ret->every_cluster = ret->n_sets == 0 && ret->n_bindings == 0;
    ret->what_if = true;
    ret->explain = true;
    ret->spread_mode = SKR_SPREAD_WEIGHTED;
    return 0;
}

/* ---- output ---- */

static int refuse(const struct skr_fleet_input *input,
                  const struct skr_simulate_placement_options *options, enum found found,
                  struct skr_strbuf *messages)
{
    const struct skr_placement *placement;
    size_t n_ours = 0;
    for (size_t i = 0; (placement = skr_placement_at(input, i)); i++) {
        n_ours += skr_placement_is_ours(placement, options->scheduler) ? 1 : 0;
    }
    if (options->placement) {
        skr_strbuf_addf(messages, "%s %.300s in these files\n",
                        found == ABSENT ? "no Placement" : "several Placements",
                        options->placement);
    } else if (n_ours > 0) {
        skr_strbuf_addf(messages, "%zu Placements are ours, choose one with --placement:\n",
                        n_ours);
    } else {
        skr_strbuf_addf(messages,
                        "no Placement in these files is ours (annotations %s: \"true\", %s: "
                        "\"%s\")%s\n",
                        SKR_PLACEMENT_DISABLE_KEY, SKR_PLACEMENT_SCHEDULER_KEY, options->scheduler,
                        skr_placement_at(input, 0) ? ", choose one with --placement:" : "");
    }
    for (size_t i = 0; (placement = skr_placement_at(input, i)); i++) {
        if (n_ours == 0 || skr_placement_is_ours(placement, options->scheduler)) {
            skr_strbuf_addf(messages, "  %s/%s\n", placement->meta.namespace_,
                            placement->meta.name);
        }
    }
    return found == ABSENT ? SKR_EXIT_NOT_FOUND : SKR_EXIT_ERROR;
}

static int evaluate(struct skr_fleet_input *input, const struct skr_placement *placement,
                    const struct skr_simulate_placement_options *options, skr_time now,
                    struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    struct skr_placement_hub hub;
    struct skr_placement_result result = {0};
    struct skr_error error = {0};
    if (!arena || skr_placement_hub(input, placement, arena, &hub, &error) < 0) {
        skr_strbuf_addf(messages, "%s\n", arena ? error.text : "no memory");
        skr_arena_destroy(arena);
        return SKR_EXIT_ERROR;
    }
    hub.now = now;
    if (options->spread_mode && strcmp(options->spread_mode, "lexicographic") == 0) {
        hub.spread_mode = SKR_SPREAD_LEXICOGRAPHIC;
    }
    skr_placement_evaluate(placement, &hub, arena, &result);
    int code = result.satisfied ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
    if (!options->json) {
        skr_placement_text_write(placement, &hub, &result, arena, options->verbose, out);
    } else {
        struct skr_json_writer w = {.out = out};
        if (skr_placement_report_write(placement, &hub, &result, arena, &w) < 0) {
            skr_strbuf_reset(out);
            skr_strbuf_add(messages, "too much for one report\n");
            code = SKR_EXIT_ERROR;
        } else {
            skr_strbuf_addc(out, '\n');
        }
    }
    if (result.warning[0]) {
        skr_strbuf_addf(messages, "warning: %s\n", result.warning);
    }
    if (!skr_placement_is_ours(placement, options->scheduler)) {
        skr_strbuf_addf(messages,
                        "warning: %s is not ours: annotations %s: \"true\" and %s: \"%s\" make it "
                        "so\n",
                        placement->meta.name, SKR_PLACEMENT_DISABLE_KEY,
                        SKR_PLACEMENT_SCHEDULER_KEY, options->scheduler);
    }
    skr_arena_destroy(arena);
    return code;
}

int skr_simulate_placement_show(struct skr_fleet_input *input,
                                const struct skr_simulate_placement_options *options,
                                struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct skr_placement *placement = NULL;
    struct skr_clock clock;
    struct skr_error error = {0};
    skr_time now;
    skr_clock_init(&clock);
    now = skr_clock_now(&clock);
    if (options->now && skr_time_parse(options->now, &now, &error) < 0) {
        skr_strbuf_addf(messages, "--now: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    enum found found = find(input, options->placement, options->scheduler, &placement);
    if (found != FOUND) {
        return refuse(input, options, found, messages);
    }
    return evaluate(input, placement, options, now, out, messages);
}

static int read_all(struct skr_fleet_input *input,
                    const struct skr_simulate_placement_options *options,
                    struct skr_strbuf *messages)
{
    int code = SKR_EXIT_OK;
    for (size_t i = 0; i < options->n_files; i++) {
        if (skr_fleet_input_read(input, options->file[i], messages) < 0) {
            code = SKR_EXIT_ERROR;
        }
    }
    for (size_t i = 0; code == SKR_EXIT_OK && i < options->n_sets; i++) {
        int rc = skr_placement_set(input, options->set[i], messages);
        code = rc == -SKR_NOT_FOUND ? SKR_EXIT_NOT_FOUND : rc < 0 ? SKR_EXIT_ERROR : code;
    }
    if (code == SKR_EXIT_OK && skr_fleet_input_finish(input, messages) < 0) {
        code = SKR_EXIT_ERROR;
    }
    return code;
}

int skr_simulate_placement_run(const struct skr_simulate_placement_options *options,
                               struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_fleet_input input;
    skr_fleet_input_init(&input, &skr_placement_rules);
    int code = read_all(&input, options, messages);
    if (code == SKR_EXIT_OK) {
        code = skr_simulate_placement_show(&input, options, out, messages);
    }
    skr_fleet_input_fini(&input);
    return code;
}
