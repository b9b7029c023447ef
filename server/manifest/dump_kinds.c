/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at apiVersion and kind, at kubelets, and at claims of pods. */
#include "server/manifest/dump_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "server/manifest/templates.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

enum { MINOR_MAX = 10000 };

static void add_node(struct skr_dump_kinds *kinds, const json_t *node)
{
    const char *version = skr_path_text(node, "status.nodeInfo.kubeletVersion");
    const long minor = strncmp(version, "v1.", 3) == 0 ? strtol(version + 3, NULL, 10) : 0;
    if (minor > kinds->kubelet && minor < MINOR_MAX) {
        kinds->kubelet = (int32_t)minor;
    }
}

static void add_pods(struct skr_dump_kinds *kinds, const json_t *object)
{
    SKR_AUTO_FREE struct skr_template *template =
        skr_alloc_array(SKR_TEMPLATES_MAX, sizeof *template);
    const size_t n = skr_templates_find((json_t *)(uintptr_t)object, template);
    for (size_t i = 0; i < n; i++) {
        const json_t *spec = json_object_get(template[i].json, "spec");
        const json_t *volume;
        size_t k;
        kinds->wants_devices =
            kinds->wants_devices || json_array_size(json_object_get(spec, "resourceClaims")) > 0;
        json_array_foreach(json_object_get(spec, "volumes"), k, volume)
        {
            kinds->wants_volumes =
                kinds->wants_volumes || json_object_get(volume, "persistentVolumeClaim");
            kinds->wants_ephemeral = kinds->wants_ephemeral || json_object_get(volume, "ephemeral");
        }
    }
}

void skr_dump_kinds_add(struct skr_dump_kinds *kinds, const json_t *object)
{
    static const char group[] = "resource.k8s.io/";
    const char *kind = skr_path_text(object, "kind");
    if (strncmp(skr_path_text(object, "apiVersion"), group, sizeof group - 1) == 0) {
        kinds->devices = true;
        kinds->slices = kinds->slices || strcmp(kind, "ResourceSlice") == 0;
    } else if (strcmp(kind, "PersistentVolumeClaim") == 0) {
        kinds->volumes = true;
    } else if (strcmp(kind, "StorageClass") == 0) {
        kinds->classes = true;
    } else if (strcmp(kind, "Node") == 0) {
        add_node(kinds, object);
    } else {
        add_pods(kinds, object);
    }
}

void skr_dump_kinds_apply(const struct skr_dump_kinds *kinds, struct skr_settings *settings)
{
    settings->volumes_unread = !kinds->volumes;
    settings->server_minor = kinds->slices && kinds->kubelet > 0 ? kinds->kubelet
                             : kinds->slices                     ? SKR_DUMP_MINOR
                             : kinds->volumes                    ? 1
                                                                 : 0;
}

void skr_dump_kinds_note(const struct skr_dump_kinds *kinds, struct skr_strbuf *notes)
{
    const bool devices = kinds->wants_devices && !kinds->slices;
    const bool volumes =
        !kinds->volumes && (kinds->wants_volumes || (kinds->wants_ephemeral && !kinds->classes));
    if (devices || volumes) {
        skr_strbuf_addf(notes, "note: %s%s%s are not in the dump: not counted\n",
                        devices ? "devices" : "", devices && volumes ? " and " : "",
                        volumes ? "volumes" : "");
    }
}
