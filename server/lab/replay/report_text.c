/* SPDX-License-Identifier: Apache-2.0 */
/* The report as four tables, and as JSON. Seconds are whole; the rest has one or two decimals. */
#include "server/lab/replay/report.h"

#include "server/render/text_table.h"
#include "topology/base/json_writer.h"

static const char *const class_key[] = {"node", "belowHalfRack", "larger", "all"};
static const char *const class_name[] = {"<=node", "<rack/2", ">=rack/2", "all"};
_Static_assert(sizeof class_key / sizeof *class_key == SKR_REPLAY_CLASS_COUNT, "keys");
_Static_assert(sizeof class_name / sizeof *class_name == SKR_REPLAY_CLASS_COUNT, "classes");

/* value / unit with the decimals of the unit. */
static void add_decimal(struct skr_strbuf *b, int64_t value, int64_t unit)
{
    skr_strbuf_addf(b, "%lld", (long long)(value / unit));
    if (unit == 10) {
        skr_strbuf_addf(b, ".%lld", (long long)(value % 10));
    } else if (unit == 100) {
        skr_strbuf_addf(b, ".%02lld", (long long)(value % 100));
    }
}

/* ---- text ---- */

static void add_cell(struct skr_text_table *table, const char *text)
{
    skr_text_table_add(table, text, SKR_HUE_NONE);
}

static void add_number(struct skr_text_table *table, int64_t value, int64_t unit)
{
    SKR_STRBUF(b);
    add_decimal(&b, value, unit);
    add_cell(table, b.s);
}

static void add_policy(struct skr_text_table *table, const struct skr_replay_head *head,
                       const struct skr_replay_report *r)
{
    SKR_STRBUF(b);
    skr_strbuf_add(&b, r->policy);
    if (head->places) {
        skr_strbuf_addf(&b, "/%s", r->place);
    }
    add_cell(table, b.s);
}

static void begin(struct skr_text_table *table, const char *const *title, size_t n)
{
    skr_text_table_init(table, n, false);
    for (size_t i = 0; i < n; i++) {
        add_cell(table, title[i]);
    }
}

static void end(struct skr_text_table *table, struct skr_strbuf *out)
{
    skr_text_table_write(table, out);
    skr_text_table_fini(table);
}

static void write_spreads(const struct skr_replay_head *head,
                          const struct skr_replay_report *report, size_t n, bool slowdown,
                          struct skr_strbuf *out)
{
    static const char *const title[] = {"POLICY", "SIZE", "GROUPS", "MEAN",
                                        "P50",    "P95",  "P99",    "MAX"};
    const int64_t unit = slowdown ? 100 : 1;
    struct skr_text_table table;
    begin(&table, title, 8);
    for (size_t class = 0; class < SKR_REPLAY_CLASS_COUNT; class ++) {
        for (size_t i = 0; i < n; i++) {
            const struct skr_replay_class_report *c = &report[i].class[class];
            const struct skr_replay_spread *s = slowdown ? &c->slowdown : &c->wait;
            if (c->n == 0) {
                continue;
            }
            add_policy(&table, head, &report[i]);
            add_cell(&table, class_name[class]);
            add_number(&table, (int64_t)(c->n - c->unplaced), 1);
            add_number(&table, s->mean, unit);
            add_number(&table, s->p50, unit);
            add_number(&table, s->p95, unit);
            add_number(&table, s->p99, unit);
            add_number(&table, s->max, unit);
        }
    }
    end(&table, out);
}

static void write_cluster(const struct skr_replay_head *head,
                          const struct skr_replay_report *report, size_t n, struct skr_strbuf *out)
{
    static const char *const title[] = {"POLICY",     "USED%", "MAKESPAN",
                                        "FREE-RACKS", "SPLIT", "UNPLACED"};
    struct skr_text_table table;
    begin(&table, title, 6);
    for (size_t i = 0; i < n; i++) {
        const struct skr_replay_report *r = &report[i];
        add_policy(&table, head, r);
        add_number(&table, r->utilisation, 10);
        add_number(&table, r->makespan, 1);
        add_number(&table, r->free_racks, 10);
        add_number(&table, (int64_t)r->split, 1);
        add_number(&table, (int64_t)r->class[SKR_REPLAY_ALL].unplaced, 1);
    }
    end(&table, out);
}

static const char *cause_name(size_t cause)
{
    return cause == SKR_MOVED_NOT ? "none" : skr_move_cause_name((enum skr_move_cause)cause);
}

static void write_promises(const struct skr_replay_head *head,
                           const struct skr_replay_report *report, size_t n, struct skr_strbuf *out)
{
    static const char *const title[] = {"POLICY",   "BACKFILLED", "DRAINS",
                                        "PROMISES", "LATE",       "MOVES"};
    struct skr_text_table table;
    begin(&table, title, 6);
    for (size_t i = 0; i < n; i++) {
        const struct skr_replay_report *r = &report[i];
        SKR_STRBUF(moves);
        for (size_t k = 0; k < SKR_MOVE_CAUSE_COUNT; k++) {
            if (r->moves[k] > 0) {
                skr_strbuf_addf(&moves, "%s%s:%lld", moves.len > 0 ? "," : "", cause_name(k),
                                (long long)r->moves[k]);
            }
        }
        add_policy(&table, head, r);
        add_number(&table, (int64_t)r->backfilled, 1);
        add_number(&table, (int64_t)r->drains, 1);
        add_number(&table, (int64_t)r->promises, 1);
        add_number(&table, (int64_t)r->late, 1);
        add_cell(&table, moves.s);
    }
    end(&table, out);
}

void skr_replay_report_text(const struct skr_replay_head *head,
                            const struct skr_replay_report *report, size_t n,
                            struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%s: groups %zu, slots %lld, nodes %d, racks %d\n", head->file, head->jobs,
                    (long long)head->slots, (int)head->nodes, (int)head->racks);
    skr_strbuf_add(out, "\nwait in seconds\n");
    write_spreads(head, report, n, false, out);
    skr_strbuf_add(out, "\nslowdown: (wait + run) / run, runs of less than 10 s count as 10 s\n");
    write_spreads(head, report, n, true, out);
    skr_strbuf_add(out, "\ncluster, until the last arrival; MAKESPAN in seconds\n");
    write_cluster(head, report, n, out);
    skr_strbuf_add(out, "\nreservations\n");
    write_promises(head, report, n, out);
}

/* ---- JSON ---- */

static void write_decimal(struct skr_json_writer *w, const char *key, int64_t value, int64_t unit)
{
    SKR_STRBUF(b);
    add_decimal(&b, value, unit);
    skr_json_raw(w, key, b.s);
}

static void write_spread(struct skr_json_writer *w, const char *key,
                         const struct skr_replay_spread *s, int64_t unit)
{
    skr_json_open(w, key, '{');
    write_decimal(w, "mean", s->mean, unit);
    write_decimal(w, "p50", s->p50, unit);
    write_decimal(w, "p95", s->p95, unit);
    write_decimal(w, "p99", s->p99, unit);
    write_decimal(w, "max", s->max, unit);
    skr_json_close(w, '}');
}

static void write_report(struct skr_json_writer *w, const struct skr_replay_report *r)
{
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "policy", r->policy);
    skr_json_string(w, "place", r->place);
    skr_json_open(w, "sizes", '{');
    for (size_t i = 0; i < SKR_REPLAY_CLASS_COUNT; i++) {
        const struct skr_replay_class_report *c = &r->class[i];
        skr_json_open(w, class_key[i], '{');
        skr_json_int(w, "groups", (int64_t)c->n);
        skr_json_int(w, "unplaced", (int64_t)c->unplaced);
        write_spread(w, "wait", &c->wait, 1);
        write_spread(w, "slowdown", &c->slowdown, 100);
        skr_json_close(w, '}');
    }
    skr_json_close(w, '}');
    write_decimal(w, "utilisation", r->utilisation, 10);
    skr_json_int(w, "makespan", r->makespan);
    write_decimal(w, "freeRacks", r->free_racks, 10);
    skr_json_int(w, "split", (int64_t)r->split);
    skr_json_int(w, "backfilled", (int64_t)r->backfilled);
    skr_json_int(w, "drains", (int64_t)r->drains);
    skr_json_int(w, "promises", (int64_t)r->promises);
    skr_json_int(w, "late", (int64_t)r->late);
    skr_json_open(w, "moves", '{');
    for (size_t k = 0; k < SKR_MOVE_CAUSE_COUNT; k++) {
        if (r->moves[k] > 0) {
            skr_json_int(w, cause_name(k), r->moves[k]);
        }
    }
    skr_json_close(w, '}');
    skr_json_close(w, '}');
}

void skr_replay_report_json(const struct skr_replay_head *head,
                            const struct skr_replay_report *report, size_t n,
                            struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_int(&w, "groups", (int64_t)head->jobs);
    skr_json_int(&w, "racks", head->racks);
    skr_json_int(&w, "nodes", head->nodes);
    skr_json_int(&w, "slots", head->slots);
    skr_json_open(&w, "policies", '[');
    for (size_t i = 0; i < n; i++) {
        write_report(&w, &report[i]);
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_strbuf_addc(out, '\n');
}
