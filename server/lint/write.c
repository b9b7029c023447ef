/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text, as JSON, as SARIF 2.1.0; all with the same facts in the same order. */
#include <string.h>

#include "server/lint/parts.h"
#include "server/version.h"
#include "topology/base/unshown.h"

static const char *severity(const struct lint_finding *f)
{
    return skr_lint_rules[f->rule].is_warning ? "warning" : "error";
}

static size_t count_files(const struct skr_lint *lint)
{
    size_t n = 0;
    for (size_t i = 0; i < lint->n_texts; i++) {
        n += lint->text[i]->name && !lint->text[i]->is_context ? 1 : 0;
    }
    return n;
}

/* ---- text ---- */

static void write_see(const struct lint_finding *f, struct skr_strbuf *out)
{
    if (f->see.line > 0) {
        const bool same = f->see_file == f->file;
        skr_strbuf_addf(out, " (see %s%s%zu:%zu)", same ? "" : f->see_file->name, same ? "" : ":",
                        f->see.line, f->see.column);
    }
}

static void write_line(const struct lint_finding *f, struct skr_strbuf *out)
{
    skr_strbuf_add(out, f->file->name);
    if (f->at.line > 0) {
        skr_strbuf_addf(out, ":%zu:%zu", f->at.line, f->at.column);
    }
    skr_strbuf_addf(out, ": %s: ", severity(f));
    /* One line a finding, whatever stands in the file. */
    for (const char *c = f->text; *c != '\0';) {
        size_t unshown = skr_unshown(c, NULL);
        skr_strbuf_addc(out, unshown > 0 ? '?' : *c);
        c += unshown > 0 ? unshown : 1;
    }
    write_see(f, out);
    skr_strbuf_addf(out, " [%s]\n", skr_lint_rules[f->rule].code);
}

static void write_count(struct skr_strbuf *out, size_t n, const char *what)
{
    skr_strbuf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

void skr_lint_write_text(const struct skr_lint *lint, struct skr_strbuf *out)
{
    if (skr_lint_count(lint) == 0) {
        return;
    }
    for (size_t i = 0; i < lint->n_findings; i++) {
        write_line(&lint->finding[i], out);
    }
    for (size_t i = 0; i < lint->n_texts; i++) {
        const struct lint_text *text = lint->text[i];
        if (text->n_findings > SKR_LINT_FINDINGS_MAX) {
            skr_strbuf_addf(out, "%s: %zu more findings left out\n", text->name,
                            text->n_findings - SKR_LINT_FINDINGS_MAX);
        }
    }
    write_count(out, count_files(lint), "file");
    skr_strbuf_add(out, ", ");
    write_count(out, lint->n_errors, "error");
    skr_strbuf_add(out, ", ");
    write_count(out, lint->n_warnings, "warning");
    skr_strbuf_add(out, "\n");
}

/* ---- JSON ---- */

static json_t *number(size_t n)
{
    return json_integer((json_int_t)n);
}

/* Cut texts may end within a character. */
static json_t *text_value(const char *text)
{
    size_t n = strlen(text);
    json_t *value = json_stringn(text, n);
    for (int i = 0; !value && i < 4 && n > 0; i++) {
        value = json_stringn(text, --n);
    }
    if (value) {
        return value;
    }
    SKR_STRBUF(copy);
    for (; *text != '\0'; text++) {
        skr_strbuf_addc(&copy, (unsigned char)*text < 0x80 ? *text : '?');
    }
    value = json_string(copy.s ? copy.s : "");
    return value;
}

static void write_json(json_t *value, struct skr_strbuf *out)
{
    SKR_AUTO_FREE char *text = json_dumps(value, JSON_INDENT(2));
    skr_bug_on(!text);
    skr_strbuf_addf(out, "%s\n", text);
    json_decref(value);
}

static json_t *finding_value(const struct lint_finding *f)
{
    json_t *value = json_object();
    json_object_set_new(value, "file", text_value(f->file->name));
    json_object_set_new(value, "line", number(f->at.line));
    json_object_set_new(value, "column", number(f->at.column));
    json_object_set_new(value, "severity", json_string(severity(f)));
    json_object_set_new(value, "code", json_string(skr_lint_rules[f->rule].code));
    json_object_set_new(value, "message", text_value(f->text));
    if (f->see.line > 0) {
        json_t *see = json_object();
        json_object_set_new(see, "file", text_value(f->see_file->name));
        json_object_set_new(see, "line", number(f->see.line));
        json_object_set_new(see, "column", number(f->see.column));
        json_object_set_new(value, "see", see);
    }
    return value;
}

void skr_lint_write_json(const struct skr_lint *lint, struct skr_strbuf *out)
{
    json_t *root = json_object(), *findings = json_array();
    for (size_t i = 0; i < lint->n_findings; i++) {
        json_array_append_new(findings, finding_value(&lint->finding[i]));
    }
    json_object_set_new(root, "findings", findings);
    json_object_set_new(root, "files", number(count_files(lint)));
    json_object_set_new(root, "errors", number(lint->n_errors));
    json_object_set_new(root, "warnings", number(lint->n_warnings));
    write_json(root, out);
}

/* ---- SARIF ---- */

static json_t *message(const char *text)
{
    json_t *value = json_object();
    json_object_set_new(value, "text", text_value(text));
    return value;
}

/* A path as a URI: what has a meaning there is escaped. */
static json_t *uri(const char *path)
{
    SKR_STRBUF(out);
    for (; *path != '\0'; path++) {
        const unsigned char c = (unsigned char)*path;
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                           (c >= 'a' && c <= 'z') || strchr("/-._~", c);
        if (plain) {
            skr_strbuf_addc(&out, (char)c);
        } else {
            skr_strbuf_addf(&out, "%%%02X", c);
        }
    }
    return json_string(out.s ? out.s : "");
}

static json_t *location(const struct lint_text *file, struct skr_yaml_mark at)
{
    json_t *physical = json_object(), *artifact = json_object(), *value = json_object();
    json_object_set_new(artifact, "uri", uri(file->name));
    json_object_set_new(physical, "artifactLocation", artifact);
    if (at.line > 0) {
        json_t *region = json_object();
        json_object_set_new(region, "startLine", number(at.line));
        json_object_set_new(region, "startColumn", number(at.column));
        json_object_set_new(physical, "region", region);
    }
    json_object_set_new(value, "physicalLocation", physical);
    return value;
}

static json_t *list_of(json_t *one)
{
    json_t *list = json_array();
    json_array_append_new(list, one);
    return list;
}

static json_t *result_value(const struct lint_finding *f)
{
    json_t *value = json_object();
    json_object_set_new(value, "ruleId", json_string(skr_lint_rules[f->rule].code));
    json_object_set_new(value, "ruleIndex", number(f->rule));
    json_object_set_new(value, "level", json_string(severity(f)));
    json_object_set_new(value, "message", message(f->text));
    json_object_set_new(value, "locations", list_of(location(f->file, f->at)));
    if (f->see.line > 0) {
        json_t *related = location(f->see_file, f->see);
        json_object_set_new(related, "message", message("see"));
        json_object_set_new(value, "relatedLocations", list_of(related));
    }
    return value;
}

static json_t *driver_value(void)
{
    json_t *driver = json_object(), *rules = json_array();
    for (size_t i = 0; i < skr_lint_rule_count; i++) {
        const struct skr_lint_rule *rule = &skr_lint_rules[i];
        json_t *value = json_object(), *level = json_object();
        json_object_set_new(value, "id", json_string(rule->code));
        json_object_set_new(value, "shortDescription", message(rule->text));
        json_object_set_new(value, "help", message(rule->cure));
        json_object_set_new(level, "level", json_string(rule->is_warning ? "warning" : "error"));
        json_object_set_new(value, "defaultConfiguration", level);
        json_array_append_new(rules, value);
    }
    json_object_set_new(driver, "name", json_string("sakkara lint"));
    json_object_set_new(driver, "version", json_string(skr_version));
    json_object_set_new(driver, "rules", rules);
    return driver;
}

void skr_lint_write_sarif(const struct skr_lint *lint, struct skr_strbuf *out)
{
    json_t *root = json_object(), *run = json_object(), *tool = json_object();
    json_t *results = json_array();
    for (size_t i = 0; i < lint->n_findings; i++) {
        json_array_append_new(results, result_value(&lint->finding[i]));
    }
    json_object_set_new(tool, "driver", driver_value());
    json_object_set_new(run, "tool", tool);
    json_object_set_new(run, "columnKind", json_string("unicodeCodePoints"));
    json_object_set_new(run, "results", results);
    json_object_set_new(root, "$schema",
                        json_string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                                    "schemas/sarif-schema-2.1.0.json"));
    json_object_set_new(root, "version", json_string("2.1.0"));
    json_object_set_new(root, "runs", list_of(run));
    write_json(root, out);
}
