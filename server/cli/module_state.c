/* SPDX-License-Identifier: Apache-2.0 */
/* One question to the daemon, and what becomes of its answer. */
#include "server/cli/module_state.h"

#include <stdlib.h>
#include <string.h>

#include "server/exit_code.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "topology/base/json_field.h"
#include "topology/base/json_writer.h"

/* kubectl may be asked for objects, and --server for this. */
static int ask(const struct skr_client_flags *flags, const char *name, json_t **ret,
               struct skr_error *error)
{
    const bool server = flags->server;
    const struct skr_client_options options = {.server = flags->server,
                                               .token_file = flags->token_file,
                                               .context = server ? NULL : flags->context,
                                               .kubeconfig = server ? NULL : flags->kubeconfig,
                                               .service = flags->service,
                                               .request_timeout = flags->request_timeout};
    struct skr_client *client = NULL;
    int rc = skr_client_create(&options, &client, NULL, error);
    rc = rc < 0 ? rc : skr_client_fetch_module(client, name, ret, error);
    skr_client_destroy(client);
    return rc;
}

struct skr_module_state skr_module_state_ask(const struct skr_call *call,
                                             const struct skr_client_flags *flags, const char *name,
                                             struct skr_strbuf *messages)
{
    struct skr_module_state state = {.name = name};
    struct skr_error error = {.text = ""};
    json_auto_t *module = NULL;
    if (flags->file && !flags->server) {
        return state;
    }
    const int rc = ask(flags, name, &module, &error);
    if (rc == 0) {
        state.answer = skr_page_bool(module, "enabled") ? SKR_MODULE_ON : SKR_MODULE_OFF;
        snprintf(state.setting, sizeof state.setting, "%s", skr_object_text(module, "setting"));
        return state;
    }
    state.answer = SKR_MODULE_UNKNOWN;
    skr_strbuf_addf(messages, "sakkara %s: whether the daemon's module %s is on is not known: ",
                    call->command->name, name);
    skr_page_add_clean(messages, error.text, false);
    skr_strbuf_addc(messages, '\n');
    return state;
}

static void write_sentence(const struct skr_module_state *state, struct skr_strbuf *out)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "Not live: the daemon's module %s is off. %s: true in its configuration "
                    "switches it on. With it on it would decide:",
                    state->name, state->setting);
    skr_explain_add_wrapped(out, "", 0, text.s);
    skr_strbuf_addc(out, '\n');
}

/* The beginning of an object, up to its next key. */
static void write_key(const struct skr_module_state *state, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "module", '{');
    skr_json_string(&w, "name", state->name);
    if (state->answer == SKR_MODULE_UNKNOWN) {
        skr_json_raw(&w, "enabled", NULL);
        skr_json_raw(&w, "setting", NULL);
    } else {
        skr_json_bool(&w, "enabled", state->answer == SKR_MODULE_ON);
        skr_json_string(&w, "setting", state->setting);
    }
    skr_json_close(&w, '}');
    skr_strbuf_addc(out, ',');
}

int skr_module_state_put(const struct skr_module_state *state, bool json, size_t begin, int code,
                         struct skr_strbuf *out)
{
    SKR_STRBUF(all);
    if (state->answer == SKR_MODULE_NOT_ASKED) {
        return code;
    }
    if (json) {
        write_key(state, &all);
        skr_strbuf_addn(&all, out->s + begin + 1, out->len - begin - 1);
    } else {
        if (state->answer == SKR_MODULE_OFF) {
            write_sentence(state, &all);
        }
        skr_strbuf_addn(&all, out->s + begin, out->len - begin);
    }
    out->len = begin;
    skr_strbuf_addn(out, all.s, all.len);
    return state->answer == SKR_MODULE_OFF && code == SKR_EXIT_OK ? SKR_EXIT_NOT_PLACED : code;
}
