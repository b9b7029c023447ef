/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the spotmix section of a configuration into settings. */
#include "server/config/spotmix_settings.h"

#include <string.h>

#include "topology/base/arena.h"

static void exclude(const struct skr_config *config, struct skr_spotmix_settings *ret)
{
    const char *rest = config->spotmix.excluded;
    ret->n_excluded = 0;
    while (*rest != '\0') {
        const size_t n = strcspn(rest, ", ");
        if (n > 0 && ret->n_excluded < SKR_SPOTMIX_EXCLUDED_MAX) {
            const char *name = skr_arena_strndup(config->arena, rest, n);
            skr_bug_on(!name); /* the arena has room for the file several times over */
            ret->excluded[ret->n_excluded++] = name;
        }
        rest += n + (rest[n] != '\0');
    }
}

static void set_value(struct skr_spotmix_expression *expression, const char *value)
{
    if (*value != '\0') {
        *expression = (struct skr_spotmix_expression){.op = "In", .n = 1, .value = {value}};
    }
}

void skr_config_spotmix_settings(const struct skr_config *config, struct skr_spotmix_settings *ret)
{
    skr_spotmix_settings_default(ret);
    const struct skr_config_spotmix *from = &config->spotmix;
    skr_bug_on(!skr_spotmix_settings_preset(ret, from->preset)); /* checked by the reader */
    ret->key_prefix = from->key_prefix;
    ret->node_key = *from->node_key != '\0' ? from->node_key : ret->node_key;
    set_value(&ret->expression[SKR_SPOTMIX_ON_DEMAND], from->on_demand_value);
    set_value(&ret->expression[SKR_SPOTMIX_SPOT], from->spot_value);
    ret->reservation_ttl = from->ttl_s * SKR_SECOND;
    ret->rebuild = from->rebuild;
    ret->rollout_cost = from->rollout_cost;
    exclude(config, ret);
}
