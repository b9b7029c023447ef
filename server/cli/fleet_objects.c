/* SPDX-License-Identifier: Apache-2.0 */
/* Objects come through kubectl, so contexts, sign-in and proxies are its business. What an
 * explanation decides is put behind one question to the daemon: whether its module is on. */
#include "server/cli/fleet_objects.h"

#include <string.h>

#include "server/exit_code.h"
#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "topology/base/json_field.h"
#include "topology/base/json_writer.h"

const char *const skr_binding_profiles[] = {"default", "upstream", "design", NULL};

static int read_live(const struct skr_client_flags *flags, struct skr_fleet_input *input,
                     struct skr_strbuf *messages, struct skr_error *error)
{
    const struct skr_scheduler *scheduler = input->rules->scheduler;
    SKR_STRBUF(kinds);
    SKR_STRBUF(text);
    for (size_t i = 0; i < scheduler->n_watches; i++) {
        const struct skr_resource *r = scheduler->watch[i].type->resource;
        skr_strbuf_addf(&kinds, "%s%s.%s", i > 0 ? "," : "", r->plural, r->group);
    }
    int rc = skr_client_flags_list(flags, kinds.s, &text, error);
    if (rc == 0) {
        rc = skr_fleet_input_parse(input, "kubectl", text.s, text.len, messages);
    }
    return rc;
}

int skr_fleet_objects_fetch(const struct skr_call *call, const struct skr_client_flags *flags,
                            const struct skr_fleet_rules *rules, struct skr_fleet_input *ret,
                            struct skr_strbuf *messages)
{
    struct skr_error error = {.text = ""};
    skr_fleet_input_init(ret, rules);
    int rc = flags->file ? skr_fleet_input_read(ret, flags->file, messages)
                         : read_live(flags, ret, messages, &error);
    rc = rc < 0 ? rc : skr_fleet_input_finish(ret, messages);
    if (rc < 0 && error.text[0] != '\0') {
        skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
    }
    return skr_client_exit_code(rc);
}

/* ---- whether what is explained is live ---- */

enum module_answer {
    MODULE_NOT_ASKED, /* a dump, and no --server */
    MODULE_ON,
    MODULE_OFF,
    MODULE_UNKNOWN, /* the daemon did not answer */
};

struct module_state {
    const char *name;
    enum module_answer answer;
    char setting[64]; /* ON, OFF: the option, as the daemon calls it */
    json_t *item;     /* ON, OFF: of /v1/modules */
};

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

static struct module_state ask_module(const struct skr_call *call,
                                      const struct skr_client_flags *flags, const char *name,
                                      struct skr_strbuf *messages)
{
    struct module_state state = {.name = name};
    struct skr_error error = {.text = ""};
    if (flags->file && !flags->server) {
        return state;
    }
    const int rc = ask(flags, name, &state.item, &error);
    if (rc == 0) {
        state.answer = skr_page_bool(state.item, "enabled") ? MODULE_ON : MODULE_OFF;
        snprintf(state.setting, sizeof state.setting, "%s", skr_object_text(state.item, "setting"));
        return state;
    }
    state.answer = MODULE_UNKNOWN;
    skr_strbuf_addf(messages, "sakkara %s: whether the daemon's module %s is on is not known: ",
                    call->command->name, name);
    skr_page_add_clean(messages, error.text, false);
    skr_strbuf_addc(messages, '\n');
    return state;
}

static void write_sentence(const struct module_state *state, struct skr_strbuf *out)
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
static void write_key(const struct module_state *state, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "module", '{');
    skr_json_string(&w, "name", state->name);
    if (state->answer == MODULE_UNKNOWN) {
        skr_json_raw(&w, "enabled", NULL);
        skr_json_raw(&w, "setting", NULL);
    } else {
        skr_json_bool(&w, "enabled", state->answer == MODULE_ON);
        skr_json_string(&w, "setting", state->setting);
    }
    skr_json_close(&w, '}');
    skr_strbuf_addc(out, ',');
}

/* Puts the state in front of the decision, which begins in out at begin: a sentence if the module is
 * off, or "module" as the first key of the object. Returns the exit code that stands for code: a
 * decision of a module that is off is not placed. */
static int put_module(const struct module_state *state, bool json, size_t begin, int code,
                      struct skr_strbuf *out)
{
    SKR_STRBUF(all);
    if (state->answer == MODULE_NOT_ASKED) {
        return code;
    }
    if (json) {
        write_key(state, &all);
        skr_strbuf_addn(&all, out->s + begin + 1, out->len - begin - 1);
    } else {
        if (state->answer == MODULE_OFF) {
            write_sentence(state, &all);
        }
        skr_strbuf_addn(&all, out->s + begin, out->len - begin);
    }
    out->len = begin;
    skr_strbuf_addn(out, all.s, all.len);
    return state->answer == MODULE_OFF && code == SKR_EXIT_OK ? SKR_EXIT_NOT_PLACED : code;
}

int skr_fleet_explain(const struct skr_call *call, const struct skr_fleet_explanation *what,
                      struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const char *name = strchr(call->word[0], '/') + 1;
    const size_t begin = out->len;
    struct skr_fleet_input input;
    int code = skr_fleet_objects_fetch(call, what->client, what->rules, &input, messages);
    if (code == SKR_EXIT_OK) {
        SKR_STRBUF(doubts);
        const struct module_state module = ask_module(call, what->client, what->module, &doubts);
        code = what->explain(call->options, json_object_get(module.item, "decidesBy"), name, &input,
                             out, messages);
        if (out->len > begin) {
            skr_strbuf_addn(messages, doubts.s, doubts.len);
            code = put_module(&module, what->json, begin, code, out);
        }
        json_decref(module.item);
    }
    skr_fleet_input_fini(&input);
    return code;
}
