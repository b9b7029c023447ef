/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes go up in steps of 1024 for the resources that Kubernetes counts in bytes; everything else
 * is a plain number. */
#include "topology/amount_text.h"

#include <stdbool.h>
#include <string.h>

static bool is_bytes(const char *resource)
{
    return strcmp(resource, "memory") == 0 || strcmp(resource, "ephemeral-storage") == 0 ||
           strncmp(resource, "hugepages-", 10) == 0;
}

/* What follows the last '/'. */
static const char *short_name(const char *resource)
{
    const char *slash = strrchr(resource, '/');
    return slash && slash[1] ? slash + 1 : resource;
}

void skr_amount_add_label(struct skr_strbuf *out, const char *resource)
{
    for (const char *c = short_name(resource); *c; c++) {
        skr_strbuf_addc(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    }
}

/* amount / unit with at most one decimal, away from zero. */
static void add_ratio(struct skr_strbuf *out, int64_t amount, int64_t unit)
{
    uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
    uint64_t per = (uint64_t)unit;
    uint64_t whole = size / per, rest = size % per;
    uint64_t tenths = (rest * 10 + per - 1) / per; /* rest < 2^60: no overflow */
    if (tenths == 10) {
        whole++;
        tenths = 0;
    }
    skr_strbuf_addf(out, "%s%llu", amount < 0 ? "-" : "", (unsigned long long)whole);
    if (tenths > 0) {
        skr_strbuf_addf(out, ".%llu", (unsigned long long)tenths);
    }
}

void skr_amount_add_number(struct skr_strbuf *out, const char *resource, int64_t amount)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    if (strcmp(resource, "cpu") == 0) {
        add_ratio(out, amount, 1000);
        return;
    }
    if (!is_bytes(resource)) {
        skr_strbuf_add_int(out, amount);
        return;
    }
    size_t i = 0;
    int64_t per = 1;
    while (i + 1 < sizeof unit / sizeof *unit && (amount / per >= 1024 || amount / per <= -1024)) {
        per *= 1024;
        i++;
    }
    add_ratio(out, amount, per);
    skr_strbuf_addf(out, " %s", unit[i]);
}

void skr_amount_add(struct skr_strbuf *out, const char *resource, int64_t amount)
{
    skr_amount_add_number(out, resource, amount);
    skr_strbuf_addc(out, ' ');
    if (strcmp(resource, "cpu") == 0 || strcmp(short_name(resource), "gpu") == 0) {
        skr_amount_add_label(out, resource);
    } else if (strcmp(resource, "pods") == 0 || strcmp(resource, "places") == 0) {
        skr_strbuf_addn(out, resource, strlen(resource) - (amount == 1));
    } else {
        skr_strbuf_add(out, short_name(resource));
    }
}
