/* SPDX-License-Identifier: Apache-2.0 */
/* Field selectors: which fields each kind has, and their text. */
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "server/object/selector_state.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

struct field {
    const char *kind;  /* NULL: of every kind */
    const char *label; /* in the selector */
    const char *path;  /* in the stored object */
    const char *zero;  /* what an absent value is */
};

static const struct field fields[] = {
    {NULL, "metadata.name", "metadata.name", ""},
    {NULL, "metadata.namespace", "metadata.namespace", ""},
    {"Pod", "spec.nodeName", "spec.nodeName", ""},
    {"Pod", "spec.restartPolicy", "spec.restartPolicy", ""},
    {"Pod", "spec.schedulerName", "spec.schedulerName", ""},
    {"Pod", "spec.serviceAccountName", "spec.serviceAccountName", ""},
    {"Pod", "spec.hostNetwork", "spec.hostNetwork", "false"},
    {"Pod", "status.phase", "status.phase", ""},
    {"Pod", "status.podIP", "status.podIP", ""},
    {"Pod", "status.nominatedNodeName", "status.nominatedNodeName", ""},
    {"Node", "spec.unschedulable", "spec.unschedulable", "false"},
    {"Namespace", "status.phase", "status.phase", ""},
    {"Secret", "type", "type", ""},
    {"Job", "status.successful", "status.succeeded", "0"},
    {"Event", "involvedObject.kind", "involvedObject.kind", ""},
    {"Event", "involvedObject.namespace", "involvedObject.namespace", ""},
    {"Event", "involvedObject.name", "involvedObject.name", ""},
    {"Event", "involvedObject.uid", "involvedObject.uid", ""},
    {"Event", "involvedObject.apiVersion", "involvedObject.apiVersion", ""},
    {"Event", "involvedObject.resourceVersion", "involvedObject.resourceVersion", ""},
    {"Event", "involvedObject.fieldPath", "involvedObject.fieldPath", ""},
    {"Event", "regarding.kind", "involvedObject.kind", ""},
    {"Event", "regarding.namespace", "involvedObject.namespace", ""},
    {"Event", "regarding.name", "involvedObject.name", ""},
    {"Event", "regarding.uid", "involvedObject.uid", ""},
    {"Event", "reason", "reason", ""},
    {"Event", "reportingComponent", "reportingComponent", ""},
    {"Event", "reportingController", "reportingComponent", ""},
    {"Event", "source", "source.component", ""},
    {"Event", "type", "type", ""},
};

static const struct field *find_field(const char *kind, const char *label)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if ((!fields[i].kind || strcmp(fields[i].kind, kind) == 0) &&
            strcmp(fields[i].label, label) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

const char *skr_selector_field_value(const struct requirement *r, const json_t *object,
                                     char number[24])
{
    const struct field *field = find_field(skr_path_text(object, "kind"), r->key);
    if (!field) {
        return NULL;
    }
    const char *value = skr_path_scalar(object, field->path, number);
    return *value != '\0' ? value : field->zero;
}

/* Up to the next comma that no backslash protects; the escapes are taken out. */
static char *take_field_value(const char **at)
{
    SKR_STRBUF(value);
    for (; **at != '\0' && **at != ','; ++*at) {
        if (**at == '\\' && (*at)[1] != '\0') {
            ++*at;
        }
        skr_strbuf_addc(&value, **at);
    }
    return skr_strbuf_take(&value, NULL);
}

static int parse_field(struct skr_selector *s, const char **at, const char *kind,
                       struct skr_error *error)
{
    const size_t n = strcspn(*at, "=!,");
    char *label = skr_selector_copy(*at, n);
    enum operator op = IN;
    *at += n;
    if (strncmp(*at, "!=", 2) == 0) {
        op = NOT_IN;
        *at += 2;
    } else if (**at == '=') {
        *at += (*at)[1] == '=' ? 2 : 1;
    } else {
        const int rc =
            skr_error_set(error, SKR_INVALID,
                          "invalid selector: '%.100s'; can't understand '%.100s'", label, label);
        free(label);
        return rc;
    }
    const struct field *field = find_field(kind, label);
    if (!field) {
        const int rc =
            skr_error_set(error, SKR_INVALID, "field label not supported: %.150s", label);
        free(label);
        return rc;
    }
    free(label);
    skr_selector_add_value(skr_selector_add(s, skr_strdup(field->label), op), take_field_value(at));
    return 0;
}

int skr_selector_parse_fields(const char *text, const char *kind, struct skr_selector **ret,
                              struct skr_error *error)
{
    int rc = skr_selector_check_length(text, error);
    if (rc != 0) {
        return rc;
    }
    struct skr_selector *s = skr_alloc(sizeof *s);
    s->fields = true;
    for (const char *at = text; *at != '\0' && rc == 0;) {
        rc = s->n < SKR_SELECTOR_PARTS_MAX
                 ? parse_field(s, &at, kind, error)
                 : skr_error_set(error, SKR_LIMIT, "selector: more than %d requirements",
                                 SKR_SELECTOR_PARTS_MAX);
        at += rc == 0 && *at == ',';
    }
    return skr_selector_finish(s, rc, ret);
}
