/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of watches and objects of lists, as every kind we read. */
#include "server/kube/decode.h"
#include "test/fuzz/fuzz.h"

static void decode_as_every_kind(const json_t *object)
{
    struct skr_error error;
    for (int kind = 0; kind < SKR_KUBE_KIND_COUNT; kind++) {
        struct skr_event event;
        if (skr_kube_decode((enum skr_kube_kind)kind, object, &event, &error) == 0) {
            skr_kube_event_fini(&event);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_error error;
    json_t *root = NULL;
    if (skr_kube_json_parse((const char *)data, size, &root, &error) < 0) {
        return 0;
    }
    enum skr_kube_line_type type;
    json_t *object = root;
    struct skr_kube_identity identity;
    struct skr_kube_status status;
    skr_kube_line_parse(root, &type, &object, &error);
    skr_kube_identity_parse(object, &identity, &error);
    skr_kube_status_parse(object, &status);
    decode_as_every_kind(object);
    json_decref(root);
    return 0;
}
