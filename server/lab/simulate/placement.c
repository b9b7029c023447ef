/* SPDX-License-Identifier: Apache-2.0 */
/* Files to a hub, one cycle, and what it says. */
#include "server/lab/simulate/placement.h"

#include <stdlib.h>
#include <string.h>

#include "core/placement/report.h"
#include "server/clock.h"
#include "server/exit_code.h"

static int refuse(const struct skr_placement_world *world,
                  const struct skr_simulate_placement_options *options,
                  enum skr_placement_found found, struct skr_strbuf *messages)
{
    const struct skr_placement *placement;
    size_t n_ours = 0;
    for (size_t i = 0; (placement = skr_placement_world_at(world, i)); i++) {
        n_ours += skr_placement_is_ours(placement, options->scheduler) ? 1 : 0;
    }
    if (options->placement) {
        skr_strbuf_addf(messages, "%s %.300s in these files\n",
                        found == SKR_PLACEMENT_ABSENT ? "no Placement" : "several Placements",
                        options->placement);
    } else if (n_ours > 0) {
        skr_strbuf_addf(messages, "%zu Placements are ours, choose one with --placement:\n",
                        n_ours);
    } else {
        skr_strbuf_addf(messages,
                        "no Placement in these files is ours (annotations %s: \"true\", %s: "
                        "\"%s\")%s\n",
                        SKR_PLACEMENT_DISABLE_KEY, SKR_PLACEMENT_SCHEDULER_KEY, options->scheduler,
                        world->placement && skr_placement_world_at(world, 0)
                            ? ", choose one with --placement:"
                            : "");
    }
    for (size_t i = 0; (placement = skr_placement_world_at(world, i)); i++) {
        if (n_ours == 0 || skr_placement_is_ours(placement, options->scheduler)) {
            skr_strbuf_addf(messages, "  %s/%s\n",
                            placement->meta.namespace_[0] ? placement->meta.namespace_ : "default",
                            placement->meta.name);
        }
    }
    return found == SKR_PLACEMENT_ABSENT ? SKR_EXIT_NOT_FOUND : SKR_EXIT_ERROR;
}

static int evaluate(struct skr_placement_world *world, const struct skr_placement *placement,
                    const struct skr_simulate_placement_options *options, skr_time now,
                    struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    struct skr_placement_hub hub;
    struct skr_placement_result result = {0};
    struct skr_error error = {0};
    if (!arena || skr_placement_world_hub(world, placement, arena, &hub, &error) < 0) {
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

int skr_simulate_placement_show(struct skr_placement_world *world,
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
    enum skr_placement_found found =
        skr_placement_world_find(world, options->placement, options->scheduler, &placement);
    if (found != SKR_PLACEMENT_FOUND) {
        return refuse(world, options, found, messages);
    }
    return evaluate(world, placement, options, now, out, messages);
}

static int read_all(struct skr_placement_world *world,
                    const struct skr_simulate_placement_options *options,
                    struct skr_strbuf *messages)
{
    int code = SKR_EXIT_OK;
    for (size_t i = 0; i < options->n_files; i++) {
        if (skr_placement_world_read(world, options->file[i], messages) < 0) {
            code = SKR_EXIT_ERROR;
        }
    }
    for (size_t i = 0; code == SKR_EXIT_OK && i < options->n_sets; i++) {
        int rc = skr_placement_world_set(world, options->set[i], messages);
        code = rc == -SKR_NOT_FOUND ? SKR_EXIT_NOT_FOUND : rc < 0 ? SKR_EXIT_ERROR : code;
    }
    if (code == SKR_EXIT_OK && skr_placement_world_finish(world, messages) < 0) {
        code = SKR_EXIT_ERROR;
    }
    return code;
}

int skr_simulate_placement_run(const struct skr_simulate_placement_options *options,
                               struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct skr_placement_world world;
    skr_placement_world_init(&world);
    int code = read_all(&world, options, messages);
    if (code == SKR_EXIT_OK) {
        code = skr_simulate_placement_show(&world, options, out, messages);
    }
    skr_placement_world_fini(&world);
    return code;
}
