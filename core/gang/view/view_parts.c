/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parts shared by all pages: head, times, refusals as a Status of the Kubernetes API. */
#include "core/gang/state/pages.h"
#include "core/gang/view/view.h"

#include <stdarg.h>
#include <string.h>

static const char *reason_of(int code)
{
    switch (code) {
    case 400:
        return "BadRequest";
    case 404:
        return "NotFound";
    case 413:
        return "RequestEntityTooLarge";
    default:
        return "ServiceUnavailable";
    }
}

void skr_view_write_refusal(struct skr_strbuf *out, int code, const char *message,
                            const char *cause, const char *field)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "kind", "Status");
    skr_json_string(&w, "apiVersion", "v1");
    skr_json_raw(&w, "metadata", "{}");
    skr_json_string(&w, "status", "Failure");
    skr_json_string(&w, "message", message);
    skr_json_string(&w, "reason", reason_of(code));
    if (cause) {
        skr_json_open(&w, "details", '{');
        skr_json_open(&w, "causes", '[');
        skr_json_open(&w, NULL, '{');
        skr_json_string(&w, "reason", cause);
        skr_json_string(&w, "message", message);
        skr_json_string(&w, "field", field);
        skr_json_close(&w, '}');
        skr_json_close(&w, ']');
        skr_json_close(&w, '}');
    }
    skr_json_int(&w, "code", code);
    skr_json_close(&w, '}');
}

void skr_view_write_status(struct skr_strbuf *out, int code, const char *message)
{
    skr_view_write_refusal(out, code, message, NULL, NULL);
}

int skr_view_refuse(struct view *v, int code, const char *format, ...)
{
    char text[512] = "sakkara: ";
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - n, format, args);
    va_end(args);
    v->w.out->len = v->begin;
    skr_view_write_status(v->w.out, code, text);
    return code;
}

/* ---- parts of every page ---- */

void skr_view_time(struct view *v, const char *key, skr_time t)
{
    char text[48];
    if (t > 0) {
        skr_time_write(t, 0, text, sizeof text);
    }
    skr_json_string(&v->w, key, t > 0 ? text : NULL);
}

void skr_view_moment(struct view *v, const char *key, skr_time t)
{
    skr_view_time(v, key, t <= v->now ? t : 0);
}

void skr_view_head(struct view *v, const char *kind)
{
    skr_json_string(&v->w, "apiVersion", "sakkara/v1");
    skr_json_string(&v->w, "kind", kind);
    skr_view_time(v, "time", v->now);
}

bool skr_view_is_too_large(const struct view *v)
{
    return v->w.out->len - v->begin > SKR_VIEW_BYTES_MAX;
}

bool skr_view_must_end(struct view *v)
{
    v->interrupted =
        v->interrupted || (v->query->interrupted && v->query->interrupted(v->query->context));
    return v->interrupted || skr_view_is_too_large(v);
}
