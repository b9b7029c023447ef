/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts are written to strings of their own first, because how many domains are shown depends on
 * the lines that everything else takes.
 */
#include "server/render/explain_text.h"

#include "server/render/explain_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/state/reason.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "server/render/text_table.h"
#include "topology/amount_text.h"
#include "topology/base/json_field.h"

enum {
    ALTERNATIVES = 3, /* that would help, unless verbose */
    ALSO_LINES = 2,   /* likewise */
    DURATION_MAX = 32,
    PLUGIN_COLUMNS = 8, /* "kubectl ", which goes in front of our own commands in a plugin */
    DURATION_S_MAX = 1 << 30,
};

static bool is_placed(const json_t *x)
{
    return skr_page_bool(x, "placed");
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

void skr_explain_add_wrapped(struct skr_strbuf *out, const char *first, size_t hang,
                             const char *value)
{
    skr_strbuf_add(out, first);
    skr_page_add_words(out, skr_page_width(first), hang, value);
    skr_strbuf_addc(out, '\n');
}

static void write_duration(int64_t s, char *buffer)
{
    const skr_time then = SKR_SECOND; /* 0 would be no time */
    skr_page_age(then + (s < DURATION_S_MAX ? s : DURATION_S_MAX) * SKR_SECOND, then, buffer);
}

/* ---- head and sentence ---- */

static void write_head(const json_t *x, struct skr_strbuf *out)
{
    SKR_STRBUF(b);
    char duration[DURATION_MAX];
    const char *reason = skr_object_text(x, "reason"), *status = skr_object_text(x, "status");
    skr_strbuf_addf(&b, "Group %s (%s) is %s: %s", skr_object_text(x, "name"),
                    skr_object_text(x, "namespace"),
                    strcmp(status, "Finished") == 0 ? "done"
                    : is_placed(x)                  ? "placed"
                                                    : "not placed",
                    reason[0] ? reason : status);
    if (json_object_get(x, "forSeconds")) {
        write_duration(skr_page_int(x, "forSeconds"), duration);
        skr_strbuf_addf(&b, ", for %s", duration);
    }
    if (json_object_get(x, "secondsLeft")) {
        write_duration(skr_page_int(x, "secondsLeft"), duration);
        skr_strbuf_addf(&b, is_placed(x) ? ", %s left" : ", tried again in %s", duration);
    }
    skr_strbuf_addc(&b, '.');
    skr_explain_add_wrapped(out, "", SKR_EXPLAIN_INDENT, b.s);
}

/* "rack" to "no rack has 12": when all domains of the level are listed and none has that much. */
static void add_too_small(const json_t *x, int64_t each, struct skr_strbuf *b)
{
    const json_t *domains = json_object_get(x, "domains"), *domain;
    const char *resource = skr_object_text(x, "resource"), *level = skr_object_text(x, "level");
    int64_t want = -1;
    size_t i;
    if (!level[0] || json_array_size(domains) == 0 || each <= 0 ||
        (int64_t)json_array_size(domains) != skr_page_int(x, "domainsInAll")) {
        return;
    }
    json_array_foreach(domains, i, domain)
    {
        int64_t needs = skr_page_int(domain, "needs");
        if (needs > INT64_MAX / each || (want >= 0 && want != needs * each) ||
            skr_page_int(domain, "free") >= needs * each) {
            return;
        }
        want = needs * each;
    }
    skr_strbuf_addf(b, ", no %s has ", level);
    skr_amount_add_number(b, resource, want);
}

/* "8 more worker pods x 2 GPU beside 2", of a role, or of equal members. */
static void add_need(const json_t *of, const char *resource, struct skr_strbuf *b)
{
    const int64_t slots = skr_page_int(of, "slots"), held = skr_page_int(of, "held");
    const int64_t each = skr_page_int(json_object_get(of, "each"), resource);
    const char *name = skr_object_text(of, "name");
    if (slots == 0 && held > 0) {
        skr_strbuf_addf(b, "%lld %s pod%s", (long long)held, name, held == 1 ? " runs" : "s run");
        return;
    }
    skr_strbuf_addf(b, "%lld %s%s%spod%s", (long long)slots, held > 0 ? "more " : "", name,
                    name[0] ? " " : "", slots == 1 ? "" : "s");
    if (each > 0 && strcmp(resource, "pods") != 0 && strcmp(resource, "places") != 0) {
        skr_strbuf_add(b, " x ");
        skr_amount_add(b, resource, each);
    }
    if (held > 0) {
        skr_strbuf_addf(b, " beside %lld", (long long)held);
    }
}

/* "(6 pods x 2 GPU, rack=pack, hard; 20 GPU free in all, no rack has 12)" */
static void write_numbers(const json_t *x, struct skr_strbuf *out)
{
    const json_t *need = json_object_get(x, "need"), *role;
    const json_t *free_ = json_object_get(json_object_get(x, "have"), "free");
    const char *resource = skr_object_text(x, "resource"),
               *constraint = skr_object_text(need, "constraint");
    size_t i;
    SKR_STRBUF(b);
    if (!json_object_get(need, "slots")) {
        return;
    }
    json_array_foreach(skr_page_list(need, "roles"), i, role)
    {
        skr_strbuf_add(&b, i > 0 ? ", " : "(");
        add_need(role, resource, &b);
    }
    if (i == 0) {
        skr_strbuf_addc(&b, '(');
        add_need(need, resource, &b);
    }
    skr_strbuf_addf(&b, "%s%s; ", constraint[0] ? ", " : "", constraint);
    skr_amount_add(&b, resource, skr_page_int(free_, resource));
    skr_strbuf_add(&b, " free in all");
    add_too_small(x, skr_page_int(json_object_get(need, "each"), resource), &b);
    skr_strbuf_addc(&b, ')');
    skr_explain_add_wrapped(out, "  ", SKR_EXPLAIN_INDENT + 1, b.s);
}

/* ---- domains ---- */

const char *skr_explain_short_key(const json_t *x, const char *key)
{
    const char *namespace_ = skr_object_text(x, "namespace");
    size_t n = strlen(namespace_);
    return strncmp(key, namespace_, n) == 0 && key[n] == '/' ? key + n + 1 : key;
}

static void add_blocker(const json_t *x, const json_t *blocker, bool alone, struct skr_strbuf *b)
{
    const char *group = skr_object_text(blocker, "group"), *pod = skr_object_text(blocker, "pod");
    const char *node = skr_object_text(blocker, "node");
    bool leaves = skr_page_bool(blocker, "terminating");
    SKR_STRBUF(amount);
    skr_amount_add(&amount, skr_object_text(x, "resource"), skr_page_int(blocker, "amount"));
    if (group[0]) {
        skr_strbuf_add(b, skr_explain_short_key(x, group));
    } else if (pod[0]) {
        skr_strbuf_addf(b, "pod %s%s", skr_explain_short_key(x, pod), leaves ? " terminating" : "");
    } else if (node[0]) {
        skr_strbuf_addf(b, "%s %s", node, skr_object_text(blocker, "why"));
    } else if (json_object_get(blocker, "others")) {
        skr_strbuf_addf(b, "%lld more pods", (long long)skr_page_int(blocker, "others"));
    } else {
        skr_strbuf_addf(b, "%lld more nodes", (long long)skr_page_int(blocker, "otherNodes"));
    }
    if (alone && (group[0] || pod[0])) {
        skr_strbuf_addf(b, " (priority %lld, %s)", (long long)skr_page_int(blocker, "priority"),
                        amount.s);
    } else if (alone && node[0] && skr_page_int(blocker, "amount") > 0) {
        skr_strbuf_addf(b, " (%s)", amount.s);
    }
}

static void add_blockers(const json_t *x, const json_t *domain, struct skr_strbuf *b)
{
    const json_t *list = json_object_get(domain, "blockedBy"), *blocker;
    size_t i;
    json_array_foreach(list, i, blocker)
    {
        skr_strbuf_add(b, i > 0 ? ", " : "");
        add_blocker(x, blocker, json_array_size(list) == 1, b);
    }
    skr_strbuf_add(b, json_array_size(list) == 0 ? "<none>" : "");
}

static void add_cell(struct skr_text_table *table, struct skr_strbuf *b)
{
    SKR_STRBUF(clean);
    skr_page_add_clean(&clean, b->len > 0 ? b->s : "-", false);
    skr_text_table_add_drawn(table, clean.s, SKR_HUE_NONE);
    skr_strbuf_reset(b);
}

static void add_head(const json_t *x, const struct role_columns *roles,
                     struct skr_text_table *table)
{
    const char *level = skr_object_text(x, "domainLevel");
    SKR_STRBUF(b);
    skr_amount_add_label(&b, level[0] ? level : "domain");
    add_cell(table, &b);
    skr_text_table_add(table, "FREE", SKR_HUE_NONE);
    for (size_t i = 0; i < roles->n; i++) {
        skr_amount_add_label(&b, roles->name[i] ? roles->name[i] : "fits");
        add_cell(table, &b);
    }
    skr_text_table_add(table, "SHORT", SKR_HUE_NONE);
    skr_text_table_add(table, "BLOCKED-BY", SKR_HUE_NONE);
}

/* "7/8", of a domain or of a role in it; "-/8": others are short already; "-": none is needed. */
static void add_fits(const json_t *of, struct skr_strbuf *b)
{
    const json_t *needs = json_object_get(of, "needs"), *fits = json_object_get(of, "fits");
    if (needs && json_integer_value(needs) == 0) {
        skr_strbuf_addc(b, '-');
        return;
    }
    if (fits) {
        skr_strbuf_addf(b, "%lld", (long long)json_integer_value(fits));
    } else {
        skr_strbuf_addc(b, '-');
    }
    if (needs) {
        skr_strbuf_addf(b, "/%lld", (long long)json_integer_value(needs));
    }
}

static void add_row(const json_t *x, const struct role_columns *roles, const json_t *domain,
                    struct skr_text_table *table)
{
    const json_t *needs = json_object_get(domain, "needs");
    SKR_STRBUF(b);
    skr_strbuf_add(&b, skr_object_text(domain, "name"));
    add_cell(table, &b);
    skr_amount_add_number(&b, skr_object_text(x, "resource"), skr_page_int(domain, "free"));
    add_cell(table, &b);
    for (size_t i = 0; i < roles->n; i++) {
        add_fits(skr_explain_role_of(domain, roles->name[i]), &b);
        add_cell(table, &b);
    }
    if (needs) {
        skr_strbuf_addf(&b, "%lld", (long long)skr_page_int(domain, "short"));
    }
    add_cell(table, &b);
    add_blockers(x, domain, &b);
    add_cell(table, &b);
}

/* As much of s as has the columns. */
static size_t cut(const char *s, size_t n, size_t columns)
{
    size_t at = 0;
    for (size_t seen = 0; at < n; at++) {
        bool begins = ((unsigned char)s[at] & 0xc0) != 0x80;
        if (begins && seen++ == columns) {
            break;
        }
    }
    return at;
}

void skr_explain_add_lines(const struct skr_strbuf *table, bool verbose, struct skr_strbuf *out)
{
    const size_t room = SKR_PAGE_WIDTH - SKR_EXPLAIN_INDENT;
    for (const char *line = table->s; *line;) {
        const size_t n = strcspn(line, "\n");
        const bool fits = verbose || columns_of(line, n) <= room;
        skr_strbuf_addf(out, "%*s", SKR_EXPLAIN_INDENT, "");
        skr_strbuf_addn(out, line, fits ? n : cut(line, n, room - 3));
        skr_strbuf_add(out, fits ? "\n" : "...\n");
        line += n + (line[n] == '\n');
    }
}

/* At most `most` lines. */
static void write_domains(const json_t *x, size_t most, bool verbose, struct skr_strbuf *out)
{
    const json_t *domains = json_object_get(x, "domains");
    size_t n = json_array_size(domains), all = (size_t)skr_page_int(x, "domainsInAll");
    all = all < n ? n : all;
    size_t shown = n + 1 + (all > n ? 1 : 0) <= most ? n : most > 2 ? most - 2 : 0;
    struct skr_text_table table;
    SKR_STRBUF(lines);
    if (shown == 0) {
        return;
    }
    const struct role_columns roles = skr_explain_role_columns(x, verbose);
    skr_text_table_init(&table, 4 + roles.n, false);
    add_head(x, &roles, &table);
    for (size_t i = 0; i < shown; i++) {
        add_row(x, &roles, json_array_get(domains, i), &table);
    }
    skr_text_table_write(&table, &lines);
    skr_strbuf_addc(out, '\n');
    skr_explain_add_lines(&lines, verbose, out);
    if (shown < all) {
        skr_strbuf_addf(out, "  and %zu more%s\n", all - shown, shown < n ? ", see -v" : "");
    }
    skr_text_table_fini(&table);
}

/* ---- what would help ---- */

void skr_explain_write_relaxations(const json_t *explanation, int indent, size_t most,
                                   struct skr_strbuf *out)
{
    const json_t *list = json_object_get(explanation, "relaxations");
    SKR_STRBUF(b);
    SKR_STRBUF(first);
    size_t n = json_array_size(list);
    n = most > 0 && n > most ? most : n;
    if (n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? ", or " : "",
                        skr_object_text(json_array_get(list, i), "text"));
    }
    skr_strbuf_addc(&b, '.');
    skr_strbuf_addf(&first, "%*sWould fit if: ", indent, "");
    skr_explain_add_wrapped(out, first.s, (size_t)indent + 2, b.s);
}

static void write_also(const json_t *x, bool verbose, struct skr_strbuf *out)
{
    const json_t *list = json_object_get(x, "also"), *also;
    size_t i;
    json_array_foreach(list, i, also)
    {
        if (!verbose && i == ALSO_LINES) {
            skr_strbuf_addf(out, "  Also: %zu more, -v shows them.\n", json_array_size(list) - i);
            break;
        }
        SKR_STRBUF(b);
        if (strstr(skr_object_text(x, "sentence"), skr_object_text(also, "message"))) {
            continue; /* said above */
        }
        skr_strbuf_addf(&b, "%s: %s.", skr_object_text(also, "reason"),
                        skr_object_text(also, "message"));
        skr_explain_add_wrapped(out, "  Also: ", SKR_EXPLAIN_INDENT + 2, b.s);
    }
}

/* Of the command's next word, and of its value when it is a flag. */
static size_t word_length(const char *command)
{
    size_t n = strcspn(command, " ");
    if (strncmp(command, "--", 2) == 0 && command[n] == ' ') {
        n += 1 + strcspn(command + n + 1, " ");
    }
    return n;
}

/* A command in lines that a shell reads as one. */
static void add_command(const char *first, const char *command, struct skr_strbuf *out)
{
    const bool ours = strncmp(command, "sakkara ", 8) == 0;
    const size_t columns = SKR_PAGE_WIDTH - (ours ? PLUGIN_COLUMNS : 0);
    size_t at = strlen(first);
    skr_strbuf_add(out, first);
    for (bool begun = false; *command; begun = true) {
        size_t n = word_length(command);
        if (begun && at + 1 + n + (command[n] ? 2 : 0) > columns) {
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

/* Another look at the same group: shown where lines are left. */
static bool is_further_look(const char *command)
{
    return strncmp(command, "sakkara explain ", 16) == 0;
}

/* With a dump at hand none is to be made, and the cluster may be far away. */
static void write_next(const json_t *x, const char *dump, bool further, struct skr_strbuf *out)
{
    static const char made[] = "dump.json";
    const json_t *list = json_object_get(x, "next"), *item;
    bool first = true;
    size_t i;
    json_array_foreach(list, i, item)
    {
        const char *command = json_string_value(item);
        const char *at = command ? strstr(command, made) : NULL;
        bool makes = at && strncmp(command, "kubectl ", 8) == 0;
        if (!command || (dump && makes) || (!further && is_further_look(command))) {
            continue;
        }
        SKR_STRBUF(b);
        if (at) {
            skr_strbuf_addn(&b, command, (size_t)(at - command));
            skr_page_add_clean(&b, dump ? dump : made, false);
            command = at + sizeof made - 1;
        }
        skr_page_add_clean(&b, command, false);
        if (dump && is_further_look(command)) {
            skr_strbuf_add(&b, " --file ");
            skr_page_add_clean(&b, dump, false);
        }
        skr_strbuf_add(out, first ? "\n" : "");
        add_command(first ? "Next: " : "      ", b.s, out);
        first = false;
    }
}

/* Writes the next commands again with further looks, if these fit behind so many lines. */
static void add_further(const json_t *x, const struct skr_explain_look *look, size_t lines,
                        struct skr_strbuf *next)
{
    SKR_STRBUF(all);
    write_next(x, look->dump, true, &all);
    if (look->verbose || lines + count_lines(&all) <= SKR_EXPLAIN_LINES) {
        skr_strbuf_reset(next);
        skr_strbuf_addn(next, all.s, all.len);
    }
}

/* ---- the whole ---- */

/* No room would help, so no domain is short of any. */
static bool is_conflict(const json_t *x)
{
    return strcmp(skr_object_text(x, "reason"), skr_reason_name(SKR_REASON_CONSTRAINT_CONFLICT)) ==
           0;
}

/* known: when it starts; else why that is not known. */
static void write_start(const json_t *x, bool known, struct skr_strbuf *out)
{
    const json_t *start = json_object_get(x, "start");
    if (!*skr_object_text(start, "time") == known) {
        return;
    }
    const bool reserved = skr_page_bool(start, "promised") || skr_page_bool(start, "guess");
    SKR_STRBUF(when);
    SKR_STRBUF(kept);
    skr_strbuf_add(&when, reserved ? "starts " : "");
    skr_render_start(start, &when);
    skr_render_kept(start, &kept);
    if (when.len > 0) {
        skr_explain_add_wrapped(out, "  ", SKR_EXPLAIN_INDENT, when.s);
    }
    if (kept.len > 0) {
        skr_explain_add_wrapped(out, "  ", SKR_EXPLAIN_INDENT, kept.s);
    }
}

void skr_explain_write_text(const json_t *explanation, const struct skr_explain_look *look,
                            struct skr_strbuf *out)
{
    const json_t *x = explanation;
    SKR_STRBUF(head);
    SKR_STRBUF(help);
    SKR_STRBUF(preemption);
    SKR_STRBUF(next);
    SKR_STRBUF(no_start);
    write_head(x, &head);
    skr_strbuf_addc(&head, '\n');
    skr_explain_add_wrapped(&head, "  ", SKR_EXPLAIN_INDENT, skr_object_text(x, "sentence"));
    write_start(x, true, &head);
    write_numbers(x, &head);
    skr_explain_write_relaxations(x, SKR_EXPLAIN_INDENT, look->verbose ? 0 : ALTERNATIVES, &help);
    write_also(x, look->verbose, &help);
    skr_explain_write_preemption(x, look->verbose, &preemption);
    write_start(x, false, &no_start);
    write_next(x, look->dump, false, &next);
    size_t others = count_lines(&head) + count_lines(&help) + (help.len > 0) +
                    count_lines(&preemption) + count_lines(&next);
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
    skr_strbuf_addn(out, preemption.s, preemption.len);
    if (look->verbose ||
        count_lines(out) + count_lines(&no_start) + count_lines(&next) <= SKR_EXPLAIN_LINES) {
        skr_strbuf_addn(out, no_start.s, no_start.len);
    }
    add_further(x, look, count_lines(out), &next);
    skr_strbuf_addn(out, next.s, next.len);
}
