/* SPDX-License-Identifier: Apache-2.0 */
/* The picture as JSON: the document, a change of it, and the fields of subjects. */
#include "core/frame/picture_parts.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/json_writer.h"

static const char *const state_name[] = {"Ready", "NotReady", "Cordoned", "Missing"};
_Static_assert(sizeof state_name / sizeof *state_name == SKR_PLACE_STATE_COUNT, "names");
static const char *const decision_name[] = {"planned", "bound", "preempted", "failed"};
_Static_assert(sizeof decision_name / sizeof *decision_name == SKR_DECISION_KIND_COUNT, "names");
static const char *const field_name[] = {"namespace", "name",  "kind",    "status", "reason",
                                         "sentence",  "size",  "present", "bound",  "priority",
                                         "since",     "start", "each",    "rules",  "detail"};
_Static_assert(sizeof field_name / sizeof *field_name == FIELD_COUNT, "names");

/* ---- fields ---- */

struct values {
    struct skr_strbuf text;
    size_t end[FIELD_COUNT];
};

static void add_text(struct values *v, enum field field, const char *text)
{
    if (text) {
        skr_strbuf_add_json(&v->text, text);
    }
    v->end[field] = v->text.len;
}

/* A guess is negative; without a start there is no such field. */
static void add_start(struct values *v, const struct skr_picture_subject *subject)
{
    const int64_t start = subject->start / SKR_MILLISECOND;
    if (start > 0) {
        skr_strbuf_add_int(&v->text, subject->guess ? -start : start);
    }
    v->end[FIELD_START] = v->text.len;
}

static void add_int(struct values *v, enum field field, int64_t value)
{
    skr_strbuf_add_int(&v->text, value);
    v->end[field] = v->text.len;
}

static size_t begin_of(const size_t *end, int field)
{
    return field > 0 ? end[field - 1] : 0;
}

static bool is_same(const struct subject *s, const struct values *v, int field)
{
    const size_t a = begin_of(s->end, field), b = begin_of(v->end, field);
    const size_t n = s->end[field] - a;
    return n == v->end[field] - b && (n == 0 || memcmp(s->text + a, v->text.s + b, n) == 0);
}

bool skr_picture_set_fields(struct skr_picture *p, struct subject *s,
                            const struct skr_picture_subject *subject)
{
    struct values v;
    const uint32_t before = s->fields;
    (void)p;
    skr_strbuf_init(&v.text);
    add_text(&v, FIELD_NAMESPACE, subject->namespace_);
    add_text(&v, FIELD_NAME, subject->name);
    add_text(&v, FIELD_KIND, subject->kind);
    add_text(&v, FIELD_STATUS, subject->status);
    add_text(&v, FIELD_REASON, subject->reason);
    add_text(&v, FIELD_SENTENCE, subject->sentence);
    add_int(&v, FIELD_SIZE, subject->size);
    add_int(&v, FIELD_PRESENT, subject->present);
    add_int(&v, FIELD_BOUND, subject->bound);
    add_int(&v, FIELD_PRIORITY, subject->priority);
    add_int(&v, FIELD_SINCE, subject->since / SKR_MILLISECOND);
    add_start(&v, subject);
    add_int(&v, FIELD_EACH, subject->each);
    add_text(&v, FIELD_RULES, subject->rules);
    add_text(&v, FIELD_DETAIL, subject->detail);
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (!is_same(s, &v, f)) {
            s->fields |= UINT32_C(1) << f;
        }
    }
    if (s->fields == before) {
        skr_strbuf_fini(&v.text);
        return false;
    }
    free(s->text);
    s->text = skr_strbuf_take(&v.text, NULL);
    memcpy(s->end, v.end, sizeof s->end);
    return true;
}

/* only: bit set of fields. A field without a value is null in a change, and absent in a document. */
static void write_fields(const struct subject *s, uint32_t only, bool change,
                         struct skr_strbuf *out)
{
    bool comma = false;
    skr_strbuf_addc(out, '{');
    for (int f = 0; f < FIELD_COUNT; f++) {
        const size_t begin = begin_of(s->end, f), n = s->end[f] - begin;
        if (!(only & UINT32_C(1) << f) || (n == 0 && !change)) {
            continue;
        }
        skr_strbuf_addf(out, "%s\"%s\":", comma ? "," : "", field_name[f]);
        if (n == 0) {
            skr_strbuf_add(out, "null");
        } else {
            skr_strbuf_addn(out, s->text + begin, n);
        }
        comma = true;
    }
    skr_strbuf_addc(out, '}');
}

/* ---- places ---- */

static void add_number(struct skr_strbuf *out, int64_t value)
{
    skr_strbuf_addc(out, ',');
    skr_strbuf_add_int(out, value);
}

static void write_seats(const struct place *x, struct skr_strbuf *out)
{
    skr_strbuf_add(out, ",[");
    for (size_t i = 0; i < x->n_seats; i++) {
        const struct seat *s = &x->seat[i];
        if (i > 0) {
            skr_strbuf_addc(out, ',');
        }
        skr_strbuf_add_int(out, s->subject);
        add_number(out, s->kind == SKR_SEAT_FIRM ? s->pods : -s->pods);
        add_number(out, s->kind == SKR_SEAT_RESERVED ? -s->amount : s->amount);
    }
    skr_strbuf_addc(out, ']');
}

static void write_state(const struct place *x, struct skr_strbuf *out)
{
    skr_strbuf_add(out, ",\"");
    skr_strbuf_add(out, state_name[x->state]);
    skr_strbuf_addc(out, '"');
}

static void write_decisions(const struct skr_picture *p, size_t from, struct skr_json_writer *w)
{
    const size_t kept =
        p->n_decisions > SKR_PICTURE_DECISIONS_MAX ? p->n_decisions - SKR_PICTURE_DECISIONS_MAX : 0;
    skr_json_open(w, "decisions", '[');
    for (size_t i = from > kept ? from : kept; i < p->n_decisions; i++) {
        const struct decision *d = &p->decision[i % SKR_PICTURE_DECISIONS_MAX];
        skr_json_open(w, NULL, '[');
        skr_json_int(w, NULL, d->at / SKR_MILLISECOND);
        skr_json_int(w, NULL, d->subject);
        skr_json_string(w, NULL, decision_name[d->kind]);
        skr_json_close(w, ']');
    }
    skr_json_close(w, ']');
}

static void write_time(const struct skr_picture *p, struct skr_json_writer *w)
{
    char text[48];
    skr_time_write(p->changed_at, 0, text, sizeof text);
    skr_json_int(w, "version", (int64_t)p->version);
    skr_json_string(w, "time", text);
}

void skr_picture_write_change(const struct skr_picture *p, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    write_time(p, &w);
    skr_json_open(&w, "nodes", '[');
    for (size_t i = 0; i < p->n_touched; i++) {
        const struct place *x = &p->place[p->touched[i]];
        skr_strbuf_add(out, i > 0 ? ",[" : "[");
        skr_strbuf_add_int(out, p->touched[i]);
        write_state(x, out);
        add_number(out, x->used);
        add_number(out, x->slots);
        write_seats(x, out);
        if (x->resized) {
            add_number(out, x->allocatable);
        }
        skr_strbuf_addc(out, ']');
    }
    skr_json_close(&w, ']');
    skr_json_open(&w, "groups", '[');
    for (size_t i = 0; i < p->n_changed; i++) {
        const struct subject *s = p->subject[p->changed[i]];
        skr_strbuf_addf(out, "%s[%u,", i > 0 ? "," : "", s->number);
        if (s->gone) {
            skr_strbuf_add(out, "null");
        } else {
            write_fields(s, s->fields, true, out);
        }
        skr_strbuf_addc(out, ']');
    }
    skr_json_close(&w, ']');
    write_decisions(p, p->shown_decisions, &w);
    skr_json_close(&w, '}');
}

/* ---- the document ---- */

static void write_tree(const struct skr_picture *p, struct skr_json_writer *w)
{
    struct skr_strbuf *out = w->out;
    const struct skr_tree *t = p->tree;
    const int32_t above = t->level_first[p->level - 1]; /* parents of places begin here */
    skr_json_open(w, "tree", '{');
    skr_json_string(w, "name", t->name);
    skr_json_open(w, "levels", '[');
    for (int32_t l = 0; l <= p->level; l++) {
        skr_json_string(w, NULL, t->level_name[l]);
    }
    skr_json_close(w, ']');
    skr_json_string(w, "resource", p->resource);
    skr_json_open(w, "resources", '[');
    for (size_t i = 0; i < p->n_resources; i++) {
        skr_json_string(w, NULL, p->resources[i]);
    }
    skr_json_close(w, ']');
    skr_json_open(w, "domains", '[');
    for (int32_t u = 0; u < p->first; u++) {
        skr_strbuf_addf(out, "%s[%d,", u > 0 ? "," : "", (int)t->parent[u]);
        skr_strbuf_add_json(out, t->unit_name[u]);
        skr_strbuf_addf(out, ",%d]", (int)skr_tree_level_of(t, u));
    }
    skr_json_close(w, ']');
    skr_json_open(w, "nodes", '[');
    for (size_t i = 0; i < p->n_places; i++) {
        const struct place *x = &p->place[i];
        const int32_t unit = p->first + (int32_t)i;
        skr_bug_on(t->parent[unit] < above);
        skr_strbuf_add(out, i > 0 ? ",[" : "[");
        skr_strbuf_add_int(out, t->parent[unit]);
        skr_strbuf_addc(out, ',');
        skr_strbuf_add_json(out, t->unit_name[unit]);
        write_state(x, out);
        add_number(out, x->allocatable);
        add_number(out, x->used);
        add_number(out, x->slots);
        write_seats(x, out);
        skr_strbuf_addc(out, ']');
    }
    skr_json_close(w, ']');
    skr_json_close(w, '}');
}

void skr_picture_write(const struct skr_picture *picture, struct skr_strbuf *out)
{
    const struct skr_picture *p = picture;
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "sakkara/v1");
    skr_json_string(&w, "kind", "Picture");
    skr_json_string(&w, "view", p->view);
    write_time(p, &w);
    skr_json_bool(&w, "leader", true);
    write_tree(p, &w);
    skr_json_open(&w, "groups", '[');
    for (size_t i = 0; i < p->n_subjects; i++) {
        if (i > 0) {
            skr_strbuf_addc(out, ',');
        }
        if (p->subject[i]->gone) {
            skr_strbuf_add(out, "null");
        } else {
            write_fields(p->subject[i], UINT32_MAX, false, out);
        }
    }
    skr_json_close(&w, ']');
    write_decisions(p, 0, &w);
    skr_json_close(&w, '}');
}
