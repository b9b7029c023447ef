/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPORT_MIX_PICTURE_H
#define SKR_SERVER_LAB_REPORT_MIX_PICTURE_H
/* The pods of the mix as text: for every mixed workload its pods of both classes with their nodes,
 * then every node of a class with its mixed pods. */
#include "core/spotmix/view.h"

void skr_mix_picture_draw(const struct skr_spotmix *mix, bool ascii, struct skr_strbuf *out);

#endif
