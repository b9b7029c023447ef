/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/sampling.h"

bool sampling_is_off(const struct skr_gang *e)
{
    return !e->settings.nominate_all && e->n_nodes < SKR_SAMPLING_NODES_MIN;
}
