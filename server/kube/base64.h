/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_BASE64_H
#define SKR_SERVER_KUBE_BASE64_H
/* Base64 (RFC 4648 section 4) as kubeconfig files carry it: padding required, blanks and line ends
 * between digits ignored. */
#include <stddef.h>

#include "topology/base/error.h"

/* text: n bytes. *ret: NUL-terminated heap memory (the NUL is not counted in *ret_len), free() it.
 * Errors: SKR_INVALID with the offset of the offending byte, SKR_NO_MEMORY. */
int skr_base64_decode(const char *text, size_t n, char **ret, size_t *ret_len,
                      struct skr_error *error);

#endif
