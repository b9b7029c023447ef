/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors. The first byte says what the first part is: the text of a label selector, of a field
 * selector of some kind, or a LabelSelector in JSON. The second part is an object to hold against
 * it. A JSON selector written as text selects the same.
 */
#include "server/object/selector.h"
#include "test/fuzz/fuzz.h"
#include "topology/base/strbuf.h"

enum form { LABELS, FIELDS, JSON, FORM_COUNT };

static const char *const kinds[] = {"Pod", "Node", "Event", "Job", "ConfigMap", "Nothing"};

static void check_parsed(int rc, const struct skr_selector *selector, const struct skr_error *error)
{
    fuzz_check_rc(rc, error);
    fuzz_check((rc == 0) == (!!selector));
}

/* The same answer twice. */
static bool match(const struct skr_selector *selector, const json_t *object)
{
    bool matches = skr_selector_matches(selector, object);
    fuzz_check(skr_selector_matches(selector, object) == matches);
    return matches;
}

/* ---- JSON as text ---- */

static void write_requirement(const json_t *requirement, struct skr_strbuf *out)
{
    const char *key = json_string_value(json_object_get(requirement, "key"));
    const char *op = json_string_value(json_object_get(requirement, "operator"));
    const json_t *values = json_object_get(requirement, "values");
    bool negated = strcmp(op, "NotIn") == 0 || strcmp(op, "DoesNotExist") == 0;
    bool exists = strcmp(op, "Exists") == 0 || strcmp(op, "DoesNotExist") == 0;
    skr_strbuf_addf(out, "%s%s%s", out->len > 0 ? "," : "", exists && negated ? "!" : "", key);
    if (exists) {
        return;
    }
    skr_strbuf_add(out, negated ? " notin (" : " in (");
    for (size_t i = 0; i < json_array_size(values); i++) {
        skr_strbuf_addf(out, "%s%s", i > 0 ? "," : "",
                        json_string_value(json_array_get(values, i)));
    }
    skr_strbuf_add(out, ")");
}

static void write_text(const json_t *json, struct skr_strbuf *out)
{
    const json_t *labels = json_object_get(json, "matchLabels");
    const json_t *requirements = json_object_get(json, "matchExpressions");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)labels, key, value)
    {
        skr_strbuf_addf(out, "%s%s=%s", out->len > 0 ? "," : "", key, json_string_value(value));
    }
    for (size_t i = 0; i < json_array_size(requirements); i++) {
        write_requirement(json_array_get(requirements, i), out);
    }
}

static void check_text(const json_t *json, const json_t *object, bool matches)
{
    SKR_STRBUF(text);
    struct skr_error error;
    SKR_AUTO(skr_selector_destroy) struct skr_selector *selector = NULL;
    write_text(json, &text);
    int rc = skr_selector_parse_labels(text.s ? text.s : "", &selector, &error);
    check_parsed(rc, selector, &error);
    fuzz_check(rc == 0 || rc == -SKR_LIMIT);
    fuzz_check(rc < 0 || match(selector, object) == matches);
}

static void check_json(const char *text, const json_t *object)
{
    struct skr_selector *selector = NULL;
    struct skr_error error;
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    if (!json) {
        return;
    }
    int rc = skr_selector_of_json(json, "spec.selector", &selector, &error);
    check_parsed(rc, selector, &error);
    if (rc == 0) {
        bool matches = match(selector, object);
        fuzz_check(skr_selector_matches_labels(
                       selector, json_object_get(json_object_get(object, "metadata"), "labels")) ==
                   matches);
        if (json_is_object(json)) {
            check_text(json, object, matches);
        }
    }
    skr_selector_destroy(selector);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[2];
    SKR_AUTO(skr_selector_destroy) struct skr_selector *selector = NULL;
    struct skr_error error;
    if (size == 0) {
        return 0;
    }
    SKR_AUTO_FREE char *text = fuzz_text(data + 1, size - 1);
    size_t n = fuzz_split(text, part, 2);
    json_auto_t *object = n > 1 ? json_loads(part[1], 0, NULL) : NULL;
    enum form form = (enum form)(data[0] % FORM_COUNT);
    const char *kind = kinds[data[0] / FORM_COUNT % (sizeof kinds / sizeof kinds[0])];
    if (form == JSON) {
        check_json(part[0], object);
    } else {
        int rc = form == LABELS ? skr_selector_parse_labels(part[0], &selector, &error)
                                : skr_selector_parse_fields(part[0], kind, &selector, &error);
        check_parsed(rc, selector, &error);
        if (rc == 0) {
            match(selector, object);
        }
    }
    return 0;
}
