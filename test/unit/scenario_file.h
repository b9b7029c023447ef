/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SCENARIO_FILE_H
#define SKR_TEST_UNIT_SCENARIO_FILE_H
/* A scenario of test/simulate with its clusters and repeated documents written out, as
 * test/simulate/expand.awk does it. */
#include "test/unit/text_file.h"

/* Fails the process when awk cannot. */
struct text_file scenario_file_open(const char *path);

#endif
