/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what holds the units below a domain in the next hours: /v1/timeline. Of a dump, after a round
 * on paper. */
#include "core/gang/cache/topology.h"
#include "core/gang/time/timeline.h"
#include "core/gang/view/view_tree.h"

#include <stdlib.h>
#include <string.h>

enum { HOURS = 4 };

/* Devices of a class have no times; cpu is shown instead if none was asked for. */
static int choose_of(struct tree_page *p, struct skr_view_query *query)
{
    const int code = skr_view_tree_asked(p);
    if (code != 200 || !p->resource[p->looked_at].class_) {
        return code;
    }
    if (query->argument[SKR_VIEW_RESOURCE]) {
        return skr_view_refuse(p->v, 404, "%.100s: devices of a class have no times",
                               p->resource[p->looked_at].name);
    }
    query->argument[SKR_VIEW_RESOURCE] = "cpu";
    *p = (struct tree_page){.v = p->v, .tree = p->tree, .leaf = p->leaf};
    return skr_view_tree_asked(p);
}

static int choose(struct tree_page *p)
{
    const struct skr_view_query *asked = p->v->query;
    struct skr_view_query *query = skr_alloc(sizeof *query);
    *query = *asked;
    query->argument[SKR_VIEW_SLOT] = NULL;
    p->v->query = query;
    const int code = choose_of(p, query);
    p->v->query = asked;
    free(query);
    return code;
}

static int read_hours(struct view *v, int64_t *ret)
{
    const char *text = v->query->argument[SKR_VIEW_HOURS];
    char *end = NULL;
    *ret = text ? strtoll(text, &end, 10) : HOURS;
    const bool good = !text || (*text && strspn(text, "0123456789") == strlen(text));
    return good && *ret >= 1 && *ret <= SKR_VIEW_HOURS_MAX
               ? 200
               : skr_view_refuse(v, 400, "hours is from 1 to %d, not \"%.32s\"", SKR_VIEW_HOURS_MAX,
                                 text);
}

/* ---- the page ---- */

static void write_instant(struct view *v, const char *key, int64_t at)
{
    skr_view_time(v, key, at > SKR_TIME_NEVER / SKR_SECOND ? 0 : at * SKR_SECOND);
}

static void write_row(struct view *v, const struct skr_timeline_chart_row *row)
{
    static const char mark[] = {'#', '?', '%', '.'};
    char cells[SKR_CHART_CELLS + 1] = "";
    _Static_assert(sizeof mark == SKR_CHART_HOLD_COUNT, "marks");
    for (size_t i = 0; i < SKR_CHART_CELLS; i++) {
        cells[i] = mark[row->cell[i]];
    }
    skr_json_open(&v->w, NULL, '{');
    skr_json_string(&v->w, "name", row->name);
    skr_json_int(&v->w, "used", row->used);
    skr_json_int(&v->w, "total", row->total);
    skr_json_string(&v->w, "cells", cells);
    skr_json_close(&v->w, '}');
}

/* By start, namespace, name. */
static int by_start(const void *a, const void *b)
{
    const struct skr_timeline_group *x = a, *y = b;
    const int order = strcmp(x->namespace_, y->namespace_);
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
           : order != 0         ? order
                                : strcmp(x->name, y->name);
}

static void write_group(struct view *v, const struct skr_timeline_group *g)
{
    skr_json_open(&v->w, NULL, '{');
    write_instant(v, "start", g->start);
    skr_json_bool(&v->w, "guess", g->state == SKR_ROUND_DRAIN);
    skr_json_string(&v->w, "namespace", g->namespace_);
    skr_json_string(&v->w, "name", g->name);
    skr_json_string(&v->w, "place", g->place);
    write_instant(v, "until", g->until);
    skr_json_string(&v->w, "because", g->because ? g->because : "");
    skr_json_close(&v->w, '}');
}

static bool must_end(void *context)
{
    return skr_view_must_end(context);
}

static void write_page(struct view *v, const struct skr_timeline_answer *answer,
                       const char *resource, int64_t cell_s)
{
    skr_json_open(&v->w, NULL, '{');
    skr_view_head(v, "Timeline");
    skr_json_string(&v->w, "resource", resource);
    write_instant(v, "from", answer->now);
    skr_json_int(&v->w, "cellSeconds", cell_s);
    skr_json_open(&v->w, "rows", '[');
    for (size_t i = 0; i < answer->chart.n && !skr_view_must_end(v); i++) {
        write_row(v, &answer->chart.row[i]);
    }
    skr_json_close(&v->w, ']');
    skr_json_open(&v->w, "groups", '[');
    for (size_t i = 0; i < answer->n_groups && !skr_view_must_end(v); i++) {
        if (answer->group[i].to.node) {
            write_group(v, &answer->group[i]);
        }
    }
    skr_json_close(&v->w, ']');
    skr_json_close(&v->w, '}');
}

int skr_view_timeline(struct view *v, const char *rest)
{
    struct tree_page p = {.v = v, .tree = v->e->topology.tree};
    struct skr_timeline_answer answer;
    struct skr_error error;
    int64_t hours;
    if (*rest) {
        return skr_view_refuse(v, 404, "/v1/timeline has no pages below it");
    }
    if (!p.tree || p.tree->n_leaves == 0 || !skr_topology_is_usable(v->e)) {
        return skr_view_refuse_no_tree(v);
    }
    p.leaf = skr_topology_leaf_nodes(v->e);
    int code = read_hours(v, &hours);
    code = code == 200 ? choose(&p) : code;
    if (code != 200) {
        return code;
    }
    const char *resource = p.resource[p.looked_at].name;
    const int id = p.resource[p.looked_at].id;
    const struct skr_chart_request chart = {.unit = p.domain,
                                            .resource = id < 0 ? UINT16_MAX : (uint16_t)id,
                                            .cell_s = hours * 3600 / SKR_CHART_CELLS,
                                            .must_end = must_end,
                                            .context = v};
    const struct skr_timeline_request request = {.now = v->now, .chart = &chart};
    const int rc = v->e->settings.on_paper
                       ? skr_gang_timeline(v->e, &request, &answer, &error)
                       : skr_gang_timeline_standing(v->e, &request, &answer, &error);
    if (rc == 0 && answer.n_groups > 0) {
        qsort(answer.group, answer.n_groups, sizeof *answer.group, by_start);
    }
    if (rc == 0) {
        write_page(v, &answer, resource, chart.cell_s);
    } else {
        code = skr_view_refuse(v, 503, "%s", error.text);
    }
    skr_timeline_answer_fini(&answer);
    return code;
}
