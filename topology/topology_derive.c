/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree that labels of nodes make. Every node becomes a row of values, one a level; the rows are
 * sorted, so that the same nodes give the same tree whatever order they come in, and a unit begins
 * where a row differs from the one before. Values are pointers into the labels, or into an arena
 * where `until` cuts them.
 *
 * Whether levels nest is judged by the units: equal values of one level below different parents.
 * Values that were filled in (pad) are not judged.
 */
#include <string.h>

#include "topology/device_levels.h"
#include "topology/topology_map.h"

static const struct skr_label_levels racks = {
    .n = 1, .level = {{.name = "rack", .n_labels = 1, .label = {SKR_RACK_LABEL}}}};

struct row {
    const char **value; /* [n_levels] after padding; NULL only in rows that are left out */
    const char **own;   /* [n_levels] before padding */
    size_t n_levels;
    const char *node;
};

struct derivation {
    const struct skr_label_levels *levels;
    struct skr_label_findings *findings;
    struct skr_arena *cut; /* values that `until` has cut */
    struct row *row;
    const char **cell;
    size_t n; /* rows in the tree */
};

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = 0;
    for (size_t l = 0; order == 0 && l < x->n_levels; l++) {
        order = x->value[l] == y->value[l] ? 0 : strcmp(x->value[l], y->value[l]);
    }
    return order != 0 ? order : strcmp(x->node, y->node);
}

/* ---- rows ---- */

/* The value as a string of its own; NULL: the node has none. */
static const char *value_of(struct derivation *d, size_t level, const struct skr_labels *labels)
{
    size_t length = 0;
    const char *value = skr_label_level_value(&d->levels->level[level], labels, &length);
    if (!value || value[length] == '\0') {
        return value;
    }
    const char *copy = skr_arena_strndup(d->cut, value, length);
    skr_bug_on(!copy); /* the arena has room for a value of every node and level */
    return copy;
}

/* The node counts in *n; *first is the first name of these. */
static void count_node(const char *node, size_t *n, char first[SKR_UNIT_NAME_MAX + 1])
{
    if ((*n)++ == 0 || strcmp(node, first) < 0) {
        snprintf(first, SKR_UNIT_NAME_MAX + 1, "%s", node);
    }
}

/* labels: [node]; NULL: those of the nodes alone. */
static void read_rows(struct derivation *d, const struct skr_node *const *nodes, size_t n,
                      const struct skr_labels *all)
{
    const size_t n_levels = d->levels->n;
    for (size_t i = 0; i < n; i++) {
        struct row *row = &d->row[i];
        *row = (struct row){.value = &d->cell[2 * i * n_levels],
                            .own = &d->cell[(2 * i + 1) * n_levels],
                            .n_levels = n_levels,
                            .node = nodes[i]->meta.name};
        for (size_t l = 0; l < n_levels; l++) {
            const struct skr_labels *labels = all ? &all[i] : &nodes[i]->meta.labels;
            const char *value = d->levels->level[l].attribute
                                    ? skr_labels_get(labels, d->levels->level[l].label[0])
                                    : NULL;
            row->own[l] = value_of(d, l, labels);
            row->value[l] = row->own[l];
            if (value && !*value) {
                count_node(row->node, &d->findings->n_uneven[l], d->findings->first_uneven[l]);
            }
        }
    }
}

/* Which levels no node has, and which of them are dropped. */
static void judge_levels(struct derivation *d, size_t n)
{
    struct skr_label_findings *f = d->findings;
    size_t first = 0;
    for (size_t l = 0; l < d->levels->n; l++) {
        f->empty[l] = n > 0;
        for (size_t i = 0; f->empty[l] && i < n; i++) {
            f->empty[l] = !d->row[i].own[l];
        }
    }
    while (d->levels->drops_leading && first < d->levels->n && f->empty[first]) {
        first++;
    }
    if (first < d->levels->n) {
        f->first_level = first;
        memset(f->empty, 0, first * sizeof f->empty[0]);
    }
}

static void pad(struct row *row, size_t first)
{
    for (size_t l = first + 1; l < row->n_levels; l++) {
        row->value[l] = row->value[l] ? row->value[l] : row->value[l - 1];
    }
    for (size_t l = row->n_levels - 1; l > first; l--) {
        row->value[l - 1] = row->value[l - 1] ? row->value[l - 1] : row->value[l];
    }
}

static void leave_out(struct skr_label_findings *f, size_t level, const char *node)
{
    count_node(node, &f->n_missing[level], f->first_missing[level]);
    f->n_left_out++;
}

/* Fills rows in where that is wanted; the rows of the tree come first then. */
static void choose_rows(struct derivation *d, size_t n)
{
    const size_t first = d->findings->first_level;
    for (size_t i = 0; i < n; i++) {
        struct row row = d->row[i];
        if (d->levels->pad) {
            pad(&row, first);
        }
        size_t l = first;
        while (l < row.n_levels && row.value[l]) {
            l++;
        }
        if (l < row.n_levels) {
            leave_out(d->findings, l, row.node);
            continue;
        }
        row.value += first;
        row.own += first;
        row.n_levels -= first;
        d->row[d->n++] = row;
    }
}

/* ---- do the levels nest? ---- */

struct unit {
    const char *value;
    size_t row;    /* the first one in it */
    size_t parent; /* first row of the unit above */
};

static int by_value(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    int order = strcmp(x->value, y->value);
    return order != 0 ? order : x->row < y->row ? -1 : x->row > y->row;
}

static bool same_unit(const struct row *a, const struct row *b, size_t level)
{
    for (size_t l = 0; l <= level; l++) {
        if (a->value[l] != b->value[l] && strcmp(a->value[l], b->value[l]) != 0) {
            return false;
        }
    }
    return true;
}

/* Units of the level whose value is their own; how many. */
static size_t list_units(const struct derivation *d, size_t level, struct unit *unit)
{
    size_t n = 0, parent = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (i > 0 && !same_unit(&d->row[i - 1], &d->row[i], level - 1)) {
            parent = i;
        }
        const bool begins = i == 0 || !same_unit(&d->row[i - 1], &d->row[i], level);
        if (begins && d->row[i].own[level]) {
            unit[n++] = (struct unit){d->row[i].value[level], i, parent};
        }
    }
    return n;
}

static void say_path(const struct row *row, size_t levels, char *buffer, size_t size)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (size_t l = 0; l < levels && length < size; l++) {
        int n =
            snprintf(buffer + length, size - length, "%s%.63s", l > 0 ? "/" : "", row->value[l]);
        length += n > 0 ? (size_t)n : 0;
    }
}

static void say_crossing(struct derivation *d, size_t level, const struct unit *a,
                         const struct unit *b)
{
    struct skr_label_findings *f = d->findings;
    const struct skr_label_level *of = &d->levels->level[level + f->first_level];
    char one[128], other[128];
    say_path(&d->row[a->row], level, one, sizeof one);
    say_path(&d->row[b->row], level, other, sizeof other);
    snprintf(
        f->crossing, sizeof f->crossing,
        "%s %.63s is below %s and below %s: these are two units, and a hard rule cuts it in two",
        of->name, a->value, one, other);
}

/* The topmost level with such values: those below it follow from them. */
static void find_crossings(struct derivation *d)
{
    struct skr_label_findings *f = d->findings;
    SKR_AUTO_FREE struct unit *unit = skr_alloc_array(d->n + 1, sizeof *unit);
    const size_t n_levels = d->levels->n - f->first_level;
    for (size_t l = 1; f->n_crossing == 0 && l < n_levels; l++) {
        if (d->levels->level[l + f->first_level].repeats) {
            continue;
        }
        const size_t n = list_units(d, l, unit);
        if (n > 1) {
            qsort(unit, n, sizeof *unit, by_value);
        }
        for (size_t i = 1; i < n; i++) {
            const bool again = i > 1 && strcmp(unit[i - 2].value, unit[i].value) == 0;
            if (strcmp(unit[i - 1].value, unit[i].value) != 0) {
                continue;
            }
            if (f->n_crossing == 0) {
                say_crossing(d, l, &unit[i - 1], &unit[i]);
            }
            f->n_crossing += again ? 0 : 1;
        }
    }
}

/* ---- the tree ---- */

static int add_rows(struct skr_tree_builder *b, const struct derivation *d, size_t n_levels,
                    struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < d->n; i++) {
        const struct row *row = &d->row[i];
        size_t l = 0;
        while (i > 0 && l < n_levels && same_unit(row - 1, row, l)) {
            l++;
        }
        for (; rc == 0 && l < n_levels; l++) {
            rc = skr_tree_builder_add(b, (int32_t)l + 1, row->value[l], error);
        }
        if (rc == 0) {
            rc = skr_tree_builder_add(b, (int32_t)n_levels + 1, row->node, error);
        }
    }
    return rc;
}

static int build(const struct derivation *d, const struct skr_label_source *source, size_t n_levels,
                 struct skr_tree **ret, struct skr_error *error)
{
    static const char *const resources[] = {"cpu", "memory"};
    const char *name[SKR_LEVELS_MAX];
    for (size_t l = 0; l < n_levels; l++) {
        name[l] = d->levels->level[l + d->findings->first_level].name;
    }
    name[n_levels] = "node";
    SKR_AUTO(skr_tree_builder_destroy)
    struct skr_tree_builder *b =
        skr_tree_builder_create(source->name ? source->name : "default-tree");
    int rc = add_rows(b, d, n_levels, error);
    const bool usual = source->n_resources == 0;
    return rc != 0 ? rc
                   : skr_tree_builder_finish(b, name, n_levels + 1,
                                             usual ? resources : source->resource,
                                             usual ? 2 : source->n_resources, ret, NULL, error);
}

/* Without levels: the rack label, or a flat tree if no node has that. */
static bool is_flat(const struct derivation *d, const struct skr_label_source *source)
{
    return !source->levels && d->n == 0;
}

static void make_flat(struct derivation *d, const struct skr_node *const *nodes, size_t n)
{
    const struct skr_label_findings none = {.levels = racks, .n_nodes = n};
    *d->findings = none;
    for (d->n = 0; d->n < n; d->n++) {
        d->row[d->n] = (struct row){.node = nodes[d->n]->meta.name};
    }
}

/* Values that are cut, with their ends and the arena's own. */
static size_t cut_bytes(const struct skr_label_levels *levels, size_t n)
{
    size_t cuts = 0;
    for (size_t l = 0; l < levels->n; l++) {
        cuts += levels->level[l].until ? 1 : 0;
    }
    return 64 * 1024 + 2 * n * cuts * (SKR_UNIT_NAME_MAX + 16);
}

int skr_topology_derive(const struct skr_node *const *nodes, size_t n,
                        const struct skr_label_source *source, struct skr_tree **ret,
                        struct skr_label_findings *findings, struct skr_error *error)
{
    const struct skr_label_levels *levels = source->levels ? source->levels : &racks;
    SKR_AUTO_FREE struct skr_label_findings *found = skr_alloc(sizeof *found);
    SKR_AUTO_FREE struct row *row = skr_alloc_array(n + 1, sizeof *row);
    SKR_AUTO_FREE const char **cell = skr_alloc_array(2 * n * levels->n + 1, sizeof *cell);
    struct derivation d = {.levels = levels,
                           .findings = found,
                           .cut = skr_arena_create(cut_bytes(levels, n), 0),
                           .row = row,
                           .cell = cell};
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *overlay =
        skr_label_levels_name_devices(levels) ? skr_arena_create(SIZE_MAX, 0) : NULL;
    const struct skr_labels *labels =
        overlay
            ? skr_device_levels_apply(levels, source->slice, source->n_slices, nodes, n, overlay)
            : NULL;
    skr_bug_on(!d.cut || (overlay && !labels));
    found->levels = *levels;
    found->n_nodes = n;
    read_rows(&d, nodes, n, labels);
    judge_levels(&d, n);
    choose_rows(&d, n);
    const bool flat = is_flat(&d, source);
    if (flat) {
        make_flat(&d, nodes, n);
    }
    if (d.n > 1) {
        qsort(d.row, d.n, sizeof d.row[0], by_place);
    }
    if (!flat) {
        find_crossings(&d);
    }
    int rc = build(&d, source, flat ? 0 : levels->n - found->first_level, ret, error);
    skr_arena_destroy(d.cut);
    if (rc == 0 && findings) {
        *findings = *found;
    }
    return rc;
}

/* ---- what is said about it ---- */

int32_t skr_label_findings_level(const struct skr_label_findings *findings,
                                 const struct skr_labels *labels)
{
    const struct skr_label_levels *levels = &findings->levels;
    int32_t missing = -1;
    bool any = false;
    for (size_t l = findings->first_level; l < levels->n; l++) {
        size_t length = 0;
        const bool has = skr_label_level_value(&levels->level[l], labels, &length);
        any = any || has;
        missing = missing < 0 && !has ? (int32_t)l : missing;
    }
    return levels->pad && any ? -1 : missing;
}

void skr_label_level_say_missing(const struct skr_label_level *level, size_t n, const char *first,
                                 struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%zu node%s left out: no ", n, n == 1 ? " is" : "s are");
    skr_label_level_say_labels(level, b);
    skr_strbuf_addf(b, " (level %s), first %s", level->name, first);
}

void skr_label_findings_each(const struct skr_label_findings *findings, skr_label_warning_fn *add,
                             void *context)
{
    SKR_STRBUF(text);
    for (size_t l = 0; l < findings->levels.n; l++) {
        if (findings->n_missing[l] > 0) {
            skr_strbuf_reset(&text);
            skr_label_level_say_missing(&findings->levels.level[l], findings->n_missing[l],
                                        findings->first_missing[l], &text);
            add(context, SKR_TOPOLOGY_LABEL_MISSING, text.s);
        }
    }
    for (size_t l = 0; l < findings->levels.n; l++) {
        if (findings->empty[l]) {
            skr_strbuf_reset(&text);
            skr_strbuf_add(&text, "no node has the ");
            skr_label_level_say_labels(&findings->levels.level[l], &text);
            skr_strbuf_addf(&text, " (level %s)", findings->levels.level[l].name);
            add(context, SKR_TOPOLOGY_EMPTY_LEVEL, text.s);
        }
    }
    for (size_t l = 0; l < findings->levels.n; l++) {
        const size_t n = findings->n_uneven[l];
        if (n > 0) {
            skr_strbuf_reset(&text);
            skr_strbuf_addf(&text, "%zu node%s devices with several values of ", n,
                            n == 1 ? " has" : "s have");
            skr_label_level_say_labels(&findings->levels.level[l], &text);
            skr_strbuf_addf(&text, " (level %s), first %s", findings->levels.level[l].name,
                            findings->first_uneven[l]);
            add(context, SKR_TOPOLOGY_UNEVEN, text.s);
        }
    }
    if (findings->n_crossing > 0) {
        skr_strbuf_reset(&text);
        skr_strbuf_add(&text, findings->crossing);
        if (findings->n_crossing > 1) {
            skr_strbuf_addf(&text, ", and so for %zu more", findings->n_crossing - 1);
        }
        add(context, SKR_TOPOLOGY_NOT_NESTED, text.s);
    }
}
