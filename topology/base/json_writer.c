/* SPDX-License-Identifier: Apache-2.0 */
/* A comma goes before every value but the first one behind an opening bracket. */
#include "topology/base/json_writer.h"

static void begin(struct skr_json_writer *w, const char *key)
{
    if (w->comma) {
        skr_strbuf_addc(w->out, ',');
    }
    w->comma = true;
    if (key) {
        skr_strbuf_add_json(w->out, key);
        skr_strbuf_addc(w->out, ':');
    }
}

void skr_json_open(struct skr_json_writer *w, const char *key, char bracket)
{
    begin(w, key);
    skr_strbuf_addc(w->out, bracket);
    w->comma = false;
}

void skr_json_close(struct skr_json_writer *w, char bracket)
{
    skr_strbuf_addc(w->out, bracket);
    w->comma = true;
}

void skr_json_string(struct skr_json_writer *w, const char *key, const char *value)
{
    begin(w, key);
    if (value) {
        skr_strbuf_add_json(w->out, value);
    } else {
        skr_strbuf_add(w->out, "null");
    }
}

void skr_json_int(struct skr_json_writer *w, const char *key, int64_t value)
{
    begin(w, key);
    skr_strbuf_add_int(w->out, value);
}

void skr_json_bool(struct skr_json_writer *w, const char *key, bool value)
{
    begin(w, key);
    skr_strbuf_add(w->out, value ? "true" : "false");
}

void skr_json_raw(struct skr_json_writer *w, const char *key, const char *json)
{
    begin(w, key);
    skr_strbuf_add(w->out, json ? json : "null");
}
