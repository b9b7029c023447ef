/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_BODY_H
#define SKR_SERVER_HTTP_BODY_H
/*
 * The body of a request while it arrives. A body beyond the limits of the listener is counted and
 * thrown away, so that the refusal can be answered. On the listener's thread.
 */
#include "server/http/connection.h"

/* What makes the end of the request ambiguous (RFC 9112, sections 5.1, 5.2, 6.1 and 6.3), as an answer
 * for the client; NULL: nothing. Another party on the way may see other requests in the bytes of such
 * a connection, so it must be closed. version: of the request line. */
const char *skr_body_framing_fault(struct skr_connection *connection, const char *version);
/* Content-Length; 0: the client does not announce it. */
uint64_t skr_body_announced(struct skr_connection *connection);
/* Whether n bytes are so many that the connection is closed instead of read to its end. */
bool skr_body_is_absurd(const struct skr_connection *connection, uint64_t n);
/* Appends a piece; beyond the limits the body is dropped and its bytes are counted. False: close the
 * connection (skr_body_is_absurd()). */
bool skr_body_add(struct skr_connection *connection, const char *upload, size_t n);
void skr_body_drop(struct skr_connection *connection); /* frees it */

#endif
