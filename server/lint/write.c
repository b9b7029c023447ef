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

static json_t *place_value(const struct lint_text *file, struct skr_yaml_mark at)
{
    return json_pack("{s:o, s:o, s:o}", "file", text_value(file->name), "line", number(at.line),
                     "column", number(at.column));
}

static json_t *finding_value(const struct lint_finding *f)
{
    json_t *value = place_value(f->file, f->at);
    json_object_set_new(value, "severity", json_string(severity(f)));
    json_object_set_new(value, "code", json_string(skr_lint_rules[f->rule].code));
    json_object_set_new(value, "message", text_value(f->text));
    if (f->see.line > 0) {
        json_object_set_new(value, "see", place_value(f->see_file, f->see));
    }
    return value;
}

void skr_lint_write_json(const struct skr_lint *lint, struct skr_strbuf *out)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < lint->n_findings; i++) {
        json_array_append_new(findings, finding_value(&lint->finding[i]));
    }
    write_json(json_pack("{s:o, s:o, s:o, s:o}", "findings", findings, "files",
                         number(count_files(lint)), "errors", number(lint->n_errors), "warnings",
                         number(lint->n_warnings)),
               out);
}

/* ---- SARIF ---- */

static json_t *message(const char *text)
{
    return json_pack("{s:o}", "text", text_value(text));
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
    json_t *physical = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(file->name));
    if (at.line > 0) {
        json_object_set_new(physical, "region",
                            json_pack("{s:o, s:o}", "startLine", number(at.line), "startColumn",
                                      number(at.column)));
    }
    return json_pack("{s:o}", "physicalLocation", physical);
}

static json_t *result_value(const struct lint_finding *f)
{
    json_t *value = json_pack("{s:s, s:o, s:s, s:o, s:[o]}", "ruleId", skr_lint_rules[f->rule].code,
                              "ruleIndex", number(f->rule), "level", severity(f), "message",
                              message(f->text), "locations", location(f->file, f->at));
    if (f->see.line > 0) {
        json_t *related = location(f->see_file, f->see);
        json_object_set_new(related, "message", message("see"));
        json_object_set_new(value, "relatedLocations", json_pack("[o]", related));
    }
    return value;
}

static json_t *driver_value(void)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < skr_lint_rule_count; i++) {
        const struct skr_lint_rule *rule = &skr_lint_rules[i];
        json_array_append_new(rules, json_pack("{s:s, s:o, s:o, s:{s:s}}", "id", rule->code,
                                               "shortDescription", message(rule->text), "help",
                                               message(rule->cure), "defaultConfiguration", "level",
                                               rule->is_warning ? "warning" : "error"));
    }
    return json_pack("{s:s, s:s, s:o}", "name", "sakkara lint", "version", skr_version, "rules",
                     rules);
}

void skr_lint_write_sarif(const struct skr_lint *lint, struct skr_strbuf *out)
{
    json_t *results = json_array();
    for (size_t i = 0; i < lint->n_findings; i++) {
        json_array_append_new(results, result_value(&lint->finding[i]));
    }
    write_json(json_pack("{s:s, s:s, s:[{s:{s:o}, s:s, s:o}]}", "$schema",
                         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                         "sarif-schema-2.1.0.json",
                         "version", "2.1.0", "runs", "tool", "driver", driver_value(), "columnKind",
                         "unicodeCodePoints", "results", results),
               out);
}
