/* SPDX-License-Identifier: Apache-2.0 */
/* Through kubectl: contexts, sign-in and proxies are its business. */
#include "server/cli/binding_objects.h"

#include "server/exit_code.h"

const char *const skr_binding_profiles[] = {"default", "upstream", "design", NULL};

static int read_live(const struct skr_client_flags *flags, struct skr_binding_input *input,
                     struct skr_strbuf *messages, struct skr_error *error)
{
    SKR_STRBUF(text);
    int rc = skr_client_flags_list(flags,
                                   "clusters.cluster.karmada.io,resourcebindings.work.karmada.io,"
                                   "clusterresourcebindings.work.karmada.io",
                                   &text, error);
    if (rc == 0) {
        rc = skr_binding_input_parse(input, "kubectl", text.s, text.len, messages);
    }
    return rc;
}

int skr_binding_objects_fetch(const struct skr_call *call, const struct skr_client_flags *flags,
                              struct skr_binding_input *ret, struct skr_strbuf *messages)
{
    struct skr_error error = {.text = ""};
    skr_binding_input_init(ret);
    int rc = flags->file ? skr_binding_input_read(ret, flags->file, messages)
                         : read_live(flags, ret, messages, &error);
    if (rc == 0) {
        rc = skr_binding_input_finish(ret, messages, messages);
    }
    if (rc == 0) {
        return SKR_EXIT_OK;
    }
    if (error.text[0] != '\0') {
        skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
    }
    return skr_client_exit_code(rc);
}
