/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_COLUMN_H
#define SKR_CORE_GANG_GROUP_ROLE_COLUMN_H
/* The role and the set that the controller of a pod gives it by labels, for pods without an
 * annotation of their own. One row for each kind of controller. */
#include "core/pod/pod.h"

/* NULL: none. Borrowed from the pod, or constant. */
const char *skr_role_column_role(const struct skr_pod *pod);
int32_t skr_role_column_set(const struct skr_pod *pod); /* -1: none */

#endif
