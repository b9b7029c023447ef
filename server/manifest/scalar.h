/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_SCALAR_H
#define SKR_SERVER_MANIFEST_SCALAR_H
/* What an unquoted scalar of a YAML file is, as kubectl's YAML library resolves it. */
#include <jansson.h>

/* null, a boolean, or a number (new reference). NULL: it is a string. Infinities and NaN, which
 * JSON lacks, stay strings; integers beyond 64 bits become reals. */
json_t *skr_yaml_resolve(const char *text);

#endif
