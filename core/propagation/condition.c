/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports a decision: condition Scheduled and Events. The message of the condition is the outcome,
 * followed by what the decision ignored ("Warning: ...").
 */
#include <stdio.h>
#include <string.h>

#include "core/propagation/state.h"

enum { TIME_BYTES = 40 };

static const char placed_text[] = "Binding has been scheduled successfully.";
static const char warning_mark[] = " Warning: ";

/* ---- texts ---- */

static bool is_placed(const struct skr_binding_entry *entry)
{
    return entry->code == SKR_PROPAGATION_PLACED;
}

static const char *status_of(const struct skr_binding_entry *entry)
{
    return is_placed(entry) ? "True" : "False";
}

static const char *outcome_of(const struct skr_binding_entry *entry)
{
    return is_placed(entry) ? placed_text : entry->message;
}

static const char *reason_of(const struct skr_propagation *self,
                             const struct skr_binding_entry *entry)
{
    return skr_propagation_outcome(entry->code, self->settings->options.shortage_is_error != 0)
        .reason;
}

char *skr_condition_warning(struct skr_propagation *self,
                            const struct skr_binding_decision *decision,
                            const struct skr_estimators *estimators)
{
    SKR_STRBUF(text);
    for (int i = 0; i < SKR_WARNING_COUNT; i++) {
        if ((decision->warnings & SKR_WARNINGS_OF_OMISSIONS) >> i & 1) {
            skr_strbuf_add(&text, text.len > 0 ? " " : "");
            skr_propagation_warning_write((enum skr_propagation_warning)i, &text);
        }
    }
    skr_estimators_warn(self, estimators, &text);
    return text.len > 0 ? skr_strbuf_take(&text, NULL) : NULL;
}

static void write_message(const struct skr_binding_entry *entry, struct skr_strbuf *out)
{
    const char *outcome = outcome_of(entry);
    const size_t n = strlen(outcome);
    skr_strbuf_add(out, outcome);
    if (entry->warning) {
        const bool stops = n > 0 && outcome[n - 1] == '.';
        skr_strbuf_addf(out, "%s%s%s", stops ? "" : ".", warning_mark, entry->warning);
    }
}

/* ---- what is there ---- */

bool skr_condition_outcome_differs(const struct skr_propagation *self,
                                   const struct skr_binding_entry *entry)
{
    const struct skr_binding *binding = entry->binding;
    const char *outcome = outcome_of(entry);
    const size_t n = strlen(outcome);
    return strcmp(binding->condition_status, status_of(entry)) != 0 ||
           strcmp(binding->condition_reason, reason_of(self, entry)) != 0 ||
           strncmp(binding->condition_message, outcome, n) != 0 ||
           !strchr(". ", binding->condition_message[n]);
}

bool skr_condition_warning_differs(const struct skr_binding_entry *entry)
{
    const char *message = entry->binding->condition_message;
    const char *outcome = outcome_of(entry);
    const size_t n = strlen(outcome);
    /* An outcome may quote the API server, and with it anything. */
    const char *at = strstr(message + (strncmp(message, outcome, n) == 0 ? n : 0), warning_mark);
    return strcmp(at ? at + strlen(warning_mark) : "", entry->warning ? entry->warning : "") != 0;
}

void skr_condition_write(const struct skr_propagation *self, const struct skr_binding_entry *entry,
                         const char *now, struct skr_json_writer *w)
{
    const struct skr_binding *binding = entry->binding;
    const char *status = status_of(entry);
    char since[TIME_BYTES];
    SKR_STRBUF(message);
    write_message(entry, &message);
    snprintf(since, sizeof since, "%s", now);
    if (binding->condition_since != 0 && strcmp(binding->condition_status, status) == 0) {
        skr_time_write(binding->condition_since, 0, since, sizeof since);
    }
    skr_json_open(w, "conditions", '[');
    if (binding->other_conditions[0] != '\0') {
        skr_json_raw(w, NULL, binding->other_conditions);
    }
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "type", "Scheduled");
    skr_json_string(w, "status", status);
    skr_json_string(w, "reason", reason_of(self, entry));
    skr_json_string(w, "message", message.s);
    skr_json_string(w, "lastTransitionTime", since);
    skr_json_close(w, '}');
    skr_json_close(w, ']');
}

/* ---- Events ---- */

static struct skr_reference reference_to(const struct skr_binding_entry *entry,
                                         char version[SKR_API_VERSION_MAX])
{
    return skr_reference_to(skr_binding_entry_type(entry)->resource, &entry->binding->meta,
                            version);
}

static void warn(struct skr_propagation *self, const struct skr_binding_entry *entry,
                 const char *reason, const char *text)
{
    char version[SKR_API_VERSION_MAX];
    const struct skr_note note = {.regarding = reference_to(entry, version),
                                  .warning = true,
                                  .reason = reason,
                                  .action = "Schedule",
                                  .note = text,
                                  .controller = self->settings->scheduler_name};
    skr_frame_event(self->frame, &note);
}

void skr_condition_report_warning(struct skr_propagation *self,
                                  const struct skr_binding_entry *entry)
{
    warn(self, entry, "ScheduleBindingWarning", entry->warning);
}

void skr_condition_report_undone(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    SKR_STRBUF(note);
    if (skr_undone_tell(&entry->rewrites.undone)) {
        skr_undone_write_note(&entry->rewrites.undone, "spec.clusters", &note);
        warn(self, entry, SKR_UNDONE_REASON, note.s);
    }
}

void skr_condition_report_outcome(struct skr_propagation *self,
                                  const struct skr_binding_entry *entry)
{
    char version[SKR_API_VERSION_MAX];
    bool placed = entry->code == SKR_PROPAGATION_PLACED;
    const struct skr_object_reference *resource = &entry->binding->resource;
    struct skr_note note = {
        .regarding = reference_to(entry, version),
        .warning = !placed,
        .reason = placed ? "ScheduleBindingSucceed" : "ScheduleBindingFailed",
        .action = "Schedule",
        .note = placed ? entry->note : entry->message,
        .controller = self->settings->scheduler_name,
    };
    skr_frame_event(self->frame, &note);
    note.regarding = (struct skr_reference){.api_version = resource->api_version,
                                            .kind = resource->kind,
                                            .namespace_ = resource->namespace_,
                                            .name = resource->name,
                                            .uid = resource->uid};
    if (resource->name[0] != '\0') {
        skr_frame_event(self->frame, &note);
    }
    skr_frame_decision(self->frame, &(struct skr_decision){.kind = "binding",
                                                           .key = entry->key,
                                                           .what = placed ? "Binding placed"
                                                                          : "Binding not placed",
                                                           .reason = note.reason,
                                                           .message = note.note});
}
