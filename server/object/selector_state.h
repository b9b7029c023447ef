/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_SELECTOR_STATE_H
#define SKR_SERVER_OBJECT_SELECTOR_STATE_H
/* The inside of a selector, shared by its readers (selector_labels.c, selector_fields.c) and
 * selector.c only. */
#include "server/object/selector.h"

enum operator{ IN, NOT_IN, EXISTS, NOT_EXISTS, GREATER, LESS };

struct requirement {
    char *key;
    enum operator op;
    size_t n, cap;
    char **value;
    int64_t bound; /* GREATER, LESS */
};

struct skr_selector {
    bool nothing;
    bool fields;
    size_t n, cap;
    struct requirement *item;
};

struct requirement *skr_selector_add(struct skr_selector *s, char *key, enum operator op);
void skr_selector_add_value(struct requirement *r, char *value); /* taken over */
char *skr_selector_copy(const char *s, size_t n);                /* free() it */
/* r 0: *ret is s; else s is destroyed. Returns r. */
int skr_selector_finish(struct skr_selector *s, int r, struct skr_selector **ret);
/* SKR_LIMIT beyond SKR_SELECTOR_BYTES_MAX. */
int skr_selector_check_length(const char *text, struct skr_error *error);
/* The value of the object's field that a requirement names, or its default if the field is absent.
 * NULL: the kind has no such field. number: memory for numbers as text. */
const char *skr_selector_field_value(const struct requirement *r, const json_t *object,
                                     char number[24]);

#endif
