/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of `sakkara simulate timeline` as JSON and as tables. */
#include "server/lab/simulate/timeline.h"

#include <stdio.h>
#include <string.h>

#include "server/render/render.h"
#include "topology/base/json_writer.h"

enum { TIME_TEXT = 40, NODES_SHOWN = 3, UNLIMITED_SHOWN = 8 };

/* "": not known, or beyond what a time can say. */
static void time_text(int64_t at, char text[TIME_TEXT])
{
    text[0] = '\0';
    if (at <= SKR_TIME_NEVER / SKR_SECOND) {
        skr_time_write((skr_time)at * SKR_SECOND, 0, text, TIME_TEXT);
    }
}

/* ---- JSON ---- */

static void write_time(struct skr_json_writer *w, const char *key, int64_t at)
{
    char text[TIME_TEXT];
    time_text(at == SKR_INSTANT_NEVER ? 0 : at, text);
    skr_json_string(w, key, at == SKR_INSTANT_NEVER ? NULL : text);
}

static void write_names(struct skr_json_writer *w, const char *key, const char *const *name,
                        size_t n)
{
    skr_json_open(w, key, '[');
    for (size_t i = 0; i < n; i++) {
        skr_json_string(w, NULL, name[i]);
    }
    skr_json_close(w, ']');
}

static void write_victims(struct skr_json_writer *w, const struct skr_timeline_victims *v)
{
    if (!v) {
        skr_json_raw(w, "victims", NULL);
        return;
    }
    skr_json_open(w, "victims", '{');
    write_names(w, "groups", v->group, v->n_groups);
    write_names(w, "followers", v->follower, v->n_followers);
    skr_json_close(w, '}');
}

static void write_nodes(struct skr_json_writer *w, const char *key,
                        const struct skr_timeline_nodes *to)
{
    skr_json_open(w, key, '{');
    for (size_t i = 0; i < to->n; i++) {
        skr_json_int(w, to->node[i].name, to->node[i].count);
    }
    skr_json_close(w, '}');
}

static void write_moves(struct skr_json_writer *w, const struct skr_timeline_moves *m)
{
    if (!m) {
        skr_json_raw(w, "moves", NULL);
        return;
    }
    skr_json_open(w, "moves", '{');
    write_nodes(w, "nodes", &m->to);
    skr_json_open(w, "moved", '{');
    for (size_t i = 0; i < m->n_moved; i++) {
        write_nodes(w, m->moved[i].name, &m->moved[i].to);
    }
    skr_json_close(w, '}');
    skr_json_close(w, '}');
}

static void write_group(struct skr_json_writer *w, const struct skr_timeline_group *g)
{
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "namespace", g->namespace_);
    skr_json_string(w, "name", g->name);
    skr_json_string(w, "state", skr_round_state_name(g->state));
    write_time(w, "start", g->start);
    skr_json_bool(w, "guess", g->state == SKR_ROUND_DRAIN);
    skr_json_bool(w, "exact", g->exact);
    if (g->to.node) {
        write_nodes(w, "nodes", &g->to);
    }
    skr_json_bool(w, "backfills", g->backfills);
    skr_json_string(w, "because", g->because);
    skr_json_string(w, "moved", skr_move_cause_name(g->moved));
    write_victims(w, g->victims);
    write_moves(w, g->moves);
    if (g->grow > 0) {
        skr_json_int(w, "grow", g->grow);
    } else {
        skr_json_raw(w, "grow", NULL);
    }
    if (g->n_replaced > 0) {
        skr_json_open(w, "replaces", '{');
        for (size_t i = 0; i < g->n_replaced; i++) {
            skr_json_string(w, g->replaced[i].pod, g->replaced[i].node);
        }
        skr_json_close(w, '}');
    } else {
        skr_json_raw(w, "replaces", NULL);
    }
    skr_json_close(w, '}');
}

void skr_timeline_write_json(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    write_time(&w, "now", answer->now);
    skr_json_open(&w, "groups", '[');
    for (size_t i = 0; i < answer->n_groups; i++) {
        write_group(&w, &answer->group[i]);
    }
    skr_json_close(&w, ']');
    skr_json_open(&w, "pods", '[');
    for (size_t i = 0; i < answer->n_pods; i++) {
        const struct skr_timeline_pod *p = &answer->pod[i];
        skr_json_open(&w, NULL, '{');
        skr_json_string(&w, "namespace", p->namespace_);
        skr_json_string(&w, "name", p->name);
        write_names(&w, "nodes", p->node, p->n_nodes);
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_strbuf_addc(out, '\n');
}

/* ---- text ---- */

static const char *mark_of(enum skr_round_state state)
{
    return state == SKR_ROUND_DRAIN ? "~" : state == SKR_ROUND_FORECAST ? "<" : "";
}

/* "a", "a, b", then "a, b, c and 4 more". */
static void add_names(struct skr_strbuf *b, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n && i < NODES_SHOWN; i++) {
        skr_strbuf_addf(b, "%s%s", i > 0 ? ", " : "", name[i]);
    }
    if (n > NODES_SHOWN) {
        skr_strbuf_addf(b, " and %zu more", n - NODES_SHOWN);
    }
}

static void write_evictions(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    for (size_t i = 0; i < answer->n_groups; i++) {
        const struct skr_timeline_group *g = &answer->group[i];
        const struct skr_timeline_victims *v = g->victims;
        if (!v) {
            continue;
        }
        skr_strbuf_addf(out, "\n%s/%s fits now if it evicts ", g->namespace_, g->name);
        if (v->n_groups > 0) {
            skr_strbuf_addf(out, "group%s ", v->n_groups > 1 ? "s" : "");
            add_names(out, v->group, v->n_groups);
        }
        if (v->n_followers > 0) {
            skr_strbuf_addf(out, "%spod%s ", v->n_groups > 0 ? ", and " : "",
                            v->n_followers > 1 ? "s" : "");
            add_names(out, v->follower, v->n_followers);
        }
        skr_strbuf_addc(out, '\n');
    }
}

/* "node-0" or "node-0:2", a few of them. */
static void add_nodes(struct skr_strbuf *b, const struct skr_timeline_nodes *to)
{
    for (size_t i = 0; i < to->n && i < NODES_SHOWN; i++) {
        skr_strbuf_addf(b, "%s%s", i > 0 ? "," : "", to->node[i].name);
        if (to->node[i].count > 1) {
            skr_strbuf_addf(b, ":%d", (int)to->node[i].count);
        }
    }
    if (to->n > NODES_SHOWN) {
        skr_strbuf_addf(b, ",+%zu", to->n - NODES_SHOWN);
    }
}

static void write_moved(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    for (size_t i = 0; i < answer->n_groups; i++) {
        const struct skr_timeline_group *g = &answer->group[i];
        const struct skr_timeline_moves *m = g->moves;
        if (m) {
            skr_strbuf_addf(out, "\n%s/%s fits now on ", g->namespace_, g->name);
            add_nodes(out, &m->to);
            skr_strbuf_add(out, " if");
        } else if (g->moves_open) {
            skr_strbuf_addf(out, "\n%s/%s: no moves were found within the budget; some may exist\n",
                            g->namespace_, g->name);
        }
        for (size_t k = 0; m && k < m->n_moved; k++) {
            skr_strbuf_addf(out, "%s group %s moves to ", k > 0 ? "," : "", m->moved[k].name);
            add_nodes(out, &m->moved[k].to);
        }
        if (m) {
            skr_strbuf_addc(out, '\n');
        }
    }
}

static void write_replaced(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    for (size_t i = 0; i < answer->n_groups; i++) {
        const struct skr_timeline_group *g = &answer->group[i];
        for (size_t k = 0; k < g->n_replaced && k < NODES_SHOWN; k++) {
            skr_strbuf_addf(out, "%s%s to %s", k > 0 ? ", " : "\nlost nodes: ", g->replaced[k].pod,
                            g->replaced[k].node);
        }
        if (g->n_replaced > NODES_SHOWN) {
            skr_strbuf_addf(out, " and %zu more", g->n_replaced - NODES_SHOWN);
        }
        if (g->n_replaced > 0) {
            skr_strbuf_addf(out, " (group %s/%s)\n", g->namespace_, g->name);
        }
    }
}

static void write_notes(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    for (size_t i = 0; i < answer->n_groups; i++) {
        const struct skr_timeline_group *g = &answer->group[i];
        if (g->moved != SKR_MOVED_NOT) {
            skr_strbuf_addf(out, "\n%s/%s: its promised start does not hold any more: %s\n",
                            g->namespace_, g->name, skr_move_cause_name(g->moved));
        }
        if (!g->exact) {
            skr_strbuf_addf(out,
                            "\n%s/%s: some instants could not be decided: it may start earlier\n",
                            g->namespace_, g->name);
        }
        if (g->job_end != SKR_INSTANT_NEVER) {
            char at[TIME_TEXT], now[TIME_TEXT];
            SKR_STRBUF(end);
            time_text(g->job_end, at);
            time_text(answer->now, now);
            skr_render_clock(at, now, &end);
            skr_strbuf_addf(
                out,
                "\n%s/%s: DeadlineBeforeStart: the deadline of its Job passes before it "
                "starts, at %s; put activeDeadlineSeconds on the pod template\n",
                g->namespace_, g->name, end.s);
        }
    }
}

/* One line for each pod or group without a limit, however many wait for it. */
static void write_unlimited(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    size_t told = 0;
    for (size_t i = 0; i < answer->n_groups && told < UNLIMITED_SHOWN; i++) {
        const struct skr_timeline_group *g = &answer->group[i];
        size_t n = 0, before = 0;
        for (size_t k = 0; g->unlimited && k < answer->n_groups; k++) {
            const char *other = answer->group[k].unlimited;
            const bool same = other && strcmp(other, g->unlimited) == 0;
            n += same;
            before += same && k < i;
        }
        if (n > 0 && before == 0) {
            skr_strbuf_addf(out, "\n%s/%s", g->namespace_, g->name);
            if (n > 1) {
                skr_strbuf_addf(out, " and %zu more", n - 1);
            }
            skr_strbuf_addf(out,
                            ": no start is known: %s has no limit; set activeDeadlineSeconds on "
                            "such pods\n",
                            g->unlimited);
            told++;
        }
    }
}

static void write_pods(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    struct skr_text_table table;
    if (answer->n_pods == 0) {
        return;
    }
    skr_text_table_init(&table, 2, false);
    skr_text_table_add(&table, "POD", SKR_HUE_NONE);
    skr_text_table_add(&table, "NODES", SKR_HUE_NONE);
    for (size_t i = 0; i < answer->n_pods; i++) {
        const struct skr_timeline_pod *p = &answer->pod[i];
        SKR_STRBUF(nodes);
        SKR_STRBUF(name);
        for (size_t k = 0; k < p->n_nodes && k < NODES_SHOWN; k++) {
            skr_strbuf_addf(&nodes, "%s%s", k > 0 ? "," : "", p->node[k]);
        }
        if (p->n_nodes > NODES_SHOWN) {
            skr_strbuf_addf(&nodes, ",+%zu", p->n_nodes - NODES_SHOWN);
        }
        skr_strbuf_addf(&name, "%s/%s", p->namespace_, p->name);
        skr_render_label(&table, name.s);
        skr_text_table_add(&table, nodes.s, SKR_HUE_NONE);
    }
    skr_strbuf_addc(out, '\n');
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

static void add_row(struct skr_text_table *table, const char *now,
                    const struct skr_timeline_group *g)
{
    char start[TIME_TEXT], until[TIME_TEXT];
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s/%s", g->namespace_, g->name);
    time_text(g->start, start);
    time_text(g->until, until);
    const struct skr_start_row row = {.mark = mark_of(g->state),
                                      .start = start,
                                      .group = name.s,
                                      .place = g->place,
                                      .until = until,
                                      .because = g->because ? g->because : "",
                                      .now = now};
    skr_render_start_row(table, &row);
}

void skr_timeline_write_text(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    static const char *const what[] = {"unknown", "starts", "promised", "guessed", "forecast"};
    _Static_assert(sizeof what / sizeof *what == SKR_ROUND_STATE_COUNT, "states");
    struct skr_text_table table;
    char now[TIME_TEXT];
    time_text(answer->now, now);
    skr_strbuf_addf(out, "at %s, times in UTC\n", now);
    if (answer->n_groups == 0) {
        skr_strbuf_add(out, "no group waits\n");
    } else {
        skr_text_table_init(&table, 6, false);
        skr_render_start_header(&table);
        skr_text_table_add(&table, "STATE", SKR_HUE_NONE);
        for (size_t i = 0; i < answer->n_groups; i++) {
            const struct skr_timeline_group *g = &answer->group[i];
            add_row(&table, now, g);
            skr_text_table_add(&table,
                               g->grow > 0         ? "grows"
                               : g->n_replaced > 0 ? "replaces"
                               : g->backfills      ? "starts,backfills"
                                                   : what[g->state],
                               SKR_HUE_NONE);
        }
        skr_text_table_write(&table, out);
        skr_text_table_fini(&table);
    }
    write_pods(answer, out);
    write_evictions(answer, out);
    write_moved(answer, out);
    write_replaced(answer, out);
    write_unlimited(answer, out);
    write_notes(answer, out);
}
