/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_HTTP_CLIENT_H
#define SKR_TEST_UNIT_HTTP_CLIENT_H
/* A small HTTP/1.1 client on 127.0.0.1 for tests, blocking, 20 s at most for each wait; and keys
 * and certificates made on the spot. Everything fails the test (cmocka) that it cannot do. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int http_connect(uint16_t port);
bool http_can_connect(uint16_t port);
void http_send(int fd, const char *bytes, size_t n); /* stops silently when the peer is gone */
void http_send_text(int fd, const char *text);
/* A POST with Content-Length. */
void http_send_post(int fd, const char *path, const char *body, size_t n);

struct http_answer {
    int status; /* 0: closed without an answer */
    char *headers;
    char *body; /* NUL-terminated */
    size_t body_len;
};
/* One answer; bytes of a next one must not be there yet. */
struct http_answer http_receive(int fd);
void http_answer_free(struct http_answer *answer);
/* Frees the answer. Fails the test unless it has the status and the text is in its body; is it. */
void http_expect(struct http_answer answer, int status, const char *part);
void http_expect_body(struct http_answer answer, int status, const char *body);
/* Waits until the peer has closed. */
void http_wait_closed(int fd);

/* Connects, posts, receives, closes. */
struct http_answer http_post(uint16_t port, const char *path, const char *body);
struct http_answer http_request(uint16_t port, const char *method, const char *path);

/* Made by fake_pki.c. Files in a new directory: ca.pem, server.pem, server.key (127.0.0.1), client.pem, client.key, and
 * other.pem, other.key, a client of another CA, and serverauth.pem, serverauth.key, which the CA
 * has issued for servers alone. */
struct http_certificates {
    char directory[64];
};
void http_certificates_make(struct http_certificates *certificates);
void http_certificates_remove(struct http_certificates *certificates);
/* Path of a file in it; one of 64 that are used in turn. */
const char *http_certificates_path(const struct http_certificates *certificates, const char *name);

#endif
