/* SPDX-License-Identifier: Apache-2.0 */
/* GnuTLS decodes: https://gnutls.org/manual/html_node/Core-TLS-API.html, gnutls_base64_decode2. */
#include "server/kube/base64.h"

#include <gnutls/gnutls.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int skr_base64_decode(const char *text, size_t n, char **ret, size_t *ret_len,
                      struct skr_error *error)
{
    union {
        const char *text;
        unsigned char *data;
    } in = {.text = text};
    const gnutls_datum_t from = {in.data, (unsigned)n};
    gnutls_datum_t to = {NULL, 0};
    if (n > UINT_MAX) {
        return skr_error_set(error, SKR_LIMIT, "base64 of %zu bytes", n);
    }
    const int rc = strspn(text, " \t\r\n") < n ? gnutls_base64_decode2(&from, &to) : 0;
    if (rc < 0 && rc != GNUTLS_E_MEMORY_ERROR) {
        return skr_error_set(error, SKR_INVALID, "not base64");
    }
    char *out = rc == 0 ? malloc((size_t)to.size + 1) : NULL;
    if (out) {
        memcpy(out, to.size > 0 ? to.data : (const void *)"", to.size);
        out[to.size] = '\0';
        *ret = out;
        *ret_len = to.size;
    }
    gnutls_free(to.data);
    return out ? 0 : skr_error_set(error, SKR_NO_MEMORY, "no memory for %zu bytes of base64", n);
}
