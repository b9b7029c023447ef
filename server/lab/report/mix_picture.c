/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by workload, then by node. */
#include "server/lab/report/mix_picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"
#include "topology/base/arena.h"

enum { BAR_MAX = 24, NODES_MAX = 64 };

static const char *const kinds[] = {[SKR_SPOTMIX_DEPLOYMENT] = "Deployment",
                                    [SKR_SPOTMIX_REPLICA_SET] = "ReplicaSet",
                                    [SKR_SPOTMIX_STATEFUL_SET] = "StatefulSet"};

/* Waiting pods come last. */
static int by_node(const void *a, const void *b)
{
    const struct skr_spotmix_pod_row *x = a, *y = b;
    const bool waits = *x->node == '\0', other_waits = *y->node == '\0';
    const int rc = waits != other_waits ? waits - other_waits : strcmp(x->node, y->node);
    return rc != 0 ? rc : strcmp(x->name, y->name);
}

/* One cell per pod. */
static void write_cells(size_t n, bool spot, bool ascii, struct skr_strbuf *out)
{
    const char *cell = ascii ? (spot ? "." : "#") : spot ? "▒" : "█";
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(out, cell);
    }
}

static void write_bar(size_t n, bool spot, bool ascii, struct skr_strbuf *out)
{
    const size_t cells = n < BAR_MAX ? n : BAR_MAX;
    write_cells(cells, spot, ascii, out);
    skr_strbuf_add(out, n > BAR_MAX ? "+" : " ");
    skr_page_pad(out, BAR_MAX - cells);
}

/* Nodes with the number of their pods; rows are sorted by node. */
static void write_nodes(const struct skr_spotmix_pod_row *pod, size_t n,
                        enum skr_spotmix_class class_, struct skr_strbuf *out)
{
    const char *gap = "  ";
    for (size_t i = 0; i < n;) {
        size_t there = 0, next = i;
        for (; next < n && strcmp(pod[next].node, pod[i].node) == 0; next++) {
            there += pod[next].class_ == class_;
        }
        if (there > 0) {
            skr_strbuf_addf(out, "%s%s %zu", gap, *pod[i].node != '\0' ? pod[i].node : "waiting",
                            there);
            gap = ", ";
        }
        i = next;
    }
    skr_strbuf_addc(out, '\n');
}

static void write_workload(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                           bool ascii, struct skr_strbuf *out)
{
    struct skr_spotmix_pod_row *pod;
    const size_t n = skr_spotmix_pod_rows(mix, row->key, &pod);
    if (n > 0) {
        qsort(pod, n, sizeof *pod, by_node);
    }
    skr_strbuf_addf(out, "%s %s/%s", kinds[row->kind], row->namespace_, row->name);
    if (row->rule.all) {
        skr_strbuf_add(out, ", all on-demand");
    } else {
        skr_strbuf_addf(out, ", at most %" PRId32 " on-demand", row->rule.max);
    }
    skr_strbuf_addf(out, "%s%s\n", row->reason ? "  " : "", row->reason ? row->reason : "");
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        const enum skr_spotmix_class class_ = (enum skr_spotmix_class)i;
        skr_strbuf_addf(out, "  %-9s  ", skr_spotmix_class_name[class_]);
        write_bar(row->actual[i], class_ == SKR_SPOTMIX_SPOT, ascii, out);
        skr_strbuf_addf(out, " %zu of %" PRId64, row->actual[i], row->desired[i]);
        write_nodes(pod, n, class_, out);
    }
    free(pod);
}

/* ---- nodes ---- */

/* A pod and its owner. */
struct seat {
    const char *node; /* "": it waits */
    const char *namespace_, *name;
    enum skr_spotmix_class class_;
};

struct seats {
    struct seat *item;
    size_t n, cap;
};

static int by_seat(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    int rc = strcmp(x->node, y->node);
    rc = rc != 0 ? rc : strcmp(x->namespace_, y->namespace_);
    return rc != 0 ? rc : strcmp(x->name, y->name);
}

static void collect(const struct skr_spotmix *mix, const struct skr_spotmix_row *row, size_t n,
                    struct seats *ret)
{
    for (size_t i = 0; i < n; i++) {
        struct skr_spotmix_pod_row *pod;
        const size_t pods = skr_spotmix_pod_rows(mix, row[i].key, &pod);
        for (size_t k = 0; k < pods; k++) {
            skr_grow(&ret->item, &ret->cap, ret->n + 1, sizeof *ret->item);
            ret->item[ret->n++] =
                (struct seat){pod[k].node, row[i].namespace_, row[i].name, pod[k].class_};
        }
        free(pod);
    }
    if (ret->n > 0) {
        qsort(ret->item, ret->n, sizeof *ret->item, by_seat);
    }
}

/* The first seat on this node; n_ret: how many there are. */
static const struct seat *find(const struct seats *seats, const char *node, size_t *n_ret)
{
    size_t low = 0, high = seats->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(seats->item[middle].node, node) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (high = low; high < seats->n && strcmp(seats->item[high].node, node) == 0;) {
        high++;
    }
    *n_ret = high - low;
    return seats->item + low;
}

/* "shop/db 1, shop/web 2" */
static void write_owners(const struct seat *seat, size_t n, struct skr_strbuf *out)
{
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && strcmp(seat[next].namespace_, seat[i].namespace_) == 0 &&
                       strcmp(seat[next].name, seat[i].name) == 0;) {
            next++;
        }
        skr_strbuf_addf(out, "%s%s/%s %zu", i > 0 ? ", " : "  ", seat[i].namespace_, seat[i].name,
                        next - i);
    }
    skr_strbuf_addc(out, '\n');
}

/* Widths of the columns. */
struct widths {
    size_t node, bar;
};

static void write_node(const struct seats *seats, const struct skr_spotmix_node_row *node,
                       const struct widths *width, bool ascii, struct skr_strbuf *out)
{
    size_t n, n_spot = 0;
    const struct seat *seat = find(seats, node->name, &n);
    const size_t cells = n < width->bar ? n : width->bar;
    for (size_t i = 0; i < cells; i++) {
        n_spot += seat[i].class_ == SKR_SPOTMIX_SPOT;
    }
    skr_strbuf_addf(out, "%-*s  %-9s  ", (int)width->node, node->name,
                    skr_spotmix_class_name[node->class_]);
    if (n == 0) {
        skr_strbuf_add(out, "-\n");
        return;
    }
    write_cells(cells - n_spot, false, ascii, out);
    write_cells(n_spot, true, ascii, out);
    skr_strbuf_add(out, n > cells ? "+" : "");
    skr_page_pad(out, width->bar - cells + (n <= cells && width->bar == BAR_MAX));
    write_owners(seat, n, out);
}

static struct widths measure(const struct skr_spotmix_node_row *node, size_t n)
{
    struct widths width = {.node = strlen("NODE"), .bar = 1};
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(node[i].name);
        width.node = length > width.node ? length : width.node;
        width.bar = node[i].pods > width.bar ? node[i].pods : width.bar;
    }
    width.bar = width.bar < BAR_MAX ? width.bar : BAR_MAX;
    return width;
}

/* If there are many nodes: only those with pods. */
static void write_all(const struct seats *seats, const struct skr_spotmix_node_row *node, size_t n,
                      bool ascii, struct skr_strbuf *out)
{
    const struct widths width = measure(node, n);
    size_t left_out = 0, shown = 0;
    skr_strbuf_addf(out, "%-*s  %-9s  PODS\n", (int)width.node, "NODE", "CLASS");
    for (size_t i = 0; i < n; i++) {
        if (shown < NODES_MAX && (n <= NODES_MAX || node[i].pods > 0)) {
            write_node(seats, &node[i], &width, ascii, out);
            shown++;
        } else {
            left_out++;
        }
    }
    if (left_out > 0) {
        skr_strbuf_addf(out, "and %zu more node%s of a class\n", left_out,
                        left_out == 1 ? "" : "s");
    }
}

void skr_mix_picture_draw(const struct skr_spotmix *mix, bool ascii, struct skr_strbuf *out)
{
    struct skr_spotmix_row *row;
    struct skr_spotmix_node_row *node;
    struct seats seats = {0};
    const size_t n = skr_spotmix_rows(mix, &row);
    const size_t nodes = skr_spotmix_node_rows(mix, &node);
    for (size_t i = 0; i < n; i++) {
        write_workload(mix, &row[i], ascii, out);
    }
    if (n > 0 && nodes > 0) {
        collect(mix, row, n, &seats);
        write_all(&seats, node, nodes, ascii, out);
    }
    free(seats.item);
    free(node);
    free(row);
}
