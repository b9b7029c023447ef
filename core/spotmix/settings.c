/* SPDX-License-Identifier: Apache-2.0 */
/* Presets, names of classes, spelled keys. */
#include "core/spotmix/settings.h"

#include <stdio.h>
#include <string.h>

const char *const skr_spotmix_class_name[] = {"on-demand", "spot"};
_Static_assert(sizeof skr_spotmix_class_name / sizeof skr_spotmix_class_name[0] ==
                   SKR_SPOTMIX_CLASS_COUNT,
               "a name each");

const char *const skr_spotmix_class_cost[] = {"100", "1"};
_Static_assert(sizeof skr_spotmix_class_cost / sizeof skr_spotmix_class_cost[0] ==
                   SKR_SPOTMIX_CLASS_COUNT,
               "a cost each");

const char *const skr_spotmix_rebuild_name[] = {"evict", "none", "rollout"};
_Static_assert(sizeof skr_spotmix_rebuild_name / sizeof skr_spotmix_rebuild_name[0] ==
                   SKR_SPOTMIX_REBUILD_COUNT,
               "a name each");

static const struct preset {
    const char *name;
    const char *node_key;
    struct skr_spotmix_expression expression[SKR_SPOTMIX_CLASS_COUNT];
    bool tolerate_spot;
} presets[] = {
    {"default",
     "node.kubernetes.io/capacity",
     {{"In", 1, {"on-demand"}}, {"In", 1, {"spot"}}},
     false},
    /* NotIn: on-demand pods may also use "reserved" nodes. */
    {"karpenter",
     "karpenter.sh/capacity-type",
     {{"NotIn", 1, {"spot"}}, {"In", 1, {"spot"}}},
     false},
    {"eks",
     "eks.amazonaws.com/capacityType",
     {{"In", 1, {"ON_DEMAND"}}, {"In", 1, {"SPOT"}}},
     false},
    {"gke",
     "cloud.google.com/gke-provisioning",
     {{"In", 1, {"standard"}}, {"In", 1, {"spot"}}},
     false},
    {"aks",
     "kubernetes.azure.com/scalesetpriority",
     {{"DoesNotExist", 0, {0}}, {"In", 1, {"spot"}}},
     true},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

void skr_spotmix_settings_default(struct skr_spotmix_settings *settings)
{
    *settings = (struct skr_spotmix_settings){.key_prefix = SKR_SPOTMIX_KEY_PREFIX,
                                              .reservation_ttl = 30 * SKR_SECOND,
                                              .n_excluded = 2,
                                              .excluded = {"kube-system", "kube-node-lease"},
                                              .own_namespace = "",
                                              .rebuild = SKR_SPOTMIX_REBUILD_EVICT,
                                              .rollout_cost = true};
    skr_spotmix_settings_preset(settings, "default");
}

bool skr_spotmix_settings_preset(struct skr_spotmix_settings *settings, const char *name)
{
    for (size_t i = 0; i < PRESETS; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            settings->node_key = presets[i].node_key;
            memcpy(settings->expression, presets[i].expression, sizeof settings->expression);
            settings->tolerate_spot = presets[i].tolerate_spot;
            return true;
        }
    }
    return false;
}

enum skr_spotmix_class skr_spotmix_class_parse(const char *text)
{
    for (int i = 0; text && i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        if (strcmp(skr_spotmix_class_name[i], text) == 0) {
            return (enum skr_spotmix_class)i;
        }
    }
    return SKR_SPOTMIX_NO_CLASS;
}

static int spell(char key[SKR_SPOTMIX_KEY_MAX], const char *prefix, const char *rest,
                 struct skr_error *error)
{
    const int n = snprintf(key, SKR_SPOTMIX_KEY_MAX, "%s%s", prefix, rest);
    const char *slash = strrchr(prefix, '/');
    const size_t name = strlen(slash ? slash + 1 : prefix) + strlen(rest);
    if (n < 0 || n >= SKR_SPOTMIX_KEY_MAX || name > 63) {
        return skr_error_set_key(error, SKR_INVALID, "keyPrefix",
                                 "\"%s%s\" is too long for a label key (63 bytes behind "
                                 "the slash)",
                                 prefix, rest);
    }
    return 0;
}

int skr_spotmix_keys_init(struct skr_spotmix_keys *keys, const char *prefix,
                          struct skr_error *error)
{
    int rc = spell(keys->on, prefix, "", error);
    rc = rc == 0 ? spell(keys->max, prefix, "-max-on-demand-count", error) : rc;
    rc = rc == 0 ? spell(keys->class_, prefix, "-class", error) : rc;
    rc = rc == 0 ? spell(keys->index, prefix, "-index", error) : rc;
    rc = rc == 0 ? spell(keys->token, prefix, "-token", error) : rc;
    return rc == 0 ? spell(keys->rolled, prefix, "-rolled-out", error) : rc;
}
