/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_QUANTITY_H
#define SKR_TOPOLOGY_QUANTITY_H
/*
 * Kubernetes resource quantities (apimachinery pkg/api/resource/quantity.go): sign, decimal digits
 * with an optional fraction, and a suffix n u m "" k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent
 * e3 E-3. Rounding is up (away from zero), as Quantity.Value() and MilliValue() do.
 */
#include <stdint.h>

#include "topology/base/error.h"

enum {
    SKR_QUANTITY_TEXT_MAX = 128, /* bytes of a quantity in an API object, blanks around it aside */
};

/* Value in whole units. Errors: SKR_INVALID with the text and the offending position, SKR_LIMIT
 * when it does not fit into int64. ret is written only on success. */
int skr_quantity_parse(const char *text, int64_t *ret, struct skr_error *error);
/* Value in thousandths (cpu: millicores). */
int skr_quantity_parse_milli(const char *text, int64_t *ret, struct skr_error *error);
/* Value in billionths, the finest a quantity has; SKR_LIMIT when whole units would not fit into
 * int64. */
int skr_quantity_parse_nano(const char *text, skr_int128 *ret, struct skr_error *error);

#endif
