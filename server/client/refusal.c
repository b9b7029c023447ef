/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals of a server, as all sources report them. */
#include <string.h>

#include "server/client/source.h"

int skr_source_refused(int http_status, const char *message, struct skr_error *error)
{
    static const char own[] = "sakkara: ";
    const char *text =
        strncmp(message, own, sizeof own - 1) == 0 ? message + sizeof own - 1 : message;
    switch (http_status) {
    case 404:
        return skr_error_set(error, SKR_NOT_FOUND, "%.240s", text);
    case 401:
    case 403:
        return skr_error_set(error, SKR_DENIED, "not allowed: %.220s", text);
    case 400:
    case 413:
        return skr_error_set(error, SKR_INVALID, "%.240s", text);
    default:
        return skr_error_set(error, SKR_RETRY, "the server does not answer: %.200s", text);
    }
}
