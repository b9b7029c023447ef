/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes are those that groups are derived from (core/group/owner.h). */
#include "server/lab/simulate/podless.h"

#include <string.h>

#include "core/gang/state/types.h"
#include "core/group/owner.h"
#include "server/object/path.h"

/* Deployments and ReplicaSets are no gangs. */
static bool has_no_replicas(const json_t *object)
{
    const char *kind = skr_path_text(object, "kind");
    return (strcmp(kind, "Deployment") == 0 || strcmp(kind, "ReplicaSet") == 0) &&
           skr_path_int(object, "spec.replicas", 1) == 0;
}

/* The field that makes the size 0; "": it is not 0, or is not known. Borrowed, or constant. */
static const char *empty_field(const json_t *object)
{
    const struct skr_object_type *type =
        skr_gang_type_of(skr_path_text(object, "apiVersion"), skr_path_text(object, "kind"));
    void *decoded = NULL;
    int64_t pods = 0;
    if (!type || !skr_gang_owner_kind(type) || type->decode(object, &decoded, NULL) < 0) {
        return has_no_replicas(object) ? "replicas" : "";
    }
    const struct skr_owner *owner = decoded;
    const bool lws = type == &skr_gang_owner_lws; /* each replica has a leader */
    const bool driven = type == &skr_gang_owner_spark || (lws && owner->part[0].jobs > 0);
    const char *field = driven ? "" : lws ? "replicas" : owner->parts;
    for (size_t i = 0; i < owner->n_parts; i++) {
        pods += (int64_t)owner->part[i].jobs * owner->part[i].pods;
    }
    type->destroy(decoded);
    return pods > 0 ? "" : field;
}

bool skr_simulate_is_podless(const json_t *object, struct skr_strbuf *why)
{
    static const char *const suspend[] = {"spec.suspend", "spec.runPolicy.suspend"};
    if (skr_path_text(object, "metadata.uid")[0]) {
        return false;
    }
    for (size_t i = 0; i < sizeof suspend / sizeof *suspend; i++) {
        if (skr_path_true(object, suspend[i])) {
            skr_strbuf_addf(why, "it is suspended; set %s to false", suspend[i]);
            return true;
        }
    }
    const char *field = empty_field(object);
    if (*field) {
        skr_strbuf_addf(why, "spec.%s gives it 0 pods; set at least 1", field);
    }
    return *field;
}
