/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_DEVICE_SENTENCE_H
#define SKR_CORE_GANG_REPORT_DEVICE_SENTENCE_H
/* Why a group is not placed, if devices are too few whatever else there is. */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Appends "needs 64 devices of class gpu (16 pods x 4), 40 are free, 10 pods fit". ever: of all devices, free or
 * not. False: devices suffice, are not counted, or members have roles; nothing is appended. O(nodes). */
bool skr_device_sentence(struct skr_gang *e, struct group *g, bool ever,
                         const struct skr_solve_request *request, struct skr_strbuf *b);

#endif
