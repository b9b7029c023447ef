/* SPDX-License-Identifier: Apache-2.0 */
/* One round over the engine of a dump. */
#include "server/lab/simulate/timeline.h"

#include <string.h>

#include "core/gang/cache/topology.h"
#include "core/gang/state/groups.h"
#include "server/clock.h"
#include "server/exit_code.h"
#include "server/lab/simulate/dump.h"

struct timeline {
    const struct skr_simulate_timeline_options *options;
    struct skr_strbuf *out, *messages;
    struct skr_simulate_dump dump;
    skr_time now;
    json_t *tree; /* the page, with picture */
    struct skr_timeline_picture how;
    struct skr_chart_request chart;
};

static int read_now(struct timeline *t)
{
    struct skr_clock clock;
    struct skr_error error;
    skr_clock_init(&clock);
    t->now = skr_clock_now(&clock);
    if (t->options->now && skr_time_parse(t->options->now, &t->now, &error) < 0) {
        skr_strbuf_addf(t->messages, "--now: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    t->now -= t->now % SKR_SECOND;
    return SKR_EXIT_OK;
}

/* ---- the round ---- */

/* ---- the picture ---- */

/* Whether the unit's path ends with these names. */
static bool has_path(const struct skr_tree *tree, int32_t unit, const char *path)
{
    for (size_t len = strlen(path); unit > 0;) {
        const size_t own = strlen(tree->unit_name[unit]);
        if (own > len || memcmp(tree->unit_name[unit], path + len - own, own) != 0) {
            return false;
        }
        if (own == len) {
            return true;
        }
        if (path[len - own - 1] != '/') {
            return false;
        }
        len -= own + 1;
        unit = tree->parent[unit];
    }
    return false;
}

static bool is_of_class(const char *resource)
{
    return resource && strncmp(resource, "class/", 6) == 0;
}

/* What is drawn; the page of the tree refuses domains and resources that are not there. */
static int read_picture(struct timeline *t)
{
    const struct skr_simulate_timeline_options *o = t->options;
    const struct skr_gang *e = skr_simulate_dump_gang(&t->dump);
    const char *resource = o->resource;
    if (is_of_class(resource)) {
        skr_strbuf_addf(t->messages, "sakkara timeline: %.100s: devices of a class have no times\n",
                        resource);
        return SKR_EXIT_NOT_FOUND;
    }
    t->tree =
        skr_simulate_dump_tree(&t->dump, o->domain, resource, "sakkara timeline", t->messages);
    if (is_of_class(json_string_value(json_object_get(t->tree, "resource")))) {
        json_decref(t->tree);
        resource = skr_resource_names_get(e->resources, SKR_RESOURCE_CPU);
        t->tree =
            skr_simulate_dump_tree(&t->dump, o->domain, resource, "sakkara timeline", t->messages);
    }
    t->how.resource = json_string_value(json_object_get(t->tree, "resource"));
    if (!t->how.resource) {
        return t->tree ? SKR_EXIT_ERROR : SKR_EXIT_NOT_FOUND;
    }
    const int id = skr_resource_names_find(e->resources, t->how.resource);
    t->how.cell_s = o->hours * 3600 / SKR_CHART_CELLS;
    t->how.ascii = o->ascii;
    t->chart = (struct skr_chart_request){.resource = id < 0 ? UINT16_MAX : (uint16_t)id,
                                          .cell_s = t->how.cell_s};
    for (int32_t u = 1; o->domain && u < e->topology.tree->n_units && t->chart.unit == 0; u++) {
        t->chart.unit = has_path(e->topology.tree, u, o->domain) ? u : 0;
    }
    return SKR_EXIT_OK;
}

static int run_round(struct timeline *t)
{
    const struct skr_timeline_request request = {
        .now = t->now,
        .preempt = t->options->preempt,
        .chart = t->options->picture ? &t->chart : NULL,
        .moves_most = t->options->moves ? (int32_t)t->dump.config->time.moves_most : 0,
        .moves_after = skr_instant_up(t->dump.config->time.move_after)};
    struct skr_timeline_answer answer;
    struct skr_error error;
    const int rc = skr_gang_timeline(skr_simulate_dump_gang(&t->dump), &request, &answer, &error);
    if (rc < 0) {
        skr_strbuf_addf(t->messages, "sakkara simulate timeline: %s\n", error.text);
    } else if (t->options->picture) {
        skr_timeline_draw(&answer, &t->how, t->out);
    } else if (t->options->json) {
        skr_timeline_write_json(&answer, t->out);
    } else {
        skr_timeline_write_text(&answer, t->out);
    }
    skr_timeline_answer_fini(&answer);
    return rc < 0 ? SKR_EXIT_ERROR : SKR_EXIT_OK;
}

int skr_simulate_timeline_run(const struct skr_simulate_timeline_options *options,
                              struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct timeline t = {.options = options, .out = out, .messages = messages};
    int code = skr_simulate_dump_init(&t.dump, options->config, messages);
    code = code == SKR_EXIT_OK ? read_now(&t) : code;
    if (code == SKR_EXIT_OK) {
        code = skr_simulate_dump_read(&t.dump, options->file, options->n_files, t.now, messages);
    }
    if (code == SKR_EXIT_OK && options->picture) {
        code = read_picture(&t);
    }
    code = code == SKR_EXIT_OK ? run_round(&t) : code;
    json_decref(t.tree);
    skr_simulate_dump_fini(&t.dump);
    return code;
}
