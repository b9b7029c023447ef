/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about groups, and the small pieces their sources share. Whether a size can satisfy a
 * rule on some cluster is decided exactly for each level alone: with factor f (1 when unset), used
 * units hold f * lo .. f * hi members, so q of them hold any multiple of f from q * f * lo to
 * q * f * hi, and q is a multiple of partitions (1 when unset). What several levels forbid together
 * depends on their order, which only the tree knows: the solver reports it (ConstraintConflict).
 */
#include "core/group/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/unshown.h"

enum {
    SPEC_BYTES_MAX = 4 * 1024 * 1024, /* arena limit: a ConfigMap has at most 1 MiB */
    FIRST_BLOCK = 256,                /* a group with few constraints */
};

int skr_group_no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "group: larger than %d bytes", (int)SPEC_BYTES_MAX);
}

struct skr_group_spec *skr_group_spec_create(const char *name, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SPEC_BYTES_MAX, FIRST_BLOCK);
    struct skr_group_spec *spec = arena ? skr_arena_alloc(arena, sizeof *spec) : NULL;
    if (spec) {
        spec->arena = arena;
        spec->name = skr_arena_strdup(arena, name);
        spec->size = 1;
        spec->seat_hold = SKR_TIME_NEVER;
        spec->run_limit = spec->run_estimate = SKR_TIME_NEVER;
        spec->step = 1;
        spec->constraints_key = "constraints";
        if (spec->name) {
            return spec;
        }
    }
    skr_arena_destroy(arena);
    skr_error_set(error, SKR_NO_MEMORY, "group: out of memory");
    return NULL;
}

int skr_group_rules_room(struct skr_group_spec *spec, size_t n, struct skr_error *error)
{
    size_t room = n < SKR_GROUP_RULES_MAX ? n : SKR_GROUP_RULES_MAX;
    spec->rule = skr_arena_array(spec->arena, room, sizeof spec->rule[0]);
    return spec->rule ? 0 : skr_group_no_room(error);
}

void skr_group_quote(const char *s, char buffer[SKR_QUOTE_MAX])
{
    size_t n = 0;
    for (; n < SKR_QUOTE_MAX - 1 && s[n] != '\0'; n++) {
        buffer[n] = s[n];
    }
    if (s[n] != '\0') {
        n = SKR_QUOTE_MAX - 1 - strlen("...");
        while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) {
            n--;
        }
        memcpy(buffer + n, "...", strlen("..."));
        n += strlen("...");
    }
    buffer[n] = '\0';
    skr_unshown_replace(buffer);
}

/* ---- integers ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Index of the first byte that does not belong into a decimal integer. */
static size_t first_bad(const char *s, size_t from, size_t to)
{
    size_t i = from;
    if (i < to && (s[i] == '-' || s[i] == '+')) {
        i++;
    }
    while (i < to && s[i] >= '0' && s[i] <= '9') {
        i++;
    }
    return i;
}

static int bad_integer(struct skr_subject about, const char *text, size_t at, const char *what,
                       struct skr_error *error)
{
    char quoted[SKR_QUOTE_MAX];
    about.at = (struct skr_position){1, 1};
    for (size_t i = 0; i < at; i++) {
        about.at.column = text[i] == '\n' ? 1 : about.at.column + 1;
        about.at.line += text[i] == '\n' ? 1 : 0;
    }
    skr_group_quote(text, quoted);
    return skr_error_set_at(error, SKR_INVALID, &about, "must be %s, got \"%s\"", what, quoted);
}

int skr_group_integer_parse(struct skr_subject about, const char *text, int64_t low, int64_t high,
                            int32_t *ret, struct skr_error *error)
{
    size_t from = 0;
    size_t to = strlen(text);
    int64_t number;
    while (from < to && is_blank(text[from])) {
        from++;
    }
    while (to > from && is_blank(text[to - 1])) {
        to--;
    }
    size_t bad = first_bad(text, from, to);
    size_t digits_from = from < to && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
    if (bad < to || bad == digits_from) {
        return bad_integer(about, text, bad, "a decimal integer", error);
    }
    bool parsed = skr_decimal_parse(text + from, to - from, &number);
    if (!parsed || number < low || number > high) {
        char what[64];
        bool below = parsed ? number < low : text[from] == '-';
        snprintf(what, sizeof what, "at %s %lld", below ? "least" : "most",
                 (long long)(below ? low : high));
        return bad_integer(about, text, from, what, error);
    }
    *ret = (int32_t)number;
    return 0;
}

int skr_group_size_parse(struct skr_subject about, const char *text, int32_t *ret,
                         struct skr_error *error)
{
    int32_t size;
    int rc = skr_group_integer_parse(about, text, 1, INT32_MAX, &size, error);
    if (rc < 0) {
        return rc;
    }
    if (size > SKR_GROUP_SIZE_MAX) {
        return skr_error_set_at(error, SKR_LIMIT, &about, "%d members, a group has at most %d",
                                (int)size, (int)SKR_GROUP_SIZE_MAX);
    }
    *ret = size;
    return 0;
}

/* ---- warnings ---- */

int skr_group_defect(const struct skr_group_spec *spec, const char *code, int rc,
                     const struct skr_error *error)
{
    if (rc < 0 && spec->defects) {
        skr_defect_add(spec->defects, code, false, error);
    }
    return rc;
}

bool skr_group_go_on(const struct skr_group_spec *spec, int rc)
{
    return rc == 0 || spec->defects;
}

void skr_group_warn(struct skr_group_spec *spec, const char *code, struct skr_subject about,
                    const char *format, ...)
{
    char sentence[SKR_ERROR_TEXT_MAX];
    struct skr_error warning;
    if (!spec->warning) {
        spec->warning =
            skr_arena_array(spec->arena, SKR_GROUP_LINT_MAX + 1, sizeof spec->warning[0]);
    }
    if (!spec->warning) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    (void)skr_error_set_at(&warning, SKR_INVALID, &about, "%s", sentence);
    skr_defect_add(spec->defects, code, true, &warning);
    if (spec->n_warnings == SKR_GROUP_LINT_MAX) {
        (void)skr_error_set(&warning, SKR_LIMIT, "more than %d warnings, the rest is not shown",
                            (int)SKR_GROUP_LINT_MAX - 1);
    }
    size_t at = spec->n_warnings < SKR_GROUP_LINT_MAX ? spec->n_warnings : SKR_GROUP_LINT_MAX - 1;
    const char *copy = skr_arena_strdup(spec->arena, warning.text);
    if (!copy) {
        return;
    }
    spec->warning[at] = copy;
    spec->n_warnings = at + 1;
}

enum skr_rule_type skr_group_type_parse(struct skr_group_spec *spec, struct skr_subject about,
                                        const char *level, const char *word)
{
    if (strcmp(word, "spread") == 0) {
        return SKR_RULE_SPREAD;
    }
    if (word[0] != '\0' && strcmp(word, "pack") != 0) {
        char quoted[SKR_QUOTE_MAX];
        char quoted_level[SKR_QUOTE_MAX];
        skr_group_quote(word, quoted);
        skr_group_quote(level, quoted_level);
        skr_group_warn(spec, "UnknownType", about,
                       "\"type\" of level \"%s\" is \"%s\", neither pack nor spread: "
                       "taken as pack",
                       quoted_level, quoted);
    }
    return SKR_RULE_PACK;
}

int32_t skr_group_number(struct skr_group_spec *spec, struct skr_subject about, const char *level,
                         const char *member, int64_t number)
{
    if (number < 0) {
        char quoted_level[SKR_QUOTE_MAX];
        skr_group_quote(level, quoted_level);
        skr_group_warn(spec, "NegativeNumber", about,
                       "\"%s\" of level \"%s\" is %lld: negative numbers are ignored", member,
                       quoted_level, (long long)number);
        return 0;
    }
    return number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

/* ---- a whole rule ---- */

static void lint_hard(struct skr_group_spec *spec, struct skr_subject about, const char *level,
                      const struct skr_rule *rule)
{
    char members[64];
    snprintf(members, sizeof members, "%s%s%s%s", rule->partitions > 0 ? ", partitions" : "",
             rule->min > 0 ? ", min" : "", rule->max > 0 ? ", max" : "",
             rule->factor > 1 ? ", factor" : "");
    if (members[0] != '\0') {
        skr_group_warn(spec, "HardVoidsRule", about, "\"hard\" of level \"%s\" voids its %s", level,
                       members + strlen(", "));
    }
}

/* The bounds of a used unit in multiples of the factor; false when it can hold none. */
static bool unit_range(const struct skr_rule *rule, int64_t *factor, int64_t *low, int64_t *high)
{
    *factor = rule->factor > 1 ? rule->factor : 1;
    int64_t min = rule->min > 0 ? rule->min : 1;
    int64_t max = rule->max > 0 ? rule->max : (int64_t)INT32_MAX * *factor;
    *low = (min + *factor - 1) / *factor;
    *high = max / *factor;
    return *low <= *high;
}

static bool size_is_possible(const struct skr_rule *rule, int64_t size)
{
    int64_t factor;
    int64_t low;
    int64_t high;
    if (!unit_range(rule, &factor, &low, &high) || size % factor != 0) {
        return false;
    }
    int64_t total = size / factor;
    int64_t step = rule->partitions > 0 ? rule->partitions : 1;
    int64_t fewest = (total + high - 1) / high;
    int64_t used = (fewest + step - 1) / step * step;
    return used * low <= total;
}

/* Whose size: "size", or "size of role "worker"". */
static void say_size_of(const char *role, char buffer[SKR_QUOTE_MAX + 32])
{
    char quoted[SKR_QUOTE_MAX];
    (void)snprintf(buffer, SKR_QUOTE_MAX + 32, "size");
    if (role) {
        skr_group_quote(role, quoted);
        (void)snprintf(buffer, SKR_QUOTE_MAX + 32, "size of role \"%s\",", quoted);
    }
}

void skr_group_lint_rule(struct skr_group_spec *spec, struct skr_subject about, const char *role,
                         int32_t size, struct skr_level_rule *rule)
{
    struct skr_rule *r = &rule->rule;
    char level[SKR_QUOTE_MAX];
    char whose[SKR_QUOTE_MAX + 32];
    skr_group_quote(rule->level, level);
    say_size_of(role, whose);
    if (r->hard) {
        lint_hard(spec, about, level, r);
    }
    if (r->min > 0 && r->max > 0 && r->min > r->max) {
        if (!r->hard) {
            skr_group_warn(spec, "MinAboveMax", about,
                           "\"min\" %d of level \"%s\" is larger than its \"max\" %d: both are "
                           "ignored",
                           (int)r->min, level, (int)r->max);
        }
        r->min = 0;
        r->max = 0;
    }
    if (r->hard) {
        return;
    }
    int64_t factor;
    int64_t low;
    int64_t high;
    if (!unit_range(r, &factor, &low, &high)) {
        skr_group_warn(spec, "Conflict", about,
                       "no multiple of \"factor\" %d lies within \"min\" %d and \"max\" %d of "
                       "level \"%s\": no placement is possible",
                       (int)r->factor, r->min > 0 ? (int)r->min : 1, (int)r->max, level);
    } else if (size % factor != 0) {
        skr_group_warn(spec, "Conflict", about,
                       "%s %d is no multiple of \"factor\" %d of level \"%s\": no cluster "
                       "can hold the group",
                       whose, (int)size, (int)r->factor, level);
    } else if (!size_is_possible(r, size)) {
        skr_group_warn(spec, "Conflict", about,
                       "%s %d cannot satisfy \"partitions\" %d, \"min\" %d, \"max\" %d, "
                       "\"factor\" %d of level \"%s\" (0: unset): no cluster can hold the group",
                       whose, (int)size, (int)r->partitions, (int)r->min, (int)r->max,
                       (int)r->factor, level);
    }
}
