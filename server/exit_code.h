/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_EXIT_CODE_H
#define SKR_SERVER_EXIT_CODE_H
#include "topology/base/error.h"

/* Exit codes of every command; scripts depend on them. */
enum skr_exit_code {
    SKR_EXIT_OK = 0,
    SKR_EXIT_ERROR = 1, /* also broken input */
    SKR_EXIT_USAGE = 2,
    SKR_EXIT_NOT_FOUND = 3,
    SKR_EXIT_NOT_PLACED = 4, /* some seat of some group is not bound, or there are no pods for it */
    SKR_EXIT_FINDINGS = 5,
    SKR_EXIT_UNREACHABLE = 6,
};

/* Of what reading input returned: 0 or a negative enum skr_error_code. */
static inline int skr_exit_code_of(int rc)
{
    return rc == 0 ? SKR_EXIT_OK : rc == -SKR_NOT_FOUND ? SKR_EXIT_NOT_FOUND : SKR_EXIT_ERROR;
}

#endif
