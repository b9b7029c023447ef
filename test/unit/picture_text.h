/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_PICTURE_TEXT_H
#define SKR_TEST_UNIT_PICTURE_TEXT_H
/*
 * A picture's document as lines, with names in place of numbers:
 *
 *   place rack-0/node-0 Ready 2/4 slots 2: team/a 2 pods 2
 *   subject team/a Bound 2/2 [reason]
 *
 * used/allocatable. "-2 pods": seats that are not firm. Subjects are in the order of their names.
 */
#include "core/frame/picture.h"

void picture_text(const struct skr_picture *picture, struct skr_strbuf *out);

#endif
