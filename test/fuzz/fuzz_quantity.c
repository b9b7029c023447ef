/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities. Whole units and thousandths of one text are two answers about one number, so each
 * checks the other; zeros in front and a sign change what they should; what is read is read again
 * from its decimal text.
 */
#include <inttypes.h>

#include "test/fuzz/fuzz.h"
#include "topology/quantity.h"
#include "topology/resources.h"

struct reading {
    int rc;
    int64_t value;
};

typedef int parse_fn(const char *text, int64_t *ret, struct skr_error *error);

static struct reading read_with(parse_fn *parse, const char *text)
{
    struct skr_error error;
    struct reading r = {.value = 4711};
    r.rc = parse(text, &r.value, &error);
    fuzz_check_rc(r.rc, &error);
    if (r.rc < 0) {
        fuzz_check(r.value == 4711);
        fuzz_check(error.text[strcspn(error.text, "0123456789")] != '\0'); /* where, or how large */
    }
    return r;
}

static void same(struct reading a, struct reading b)
{
    fuzz_check(a.rc == b.rc && a.value == b.value);
}

/* The text with a piece put in behind its sign. */
static void check_edited(parse_fn *parse, const char *text, struct reading want)
{
    size_t n = strlen(text);
    SKR_AUTO_FREE char *edited = fuzz_text((const uint8_t *)"", 0);
    bool sign = *text == '-' || *text == '+';
    edited = realloc(edited, n + 8);
    fuzz_check(edited);
    if (want.rc != 0) {
        return;
    }
    snprintf(edited, n + 8, "%.*s00%s", (int)sign, text, text + sign);
    same(read_with(parse, edited), want);
    snprintf(edited, n + 8, "%s%s", *text == '-' ? "" : "-", text + sign);
    struct reading turned = read_with(parse, edited);
    fuzz_check(turned.rc == 0 && turned.value == -want.value);
}

static void check_again(struct reading whole)
{
    char decimal[24];
    snprintf(decimal, sizeof decimal, "%" PRId64, whole.value);
    same(read_with(skr_quantity_parse, decimal), whole);
}

static void check_as_resource(const char *text, struct reading whole, struct reading milli)
{
    struct skr_error error;
    int64_t amount;
    int rc = skr_resource_parse("cpu", text, &amount, &error);
    fuzz_check_rc(rc, &error);
    fuzz_check((rc == 0) == (milli.rc == 0 && milli.value >= 0));
    fuzz_check(rc != 0 || amount == milli.value);
    rc = skr_resource_parse("memory", text, &amount, &error);
    fuzz_check_rc(rc, &error);
    fuzz_check((rc == 0) == (whole.rc == 0 && whole.value >= 0));
    fuzz_check(rc != 0 || amount == whole.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    struct reading whole = read_with(skr_quantity_parse, text);
    struct reading milli = read_with(skr_quantity_parse_milli, text);
    fuzz_check(whole.rc == milli.rc);
    if (milli.rc == 0 && milli.value != INT64_MAX && milli.value != -INT64_MAX) {
        /* rounded away from zero, both */
        fuzz_check(whole.value ==
                   milli.value / 1000 + (milli.value % 1000 > 0) - (milli.value % 1000 < 0));
    }
    check_edited(skr_quantity_parse, text, whole);
    check_edited(skr_quantity_parse_milli, text, milli);
    if (whole.rc == 0) {
        check_again(whole);
    }
    check_as_resource(text, whole, milli);
    return 0;
}
