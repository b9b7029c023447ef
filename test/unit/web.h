/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_WEB_H
#define SKR_TEST_UNIT_WEB_H
/* HTTP requests with libcurl, from any thread; nothing fails a test here. */
#include <stddef.h>
#include <stdint.h>

struct web_tls {
    const char *ca, *cert, *key; /* files; cert and key may be NULL */
};

struct web_answer {
    int status;    /* 0: none */
    char *body;    /* heap, never NULL */
    char why[256]; /* without an answer */
    int64_t took_ns;
};

void web_init(void); /* once, before the first thread */
/* body NULL: GET. tls NULL: plain. Free the body. */
struct web_answer web_ask(const char *method, uint16_t port, const char *path, const char *body,
                          const struct web_tls *tls, long timeout_ms);
/* GET of a plain listener: status, 0 when nobody answers. *ret_body (may be NULL): heap. */
int web_get(uint16_t port, const char *path, char **ret_body);

#endif
