/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of ProvisioningRequests, and of pods as the templates that requests refer to. */
#include "core/group/provisioning.h"

#include <string.h>

#include "topology/fields.h"

/* ---- the request ---- */

/* The state that a condition with status True means; a later one in the enum wins. */
static const struct {
    const char *type;
    enum skr_provisioning_state state;
} meaning[] = {{"Accepted", SKR_PROVISIONING_ACCEPTED},
               {"Provisioned", SKR_PROVISIONING_DONE},
               {"Failed", SKR_PROVISIONING_FAILED},
               {"BookingExpired", SKR_PROVISIONING_EXPIRED},
               {"CapacityRevoked", SKR_PROVISIONING_EXPIRED}};

const char *const skr_provisioning_state_name[] = {"made", "accepted", "provisioned", "failed",
                                                   "expired"};

static void read_condition(struct skr_provisioning *request, const struct skr_fields *condition)
{
    const char *type = skr_fields_word(condition, "type");
    const bool holds = strcmp(skr_fields_word(condition, "status"), "True") == 0;
    for (size_t i = 0; i < sizeof meaning / sizeof meaning[0]; i++) {
        if (strcmp(meaning[i].type, type) != 0) {
            continue;
        }
        const bool pending = !holds && meaning[i].state == SKR_PROVISIONING_DONE;
        const enum skr_provisioning_state state =
            pending ? SKR_PROVISIONING_ACCEPTED : meaning[i].state;
        if ((holds || pending) && state >= request->state) {
            request->state = state;
            request->message = skr_fields_text(condition, "message");
        }
    }
}

static void fill_request(void *object, const struct skr_fields *json)
{
    struct skr_provisioning *request = object;
    const struct skr_fields status = skr_fields_object(json, "status");
    const struct skr_fields list =
        skr_fields_list(&status, "conditions", SKR_PROVISIONING_CONDITIONS_MAX);
    request->message = "";
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields condition = skr_fields_entry(&list, i);
        read_condition(request, &condition);
    }
}

SKR_OBJECT_KIND(provisioning, "provisioningrequest", fill_request)

/* ---- the template ---- */

/* A new object with the members of from (NULL: none) that the list names. */
static json_t *only(const json_t *from, const char *const *keys, size_t n)
{
    json_t *kept = json_object();
    for (size_t i = 0; i < n; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value) {
            json_object_set(kept, keys[i], value);
        }
    }
    return kept;
}

static void copy_containers(const json_t *spec, const char *key, json_t *into)
{
    static const char *const kept[] = {"name", "image", "resources", "ports", "restartPolicy"};
    const json_t *list = json_object_get(spec, key), *item;
    json_auto_t *copies = json_array();
    size_t i;
    json_array_foreach(list, i, item)
    {
        json_array_append_new(copies, only(item, kept, sizeof kept / sizeof kept[0]));
    }
    if (json_array_size(copies) > 0) {
        json_object_set(into, key, copies);
    }
}

/* Volumes with a claim: a claim may tie the pod to a zone. */
static void copy_claims(const json_t *spec, json_t *into)
{
    const json_t *list = json_object_get(spec, "volumes");
    json_t *item, *copies = json_array();
    size_t i;
    json_array_foreach(list, i, item)
    {
        if (json_object_get(item, "persistentVolumeClaim")) {
            json_array_append(copies, item);
        }
    }
    if (json_array_size(copies) > 0) {
        json_object_set(into, "volumes", copies);
    }
    json_decref(copies);
}

static void fill_template(void *object, const struct skr_fields *json)
{
    static const char *const of_meta[] = {"labels"};
    static const char *const of_spec[] = {"nodeSelector",   "affinity",
                                          "tolerations",    "runtimeClassName",
                                          "overhead",       "topologySpreadConstraints",
                                          "resourceClaims", "priorityClassName"};
    struct skr_pod_template *template = object;
    const json_t *spec = json_object_get(json->json, "spec");
    json_t *all = json_object(), *kept = only(spec, of_spec, sizeof of_spec / sizeof of_spec[0]);
    copy_containers(spec, "initContainers", kept);
    copy_containers(spec, "containers", kept);
    copy_claims(spec, kept);
    json_object_set_new(all, "metadata", only(json_object_get(json->json, "metadata"), of_meta, 1));
    json_object_set_new(all, "spec", kept);
    const struct skr_fields whole = skr_fields_at(json, "template", all);
    template->text = skr_fields_json(&whole, 0);
    json_decref(all);
}

SKR_OBJECT_KIND(pod_template, "pod", fill_template)
