/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_LABEL_VALUE_H
#define SKR_CORE_GROUP_LABEL_VALUE_H
/* The form of label keys and values (apimachinery validation.IsQualifiedName, IsValidLabelValue). */
#include <stdbool.h>
#include <stddef.h>

enum { SKR_LABEL_VALUE_MAX = 63, SKR_LABEL_PREFIX_MAX = 253 }; /* bytes */

/* Empty, or at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends. */
bool skr_label_value_is_valid(const char *s);
/* An optional DNS subdomain of at most 253 bytes and "/", then such a value that is not empty. */
bool skr_label_key_is_valid(const char *s);
/* The same with other limits, in bytes. */
bool skr_qualified_name_is_valid(const char *text, size_t prefix_max, size_t name_max);

#endif
