/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace field by field. A line with a defect is left out, so that all defects are told. */
#include "server/lab/replay/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "core/group/group.h"
#include "core/time/end.h"

enum column { ARRIVAL, NAME, SIZE, SLOTS, RUN, LIMIT, PRIORITY, CONSTRAINTS, COLUMNS };
enum { JOBS_BYTES = 256 * 1024 * 1024, RULES_CACHED = 16 };

static const char *const column_name[] = {"arrival", "name",  "size",     "slots",
                                          "run",     "limit", "priority", "constraints"};
_Static_assert(sizeof column_name / sizeof *column_name == COLUMNS, "columns");

struct field {
    struct skr_strbuf text;
    size_t column;
};

/* Rules that were read before. */
struct rules {
    const char *text;
    const struct skr_rule *rule;
};

struct reader {
    const char *at, *end, *line_start;
    size_t line;
    const struct skr_tree *tree;
    struct skr_findings *findings;
    struct skr_replay_jobs *ret;
    struct field field[COLUMNS];
    size_t n; /* fields of the line */
    struct rules rules[RULES_CACHED];
    size_t n_rules, cap;
};

#define MEMORY_TEXT "the jobs need more than %d bytes of memory"
#define REFUSE(r, column, ...) \
    skr_findings_add((r)->findings, true, NULL, (r)->line, column, __VA_ARGS__)

static size_t column_of(const struct reader *r, const char *at)
{
    return (size_t)(at - r->line_start) + 1;
}

/* ---- lines and fields ---- */

static bool at_line_end(const struct reader *r)
{
    return r->at == r->end || *r->at == '\n' ||
           (*r->at == '\r' && (r->at + 1 == r->end || r->at[1] == '\n'));
}

static void next_line(struct reader *r)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = newline ? newline + 1 : r->end;
    r->line_start = r->at;
    r->line++;
}

/* The rest of a field that began with a quote; a doubled quote is one. */
static bool read_quoted(struct reader *r, struct field *f)
{
    for (r->at++; !at_line_end(r); r->at++) {
        if (*r->at == '"' && (r->at + 1 == r->end || r->at[1] != '"')) {
            r->at++;
            return true;
        }
        r->at += *r->at == '"';
        skr_strbuf_addc(&f->text, *r->at);
    }
    REFUSE(r, f->column, "the quoted field does not end in this line");
    return false;
}

static bool read_field(struct reader *r, struct field *f)
{
    skr_strbuf_reset(&f->text);
    f->column = column_of(r, r->at);
    if (r->at < r->end && *r->at == '"') {
        if (!read_quoted(r, f)) {
            return false;
        }
        if (!at_line_end(r) && *r->at != ',') {
            REFUSE(r, column_of(r, r->at), "a comma has to follow the quoted field");
            return false;
        }
    }
    for (; !at_line_end(r) && *r->at != ','; r->at++) {
        skr_strbuf_addc(&f->text, *r->at);
    }
    if (f->text.len > SKR_REPLAY_FIELD_MAX || strlen(f->text.s) < f->text.len) {
        REFUSE(r, f->column, "the field has %zu bytes (at most %d), or a byte 0", f->text.len,
               SKR_REPLAY_FIELD_MAX);
        return false;
    }
    return true;
}

/* The fields of a line. */
static bool read_line(struct reader *r)
{
    for (r->n = 0;;) {
        if (r->n == COLUMNS) {
            REFUSE(r, column_of(r, r->at), "more than the %d fields of the header", (int)COLUMNS);
            return false;
        }
        if (!read_field(r, &r->field[r->n])) {
            return false;
        }
        r->n++;
        if (at_line_end(r)) {
            break;
        }
        r->at++;
    }
    if (r->n < COLUMNS) {
        REFUSE(r, column_of(r, r->at), "%zu of %d fields: %s is missing", r->n, (int)COLUMNS,
               column_name[r->n]);
        return false;
    }
    return true;
}

static bool read_header(struct reader *r)
{
    bool good = read_line(r);
    for (size_t i = 0; i < COLUMNS && good; i++) {
        if (strcmp(r->field[i].text.s, column_name[i]) != 0) {
            REFUSE(r, r->field[i].column,
                   "the header is %s,%s,%s,%s,%s,%s,%s,%s: field %zu is \"%.40s\"", column_name[0],
                   column_name[1], column_name[2], column_name[3], column_name[4], column_name[5],
                   column_name[6], column_name[7], i + 1, r->field[i].text.s);
            good = false;
        }
    }
    next_line(r);
    return good;
}

/* ---- values ---- */

static bool read_number(struct reader *r, enum column which, int64_t least, int64_t most,
                        int64_t *ret)
{
    const struct field *f = &r->field[which];
    const char *s = f->text.s;
    const bool negative = *s == '-';
    size_t digits = 0;
    int64_t value = 0;
    for (s += negative; *s >= '0' && *s <= '9' && digits < 18; s++, digits++) {
        value = 10 * value + (*s - '0');
    }
    value = negative ? -value : value;
    if (*s || digits == 0 || value < least || value > most) {
        REFUSE(r, f->column, "%s: \"%.40s\" is not a whole number from %lld to %lld",
               column_name[which], f->text.s, (long long)least, (long long)most);
        return false;
    }
    *ret = value;
    return true;
}

/* NULL: the tree lacks a level, which is told. */
static const struct skr_rule *keep_rules(struct reader *r, const struct skr_group_spec *spec)
{
    const struct field *f = &r->field[CONSTRAINTS];
    struct skr_rule *rule = skr_arena_array(r->ret->arena, (size_t)r->tree->n_levels, sizeof *rule);
    const char *copy = skr_arena_strdup(r->ret->arena, f->text.s);
    SKR_STRBUF(unknown);
    if (!rule || !copy) {
        REFUSE(r, f->column, MEMORY_TEXT, JOBS_BYTES);
        return NULL;
    }
    if (skr_group_rules(spec, NULL, r->tree, rule, NULL, &unknown) > 0) {
        REFUSE(r, f->column, "constraints: the tree has no level %s", unknown.s);
        return NULL;
    }
    r->rules[r->n_rules++ % RULES_CACHED] = (struct rules){.text = copy, .rule = rule};
    return rule;
}

static const struct skr_rule *read_rules(struct reader *r, int64_t size)
{
    const struct field *f = &r->field[CONSTRAINTS];
    const struct skr_group_asked asked = {.constraints_key = "constraints",
                                          .constraints = f->text.len > 0 ? f->text.s : NULL};
    const struct skr_rule *rule = NULL;
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    SKR_STRBUF(unknown);
    for (size_t i = 0; i < RULES_CACHED && i < r->n_rules; i++) {
        if (strcmp(r->rules[i].text, f->text.s) == 0) {
            return r->rules[i].rule;
        }
    }
    if (skr_group_spec_from_workload("job", size, 0, &asked, &spec, &error) < 0) {
        REFUSE(r, f->column, "%s", error.text);
    } else if (spec->n_sets > 0 || spec->n_role_rules > 0) {
        REFUSE(r, f->column, "constraints: the jobs of a trace have no roles and no sets");
    } else if (skr_group_misfit(spec, r->tree, &unknown)) {
        REFUSE(r, f->column, "%s", unknown.s);
    } else {
        rule = keep_rules(r, spec);
    }
    skr_group_spec_destroy(spec);
    return rule;
}

static const char *read_name(struct reader *r)
{
    const struct field *f = &r->field[NAME];
    const char *name = NULL;
    if (f->text.len == 0 || f->text.len > SKR_REPLAY_NAME_MAX) {
        REFUSE(r, f->column, "name: %zu bytes, a name has 1 to %d", f->text.len,
               SKR_REPLAY_NAME_MAX);
    } else {
        name = skr_arena_strdup(r->ret->arena, f->text.s);
        if (!name) {
            REFUSE(r, f->column, MEMORY_TEXT, JOBS_BYTES);
        }
    }
    return name;
}

/* The fields as a job; false: some value is wrong. All of them are looked at. */
static bool read_values(struct reader *r, struct skr_replay_job *job)
{
    int64_t size = 0, priority = 0;
    bool good = read_number(r, ARRIVAL, 0, SKR_REPLAY_SECONDS_MAX, &job->arrival);
    job->name = read_name(r);
    good = read_number(r, SIZE, 1, SKR_GROUP_SIZE_MAX, &size) && job->name && good;
    good = read_number(r, SLOTS, 1, SKR_REPLAY_SLOTS_MAX, &job->demand) && good;
    good = read_number(r, RUN, 0, SKR_REPLAY_SECONDS_MAX, &job->run) && good;
    job->limit = SKR_INSTANT_NEVER;
    if (r->field[LIMIT].text.len > 0) {
        good = read_number(r, LIMIT, 1, SKR_REPLAY_SECONDS_MAX, &job->limit) && good;
    }
    if (r->field[PRIORITY].text.len > 0) {
        good = read_number(r, PRIORITY, INT32_MIN, INT32_MAX, &priority) && good;
    }
    job->size = (int32_t)size;
    job->priority = (int32_t)priority;
    job->rule = good ? read_rules(r, size) : NULL;
    return job->rule;
}

static void read_jobs(struct reader *r)
{
    struct skr_replay_jobs *jobs = r->ret;
    for (; r->at < r->end; next_line(r)) {
        struct skr_replay_job job = {.line = r->line};
        if (at_line_end(r) || !read_line(r) || !read_values(r, &job)) {
            continue;
        }
        if (jobs->n == SKR_REPLAY_JOBS_MAX) {
            REFUSE(r, 1, "more than %d jobs: cut the trace into parts", SKR_REPLAY_JOBS_MAX);
            return;
        }
        skr_grow(&jobs->job, &r->cap, jobs->n + 1, sizeof *jobs->job);
        jobs->job[jobs->n++] = job;
    }
}

static int by_arrival(const void *a, const void *b)
{
    const struct skr_replay_job *x = a, *y = b;
    return x->arrival != y->arrival ? (x->arrival > y->arrival) - (x->arrival < y->arrival)
                                    : (x->line > y->line) - (x->line < y->line);
}

bool skr_replay_jobs_parse(const char *text, size_t n, const struct skr_tree *tree,
                           struct skr_findings *findings, struct skr_replay_jobs *ret)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as spreadsheets write it */
    struct reader r = {.at = text,
                       .end = text + n,
                       .line_start = text,
                       .line = 1,
                       .tree = tree,
                       .findings = findings,
                       .ret = ret};
    *ret = (struct skr_replay_jobs){.arena = skr_arena_create(JOBS_BYTES, 0)};
    if (!ret->arena) {
        REFUSE(&r, 0, "out of memory");
        return false;
    }
    if (n >= 3 && memcmp(text, mark, 3) == 0) {
        r.at = r.line_start = text + 3;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        skr_strbuf_init(&r.field[i].text);
    }
    if (read_header(&r)) {
        read_jobs(&r);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        skr_strbuf_fini(&r.field[i].text);
    }
    if (ret->n > 0) {
        qsort(ret->job, ret->n, sizeof *ret->job, by_arrival);
    }
    return findings->n_errors == 0;
}

void skr_replay_jobs_fini(struct skr_replay_jobs *jobs)
{
    free(jobs->job);
    skr_arena_destroy(jobs->arena);
    *jobs = (struct skr_replay_jobs){0};
}
