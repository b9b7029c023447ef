/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_LABEL_VALUE_H
#define SKR_CORE_GROUP_LABEL_VALUE_H
/* The form of label values (apimachinery validation.IsValidLabelValue). */
#include <stdbool.h>

enum { SKR_LABEL_VALUE_MAX = 63 }; /* bytes */

/* Empty, or at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends. */
bool skr_label_value_is_valid(const char *s);

#endif
