/* SPDX-License-Identifier: Apache-2.0 */
/* Through kubectl: contexts, sign-in and proxies are its business. */
#include "server/cli/placement_objects.h"

#include "server/exit_code.h"

static int read_live(const struct skr_client_flags *flags, struct skr_placement_world *world,
                     struct skr_strbuf *messages, struct skr_error *error)
{
    static const char kinds[] = "managedclusters.cluster.open-cluster-management.io,"
                                "managedclustersets.cluster.open-cluster-management.io,"
                                "managedclustersetbindings.cluster.open-cluster-management.io,"
                                "placements.cluster.open-cluster-management.io,"
                                "placementdecisions.cluster.open-cluster-management.io,"
                                "addonplacementscores.cluster.open-cluster-management.io";
    SKR_STRBUF(text);
    int rc = skr_client_flags_list(flags, kinds, &text, error);
    if (rc == 0) {
        rc = skr_placement_world_parse(world, "kubectl", text.s, text.len, messages);
    }
    return rc;
}

int skr_placement_objects_fetch(const struct skr_call *call, const struct skr_client_flags *flags,
                                struct skr_placement_world *ret, struct skr_strbuf *messages)
{
    struct skr_error error = {.text = ""};
    skr_placement_world_init(ret);
    int rc = flags->file ? skr_placement_world_read(ret, flags->file, messages)
                         : read_live(flags, ret, messages, &error);
    rc = rc < 0 ? rc : skr_placement_world_finish(ret, messages);
    if (rc < 0 && error.text[0] != '\0') {
        skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
    }
    return rc == 0 ? SKR_EXIT_OK : rc == -SKR_RETRY ? SKR_EXIT_UNREACHABLE : SKR_EXIT_ERROR;
}
