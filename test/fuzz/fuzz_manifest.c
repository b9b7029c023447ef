/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of objects, YAML or JSON. What is read has an apiVersion and a kind, and is read again from
 * its JSON; what is refused has a position in the file. Every field of an object is found in the
 * text when a check refuses it.
 */
#include "server/manifest/manifest.h"
#include "test/fuzz/fuzz.h"

enum { TREE_MAX = 20000 };

/* "f:LINE:COLUMN: ...", or about the file as a whole. libyaml counts NEL, LS, PS as line ends. */
static void check_line(const char *line, size_t size)
{
    char *end;
    fuzz_check(strncmp(line, "f:", 2) == 0);
    if (line[2] == ' ') {
        return;
    }
    size_t n = strtoul(line + 2, &end, 10);
    fuzz_check(*end == ':' && n >= 1 && n <= size + 1);
    size_t column = strtoul(end + 1, &end, 10);
    fuzz_check(*end == ':' && column >= 1 && column <= size + 1);
    fuzz_check(end[1] == ' ' && end[2] != '\0' && end[2] != '\n');
}

static void check_errors(struct skr_strbuf *errors, int rc, size_t size)
{
    fuzz_check((rc < 0) == (errors->len > 0));
    char *line = errors->s;
    while (line && *line && strncmp(line, "and ", 4) != 0) {
        check_line(line, size);
        line = strchr(line, '\n');
        line += line ? 1 : 0;
    }
}

/* Refuses a field that is there: the deepest one, first member or element all the way. */
static int refuse_deepest(void *context, const json_t *object, struct skr_error *error)
{
    char path[128];
    size_t n = 0;
    (void)context;
    const json_t *at = object;
    while (n < 64) {
        if (json_is_array(at) && json_array_size(at) > 0) {
            n += (size_t)snprintf(path + n, sizeof path - n, "[%zu]", json_array_size(at) - 1);
            at = json_array_get(at, json_array_size(at) - 1);
            continue;
        }
        void *first = json_object_iter((json_t *)(uintptr_t)at);
        const char *key = first ? json_object_iter_key(first) : "";
        if (key[0] == '\0' || strlen(key) > 20 || strpbrk(key, ": .")) {
            break;
        }
        n += (size_t)snprintf(path + n, sizeof path - n, "%s%s", n > 0 ? "." : "", key);
        at = json_object_iter_value(first);
    }
    path[n] = '\0';
    return skr_error_set_key(error, SKR_INVALID, n > 0 ? path : "x", "no");
}

/* The objects again from their JSON, one after the other. */
static void check_again(const struct skr_manifests *m)
{
    SKR_STRBUF(text);
    SKR_STRBUF(errors);
    struct skr_manifests again;
    skr_manifests_init(&again);
    for (size_t i = 0; i < m->n; i++) {
        SKR_AUTO_FREE char *json = json_dumps(m->item[i].object, 0);
        fuzz_check(json);
        skr_strbuf_addf(&text, "%s\n", json);
    }
    int rc = skr_manifests_parse(&again, "f", text.s ? text.s : "", text.len, NULL, NULL, &errors);
    fuzz_check(rc == 0 && errors.len == 0 && again.n == m->n);
    for (size_t i = 0; i < m->n; i++) {
        fuzz_check(json_equal(m->item[i].object, again.item[i].object));
    }
    skr_manifests_fini(&again);
}

static void check_objects(const struct skr_manifests *m, size_t size)
{
    size_t values = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct skr_manifest *one = &m->item[i];
        fuzz_check(json_string_length(json_object_get(one->object, "kind")) > 0);
        fuzz_check(json_string_length(json_object_get(one->object, "apiVersion")) > 0);
        fuzz_check(one->line >= 1 && one->line <= size + 1);
        fuzz_check(one->column >= 1 && one->column <= size + 1);
        values += json_object_size(one->object);
    }
    if (values < TREE_MAX) {
        check_again(m);
    }
}

static void read_text(const char *text, size_t size, skr_manifest_check *check)
{
    struct skr_manifests m;
    SKR_STRBUF(errors);
    skr_manifests_init(&m);
    int rc = skr_manifests_parse(&m, "f", text, size, check, NULL, &errors);
    fuzz_check(rc == 0 || rc == -SKR_INVALID || rc == -SKR_LIMIT);
    check_errors(&errors, rc, size);
    fuzz_check(!check || m.n == 0);
    check_objects(&m, size);
    skr_manifests_fini(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    read_text(text, size, NULL);
    read_text(text, size, refuse_deepest);
    return 0;
}
