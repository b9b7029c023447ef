/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_REVIEW_TEXT_H
#define SKR_SERVER_HTTP_REVIEW_TEXT_H
/*
 * An AdmissionReview of a pod without what the spot mix and the gate do not read: containers, volumes, managed
 * fields, status, user. They are nine tenths of what API servers send. A tree of values costs ten
 * times as much as one look at every byte. What is left out has been checked for its syntax, too.
 */
#include <stddef.h>

/* A text that has the same answer (core/spotmix/mix.h, gate.h), len_ret bytes; free() it. NULL: the
 * text is to be read as it is, because it is no JSON, has U+0000 in a string or more than
 * SKR_JSON_DEPTH_MAX levels. text is not changed. O(len). */
char *skr_review_text_shorten(const char *text, size_t len, size_t *len_ret);

#endif
