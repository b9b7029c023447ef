/* SPDX-License-Identifier: Apache-2.0 */
/* The spot mix: workloads as a table, one of them with its pods and why they are what they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/json_field.h"

static const char *short_kind(const char *kind)
{
    return strcmp(kind, "Deployment") == 0    ? "deploy"
           : strcmp(kind, "StatefulSet") == 0 ? "sts"
                                              : "rs";
}

static void add_max(struct skr_text_table *t, const json_t *row)
{
    char text[24] = "all";
    if (json_is_integer(json_object_get(row, "max"))) {
        (void)snprintf(text, sizeof text, "%" PRId64, skr_page_int(row, "max"));
    }
    skr_text_table_add(t, text, SKR_HUE_NONE);
}

static void add_class(struct skr_text_table *t, const json_t *row, const char *key)
{
    const json_t *count = json_object_get(row, key);
    const int64_t actual = skr_page_int(count, "actual"), desired = skr_page_int(count, "desired");
    char text[48];
    (void)snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, actual, desired);
    skr_text_table_add(t, text, actual == desired ? SKR_HUE_GOOD : SKR_HUE_BUSY);
}

static void add_number(struct skr_text_table *t, int64_t n, enum skr_hue hue)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, n);
    skr_text_table_add(t, text, hue);
}

static void add_workload(struct skr_text_table *t, const json_t *row)
{
    const int64_t drift = skr_page_int(row, "drift");
    const char *reason = skr_object_text(row, "reason");
    SKR_STRBUF(name);

    skr_strbuf_addf(&name, "%s/%s", short_kind(skr_object_text(row, "kind")),
                    skr_object_text(row, "name"));
    skr_text_table_add(t, skr_object_text(row, "namespace"), SKR_HUE_NONE);
    skr_text_table_add(t, name.s, SKR_HUE_NONE);
    add_max(t, row);
    add_class(t, row, "onDemand");
    add_class(t, row, "spot");
    add_number(t, drift, drift > 0 ? SKR_HUE_BAD : SKR_HUE_NONE);
    skr_text_table_add(t, reason, *reason != '\0' ? SKR_HUE_BAD : SKR_HUE_DIM);
}

static void add_header(struct skr_text_table *t, const char *const *title)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        skr_text_table_add(t, title[i], SKR_HUE_NONE);
    }
}

void skr_render_spotmix(const json_t *page, const char *namespace_, const struct skr_render *how,
                        struct skr_strbuf *out)
{
    static const char *const title[] = {"NAMESPACE", "WORKLOAD", "MAX",   "ON-DEMAND",
                                        "SPOT",      "DRIFT",    "REASON"};
    struct skr_text_table t;
    const json_t *row;
    size_t i;
    skr_text_table_init(&t, sizeof title / sizeof title[0], how->coloured);
    if (!how->no_headers) {
        add_header(&t, title);
    }
    json_array_foreach(skr_page_list(page, "workloads"), i, row)
    {
        if (!namespace_ || strcmp(namespace_, skr_object_text(row, "namespace")) == 0) {
            add_workload(&t, row);
        }
    }
    skr_text_table_write(&t, out);
    skr_text_table_fini(&t);
}

/* ---- one ---- */

static void write_counts(const json_t *page, const char *key, const char *name,
                         struct skr_strbuf *out)
{
    const json_t *count = json_object_get(page, key);
    skr_strbuf_addf(out, "  %-10s %" PRId64 " of %" PRId64 "\n", name,
                    skr_page_int(count, "actual"), skr_page_int(count, "desired"));
}

static void write_head(const json_t *page, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%s/%s in ", short_kind(skr_object_text(page, "kind")),
                    skr_object_text(page, "name"));
    skr_page_add_clean(out, skr_object_text(page, "namespace"), true);
    if (json_is_integer(json_object_get(page, "max"))) {
        skr_strbuf_addf(out, ", at most %" PRId64 " on-demand\n", skr_page_int(page, "max"));
    } else {
        skr_strbuf_add(out, ", all on-demand\n");
    }
    write_counts(page, "onDemand", "on-demand", out);
    write_counts(page, "spot", "spot", out);
    skr_strbuf_addf(out, "  %-10s %" PRId64 "\n", "drift", skr_page_int(page, "drift"));
    if (*skr_object_text(page, "reason") != '\0') {
        skr_strbuf_addf(out, "  %-10s %s\n", "reason", skr_object_text(page, "reason"));
    }
    skr_strbuf_addf(out, "  %-10s ", "next");
    skr_page_add_clean(out, skr_object_text(page, "next"), false);
    skr_strbuf_add(out, "\n\n");
}

static void add_pod(struct skr_text_table *t, const json_t *pod)
{
    const char *class_ = skr_object_text(pod, "class");
    SKR_STRBUF(why);

    skr_page_add_clean(&why, skr_object_text(pod, "why"), false);
    skr_text_table_add(t, skr_object_text(pod, "name"), SKR_HUE_NONE);
    if (json_is_integer(json_object_get(pod, "index"))) {
        add_number(t, skr_page_int(pod, "index"), SKR_HUE_NONE);
    } else {
        skr_text_table_add(t, "", SKR_HUE_DIM);
    }
    skr_text_table_add(t, class_, strcmp(class_, "spot") == 0 ? SKR_HUE_BUSY : SKR_HUE_GOOD);
    skr_text_table_add(t, skr_object_text(pod, "cost"), SKR_HUE_NONE);
    skr_text_table_add(t, skr_object_text(pod, "node"), SKR_HUE_NONE);
    skr_text_table_add_drawn(t, why.s, SKR_HUE_NONE);
}

void skr_render_spotmix_one(const json_t *page, const struct skr_render *how,
                            struct skr_strbuf *out)
{
    static const char *const title[] = {"POD", "INDEX", "CLASS", "COST", "NODE", "WHY"};
    struct skr_text_table t;
    const json_t *pod;
    size_t i;
    write_head(page, out);
    skr_text_table_init(&t, sizeof title / sizeof title[0], how->coloured);
    t.sentences = true;
    if (!how->no_headers) {
        add_header(&t, title);
    }
    json_array_foreach(skr_page_list(page, "pods"), i, pod)
    {
        add_pod(&t, pod);
    }
    skr_text_table_write(&t, out);
    skr_text_table_fini(&t);
}
