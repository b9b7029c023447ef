/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts are written to strings of their own first, because how many domains are shown depends on
 * the lines that everything else takes.
 */
#include "server/explain_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason.h"
#include "topology/amount_text.h"
#include "topology/arena.h"

enum {
    INDENT = 2,
    ALTERNATIVES = 3, /* that would help, unless verbose */
    ALSO_LINES = 2,   /* likewise */
    DURATION_MAX = 32,
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool is_placed(const json_t *x)
{
    return json_is_true(json_object_get(x, "placed"));
}

/* ---- lines ---- */

static size_t columns_of(const char *s, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) {
        columns += ((unsigned char)s[i] & 0xc0) != 0x80 ? 1 : 0;
    }
    return columns;
}

static size_t count_lines(const struct skr_strbuf *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->len; i++) {
        n += b->s[i] == '\n' ? 1 : 0;
    }
    return n;
}

/* The words of text in lines of SKR_EXPLAIN_COLUMNS, the first behind `first`, the others behind
 * as many blanks as hang says. */
static void add_wrapped(struct skr_strbuf *out, const char *first, size_t hang, const char *text)
{
    size_t at = columns_of(first, strlen(first));
    bool begun = false;
    skr_strbuf_add(out, first);
    while (*text) {
        size_t n = strcspn(text, " "), columns = columns_of(text, n);
        if (begun && at + 1 + columns > SKR_EXPLAIN_COLUMNS) {
            skr_strbuf_addf(out, "\n%*s", (int)hang, "");
            at = hang;
            begun = false;
        }
        skr_strbuf_add(out, begun ? " " : "");
        skr_strbuf_addn(out, text, n);
        at += columns + (begun ? 1 : 0);
        begun = true;
        text += n;
        text += strspn(text, " ");
    }
    skr_strbuf_addc(out, '\n');
}

static void write_duration(int64_t s, char *buffer)
{
    const int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
    if (s >= 2 * day) {
        snprintf(buffer, DURATION_MAX, "%lldd%lldh", (long long)(s / day),
                 (long long)(s % day / hour));
    } else if (s >= hour) {
        snprintf(buffer, DURATION_MAX, "%lldh%lldm", (long long)(s / hour),
                 (long long)(s % hour / minute));
    } else if (s >= minute) {
        snprintf(buffer, DURATION_MAX, "%lldm%llds", (long long)(s / minute),
                 (long long)(s % minute));
    } else {
        snprintf(buffer, DURATION_MAX, "%llds", (long long)s);
    }
}

/* ---- head and sentence ---- */

static void write_head(const json_t *x, struct skr_strbuf *out)
{
    struct skr_strbuf b;
    char duration[DURATION_MAX];
    const char *reason = text_of(x, "reason");
    skr_strbuf_init(&b);
    skr_strbuf_addf(&b, "Group %s (%s) is %s: %s", text_of(x, "name"), text_of(x, "namespace"),
                    is_placed(x) ? "placed" : "not placed",
                    reason[0] ? reason : text_of(x, "status"));
    if (json_object_get(x, "forSeconds")) {
        write_duration(number_of(x, "forSeconds"), duration);
        skr_strbuf_addf(&b, ", for %s", duration);
    }
    if (json_object_get(x, "secondsLeft")) {
        write_duration(number_of(x, "secondsLeft"), duration);
        skr_strbuf_addf(&b, is_placed(x) ? ", %s left" : ", tried again in %s", duration);
    }
    skr_strbuf_addc(&b, '.');
    add_wrapped(out, "", INDENT, b.s);
    skr_strbuf_fini(&b);
}

/* "rack" to "no rack has 12": when all domains of the level are listed and none has that much. */
static void add_too_small(const json_t *x, int64_t each, struct skr_strbuf *b)
{
    const json_t *domains = json_object_get(x, "domains"), *domain;
    const char *resource = text_of(x, "resource"), *level = text_of(x, "level");
    int64_t want = -1;
    size_t i;
    if (!level[0] || json_array_size(domains) == 0 || each <= 0 ||
        (int64_t)json_array_size(domains) != number_of(x, "domainsInAll")) {
        return;
    }
    json_array_foreach(domains, i, domain)
    {
        int64_t needs = number_of(domain, "needs");
        if (needs > INT64_MAX / each || (want >= 0 && want != needs * each) ||
            number_of(domain, "free") >= needs * each) {
            return;
        }
        want = needs * each;
    }
    skr_strbuf_addf(b, ", no %s has ", level);
    skr_amount_add_number(b, resource, want);
}

/* "(6 pods x 2 GPU, rack=pack, hard; 20 GPU free in all, no rack has 12)" */
static void write_numbers(const json_t *x, struct skr_strbuf *out)
{
    const json_t *need = json_object_get(x, "need"), *have = json_object_get(x, "have");
    const char *resource = text_of(x, "resource"), *constraint = text_of(need, "constraint");
    struct skr_strbuf b;
    if (!json_object_get(need, "slots")) {
        return;
    }
    int64_t each = number_of(json_object_get(need, "each"), resource);
    skr_strbuf_init(&b);
    skr_strbuf_addf(&b, "(%lld pods", (long long)number_of(need, "slots"));
    if (each > 0 && strcmp(resource, "pods") != 0) {
        skr_strbuf_add(&b, " x ");
        skr_amount_add(&b, resource, each);
    }
    skr_strbuf_addf(&b, "%s%s; ", constraint[0] ? ", " : "", constraint);
    skr_amount_add(&b, resource, number_of(json_object_get(have, "free"), resource));
    skr_strbuf_add(&b, " free in all");
    add_too_small(x, each, &b);
    skr_strbuf_addc(&b, ')');
    add_wrapped(out, "  ", INDENT + 1, b.s);
    skr_strbuf_fini(&b);
}

/* ---- domains ---- */

/* Names of groups of the same namespace without it. */
static const char *short_key(const json_t *x, const char *key)
{
    const char *namespace_ = text_of(x, "namespace");
    size_t n = strlen(namespace_);
    return strncmp(key, namespace_, n) == 0 && key[n] == '/' ? key + n + 1 : key;
}

static void add_blocker(const json_t *x, const json_t *blocker, bool alone, struct skr_strbuf *b)
{
    const char *group = text_of(blocker, "group"), *pod = text_of(blocker, "pod");
    const char *node = text_of(blocker, "node");
    struct skr_strbuf amount;
    skr_strbuf_init(&amount);
    skr_amount_add(&amount, text_of(x, "resource"), number_of(blocker, "amount"));
    if (group[0]) {
        skr_strbuf_add(b, short_key(x, group));
    } else if (pod[0]) {
        skr_strbuf_addf(b, "pod %s", short_key(x, pod));
    } else if (node[0]) {
        skr_strbuf_addf(b, "%s %s", node, text_of(blocker, "why"));
    } else if (json_object_get(blocker, "others")) {
        skr_strbuf_addf(b, "%lld more pods", (long long)number_of(blocker, "others"));
    } else {
        skr_strbuf_addf(b, "%lld more nodes", (long long)number_of(blocker, "otherNodes"));
    }
    if (alone && (group[0] || pod[0])) {
        skr_strbuf_addf(b, " (priority %lld, %s)", (long long)number_of(blocker, "priority"),
                        amount.s);
    } else if (alone && node[0] && number_of(blocker, "amount") > 0) {
        skr_strbuf_addf(b, " (%s)", amount.s);
    }
    skr_strbuf_fini(&amount);
}

static char *blocked_by(const json_t *x, const json_t *domain)
{
    const json_t *list = json_object_get(domain, "blockedBy"), *blocker;
    struct skr_strbuf b;
    size_t i;
    skr_strbuf_init(&b);
    json_array_foreach(list, i, blocker)
    {
        skr_strbuf_add(&b, i > 0 ? ", " : "");
        add_blocker(x, blocker, json_array_size(list) == 1, &b);
    }
    return b.len > 0 ? skr_strbuf_take(&b, NULL) : skr_strdup("<none>");
}

enum { COLUMNS = 5 };

struct row {
    char *cell[COLUMNS];
};

static char *taken(struct skr_strbuf *b)
{
    return b->len > 0 ? skr_strbuf_take(b, NULL) : skr_strdup("");
}

static struct row row_of(const json_t *x, const json_t *domain)
{
    const json_t *needs = json_object_get(domain, "needs");
    struct row row;
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_add(&b, text_of(domain, "name"));
    row.cell[0] = taken(&b);
    skr_amount_add_number(&b, text_of(x, "resource"), number_of(domain, "free"));
    row.cell[1] = taken(&b);
    skr_strbuf_addf(&b, "%lld", (long long)number_of(domain, "fits"));
    if (needs) {
        skr_strbuf_addf(&b, "/%lld", (long long)json_integer_value(needs));
    }
    row.cell[2] = taken(&b);
    skr_strbuf_addf(&b, "%lld", (long long)number_of(domain, "short"));
    row.cell[3] = needs ? taken(&b) : skr_strdup("-");
    skr_strbuf_fini(&b);
    row.cell[4] = blocked_by(x, domain);
    return row;
}

static struct row head_row(const json_t *x)
{
    struct row row;
    struct skr_strbuf b;
    const char *level = text_of(x, "domainLevel");
    skr_strbuf_init(&b);
    skr_amount_add_label(&b, level[0] ? level : "domain");
    row.cell[0] = taken(&b);
    row.cell[1] = skr_strdup("FREE");
    row.cell[2] = skr_strdup("FITS");
    row.cell[3] = skr_strdup("SHORT");
    row.cell[4] = skr_strdup("BLOCKED-BY");
    return row;
}

/* As much of s as has the columns. */
static size_t cut(const char *s, size_t columns)
{
    size_t n = 0, seen = 0;
    while (s[n]) {
        bool begins = ((unsigned char)s[n] & 0xc0) != 0x80;
        if (begins && seen == columns) {
            break;
        }
        seen += begins ? 1 : 0;
        n++;
    }
    return n;
}

/* The last cell is cut where the line is full, unless verbose. */
static void add_row(const struct row *row, const size_t *width, bool verbose,
                    struct skr_strbuf *out)
{
    size_t at = INDENT;
    skr_strbuf_addf(out, "%*s", INDENT, "");
    for (size_t i = 0; i + 1 < COLUMNS; i++) {
        size_t have = columns_of(row->cell[i], strlen(row->cell[i]));
        skr_strbuf_addf(out, "%s%*s", row->cell[i], (int)(width[i] - have + 2), "");
        at += width[i] + 2;
    }
    const char *last = row->cell[COLUMNS - 1];
    size_t have = columns_of(last, strlen(last));
    size_t room = at + 8 < SKR_EXPLAIN_COLUMNS ? SKR_EXPLAIN_COLUMNS - at : 8;
    if (verbose || have <= room) {
        skr_strbuf_add(out, last);
    } else {
        skr_strbuf_addn(out, last, cut(last, room - 3));
        skr_strbuf_add(out, "...");
    }
    skr_strbuf_addc(out, '\n');
}

/* At most `most` lines. */
static void write_domains(const json_t *x, size_t most, bool verbose, struct skr_strbuf *out)
{
    const json_t *domains = json_object_get(x, "domains");
    size_t n = json_array_size(domains), all = (size_t)number_of(x, "domainsInAll");
    all = all < n ? n : all;
    size_t shown = n + 1 + (all > n ? 1 : 0) <= most ? n : most > 2 ? most - 2 : 0;
    size_t width[COLUMNS] = {0};
    if (shown == 0) {
        return;
    }
    struct row *row = skr_alloc_array(shown + 1, sizeof *row);
    for (size_t i = 0; i <= shown; i++) {
        row[i] = i == 0 ? head_row(x) : row_of(x, json_array_get(domains, i - 1));
        for (size_t j = 0; j < COLUMNS; j++) {
            size_t have = columns_of(row[i].cell[j], strlen(row[i].cell[j]));
            width[j] = have > width[j] ? have : width[j];
        }
    }
    skr_strbuf_addc(out, '\n');
    for (size_t i = 0; i <= shown; i++) {
        add_row(&row[i], width, verbose, out);
        for (size_t j = 0; j < COLUMNS; j++) {
            free(row[i].cell[j]);
        }
    }
    free(row);
    if (shown < all) {
        skr_strbuf_addf(out, "  and %zu more%s\n", all - shown, shown < n ? ", see -v" : "");
    }
}

/* ---- what would help ---- */

void skr_explain_write_relaxations(const json_t *explanation, int indent, size_t most,
                                   struct skr_strbuf *out)
{
    const json_t *list = json_object_get(explanation, "relaxations");
    struct skr_strbuf b, first;
    size_t n = json_array_size(list);
    n = most > 0 && n > most ? most : n;
    if (n == 0) {
        return;
    }
    skr_strbuf_init(&b);
    skr_strbuf_init(&first);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? ", or " : "", text_of(json_array_get(list, i), "text"));
    }
    skr_strbuf_addc(&b, '.');
    skr_strbuf_addf(&first, "%*sWould fit if: ", indent, "");
    add_wrapped(out, first.s, (size_t)indent + 2, b.s);
    skr_strbuf_fini(&b);
    skr_strbuf_fini(&first);
}

static void write_also(const json_t *x, bool verbose, struct skr_strbuf *out)
{
    const json_t *list = json_object_get(x, "also"), *also;
    struct skr_strbuf b;
    size_t i;
    json_array_foreach(list, i, also)
    {
        if (!verbose && i == ALSO_LINES) {
            skr_strbuf_addf(out, "  Also: %zu more, -v shows them.\n", json_array_size(list) - i);
            break;
        }
        skr_strbuf_init(&b);
        skr_strbuf_addf(&b, "%s: %s.", text_of(also, "reason"), text_of(also, "message"));
        add_wrapped(out, "  Also: ", INDENT + 2, b.s);
        skr_strbuf_fini(&b);
    }
}

/* A command in lines that a shell reads as one. */
static void add_command(const char *first, const char *command, struct skr_strbuf *out)
{
    size_t at = strlen(first);
    skr_strbuf_add(out, first);
    for (bool begun = false; *command; begun = true) {
        size_t n = strcspn(command, " ");
        if (begun && at + 1 + n + 2 > SKR_EXPLAIN_COLUMNS) {
            skr_strbuf_addf(out, " \\\n%*s", 8, "");
            at = 8;
        } else if (begun) {
            skr_strbuf_addc(out, ' ');
            at++;
        }
        skr_strbuf_addn(out, command, n);
        at += n;
        command += n;
        command += strspn(command, " ");
    }
    skr_strbuf_addc(out, '\n');
}

/* With a dump at hand none is to be made, and the cluster may be far away. */
static void write_next(const json_t *x, const char *dump, struct skr_strbuf *out)
{
    static const char made[] = "dump.json";
    const json_t *list = json_object_get(x, "next"), *item;
    struct skr_strbuf b;
    bool first = true;
    size_t i;
    json_array_foreach(list, i, item)
    {
        const char *command = json_string_value(item);
        const char *at = command ? strstr(command, made) : NULL;
        bool makes = at && strncmp(command, "kubectl ", 8) == 0;
        if (!command || (dump && makes)) {
            continue;
        }
        skr_strbuf_init(&b);
        skr_strbuf_addn(&b, command, at ? (size_t)(at - command) : strlen(command));
        if (at) {
            skr_strbuf_addf(&b, "%s%s", dump ? dump : made, at + sizeof made - 1);
        }
        skr_strbuf_add(out, first ? "\n" : "");
        add_command(first ? "Next: " : "      ", b.s, out);
        first = false;
        skr_strbuf_fini(&b);
    }
}

/* ---- the whole ---- */

/* No room would help, so no domain is short of any. */
static bool is_conflict(const json_t *x)
{
    return strcmp(text_of(x, "reason"), skr_reason_name(SKR_REASON_CONSTRAINT_CONFLICT)) == 0;
}

void skr_explain_write_text(const json_t *explanation, const struct skr_explain_look *look,
                            struct skr_strbuf *out)
{
    const json_t *x = explanation;
    struct skr_strbuf head, help, next;
    skr_strbuf_init(&head);
    skr_strbuf_init(&help);
    skr_strbuf_init(&next);
    write_head(x, &head);
    skr_strbuf_addc(&head, '\n');
    add_wrapped(&head, "  ", INDENT, text_of(x, "sentence"));
    write_numbers(x, &head);
    skr_explain_write_relaxations(x, INDENT, look->verbose ? 0 : ALTERNATIVES, &help);
    write_also(x, look->verbose, &help);
    write_next(x, look->dump, &next);
    size_t others = count_lines(&head) + count_lines(&help) + (help.len > 0) + count_lines(&next);
    skr_strbuf_addn(out, head.s, head.len);
    if (look->verbose) {
        write_domains(x, SIZE_MAX, true, out);
    } else if (others + 4 <= SKR_EXPLAIN_LINES &&
               !is_conflict(x)) { /* a blank line, the head, a row, and the rest */
        write_domains(x, SKR_EXPLAIN_LINES - others - 1, false, out);
    }
    if (help.len > 0) {
        skr_strbuf_addc(out, '\n');
        skr_strbuf_addn(out, help.s, help.len);
    }
    skr_strbuf_addn(out, next.s ? next.s : "", next.len);
    skr_strbuf_fini(&head);
    skr_strbuf_fini(&help);
    skr_strbuf_fini(&next);
}
