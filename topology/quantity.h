/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_QUANTITY_H
#define SKR_TOPOLOGY_QUANTITY_H
/*
 * Kubernetes resource quantities (apimachinery pkg/api/resource/quantity.go): sign, decimal digits
 * with an optional fraction, and a suffix n u m "" k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent
 * e3 E-3. Rounding is up (away from zero), as Quantity.Value() and MilliValue() do. A magnitude that
 * does not fit is the largest that does: an object with such a quantity is read like any other.
 */
#include <stdint.h>

#include "topology/base/error.h"

enum {
    SKR_QUANTITY_TEXT_MAX = 128, /* bytes of a quantity in an API object, blanks around it aside */
};

/* Value in whole units, -INT64_MAX..INT64_MAX. Errors: SKR_INVALID with the text and the offending
 * position. ret is written only on success. */
int skr_quantity_parse(const char *text, int64_t *ret, struct skr_error *error);
/* Value in thousandths (cpu: millicores). */
int skr_quantity_parse_milli(const char *text, int64_t *ret, struct skr_error *error);
/* Value in billionths, the finest a quantity has; at most INT64_MAX whole units. */
int skr_quantity_parse_nano(const char *text, skr_int128 *ret, struct skr_error *error);

#endif
