/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and warnings by their parts. */
#include "topology/defect.h"

#include <string.h>

void skr_defect_add(const struct skr_defects *to, const char *code, bool is_warning,
                    const struct skr_error *error)
{
    char key[SKR_ERROR_KEY_MAX];
    char text[SKR_ERROR_TEXT_MAX];
    if (!to) {
        return;
    }
    skr_error_key(error, key);
    memcpy(text, error->text + error->sentence_at, error->sentence_length);
    text[error->sentence_length] = '\0';
    to->add(to->context, &(struct skr_defect){.code = code,
                                              .is_warning = is_warning,
                                              .key = key,
                                              .at = error->at,
                                              .see = error->see,
                                              .text = text});
}
