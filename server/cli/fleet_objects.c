/* SPDX-License-Identifier: Apache-2.0 */
/* Through kubectl: contexts, sign-in and proxies are its business. */
#include "server/cli/fleet_objects.h"

#include "server/exit_code.h"

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
