/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/picture_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "test/test.h"
#include "topology/base/arena.h"

/* Texts in the order of their bytes: numbers of subjects are those of an order of arrival. */
struct texts {
    char *item[256];
    size_t n;
};

static void keep(struct texts *texts, struct skr_strbuf *text)
{
    assert_true(texts->n < sizeof texts->item / sizeof *texts->item);
    texts->item[texts->n++] = skr_strbuf_take(text, NULL);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void write_sorted(struct texts *texts, const char *begin, const char *between,
                         struct skr_strbuf *out)
{
    qsort(texts->item, texts->n, sizeof *texts->item, by_text);
    for (size_t i = 0; i < texts->n; i++) {
        skr_strbuf_add(out, i > 0 ? between : begin);
        skr_strbuf_add(out, texts->item[i]);
        free(texts->item[i]);
    }
}

static int64_t number_at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

/* "zone-0/rack-1/", below the root. */
static void add_path(const json_t *domains, int64_t at, struct skr_strbuf *out)
{
    const json_t *domain = json_array_get(domains, (size_t)at);
    if (at > 0) {
        add_path(domains, number_at(domain, 0), out);
        skr_strbuf_addf(out, "%s/", json_string_value(json_array_get(domain, 1)));
    }
}

static void add_name(const json_t *subject, struct skr_strbuf *out)
{
    const char *namespace_ = json_string_value(json_object_get(subject, "namespace"));
    skr_strbuf_addf(out, "%s%s%s", namespace_, *namespace_ ? "/" : "",
                    json_string_value(json_object_get(subject, "name")));
}

static void add_place(const json_t *document, const json_t *node, struct skr_strbuf *out)
{
    const json_t *tree = json_object_get(document, "tree"), *seats = json_array_get(node, 6);
    struct texts texts = {.n = 0};
    skr_strbuf_add(out, "place ");
    add_path(json_object_get(tree, "domains"), number_at(node, 0), out);
    skr_strbuf_addf(out, "%s %s %lld/%lld slots %lld", json_string_value(json_array_get(node, 1)),
                    json_string_value(json_array_get(node, 2)), (long long)number_at(node, 4),
                    (long long)number_at(node, 3), (long long)number_at(node, 5));
    for (size_t k = 0; k < json_array_size(seats); k += 3) {
        SKR_STRBUF(seat);
        add_name(json_array_get(json_object_get(document, "groups"), (size_t)number_at(seats, k)),
                 &seat);
        skr_strbuf_addf(&seat, " %lld pods %lld", (long long)number_at(seats, k + 1),
                        (long long)number_at(seats, k + 2));
        keep(&texts, &seat);
    }
    write_sorted(&texts, ": ", ", ", out);
    skr_strbuf_addc(out, '\n');
}

static void add_subject(const json_t *subject, struct skr_strbuf *out)
{
    const char *reason = json_string_value(json_object_get(subject, "reason"));
    const char *detail = json_string_value(json_object_get(subject, "detail"));
    skr_strbuf_add(out, "subject ");
    add_name(subject, out);
    skr_strbuf_addf(out, " %s %lld/%lld", json_string_value(json_object_get(subject, "status")),
                    (long long)json_integer_value(json_object_get(subject, "bound")),
                    (long long)json_integer_value(json_object_get(subject, "size")));
    if (reason && *reason) {
        skr_strbuf_addf(out, " %s", reason);
    }
    if (detail) {
        skr_strbuf_addf(out, ": %s", detail);
    }
    skr_strbuf_addc(out, '\n');
}

void picture_text(const struct skr_picture *picture, struct skr_strbuf *out)
{
    SKR_STRBUF(text);
    struct texts texts = {.n = 0};
    size_t i;
    const json_t *item;
    skr_picture_write(picture, &text);
    json_auto_t *document = json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    json_array_foreach(json_object_get(json_object_get(document, "tree"), "nodes"), i, item)
    {
        add_place(document, item, out);
    }
    json_array_foreach(json_object_get(document, "groups"), i, item)
    {
        if (!json_is_null(item)) {
            SKR_STRBUF(line);
            add_subject(item, &line);
            keep(&texts, &line);
        }
    }
    write_sorted(&texts, "", "", out);
}
