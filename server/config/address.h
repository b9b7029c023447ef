/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CONFIG_ADDRESS_H
#define SKR_SERVER_CONFIG_ADDRESS_H
/* Addresses to listen on: "127.0.0.1:9660", "[::1]:9660", "localhost:9660", ":9660" (every
 * address of the machine). Numbers only, so that no name server decides where we listen; port 0
 * lets the kernel choose. */
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "topology/base/error.h"

/* Errors: SKR_INVALID with the text and what is wrong with it. */
int skr_address_parse(const char *text, struct sockaddr_storage *ret, socklen_t *ret_len,
                      struct skr_error *error);

/* A listening, non-blocking, close-on-exec TCP socket, and the port it got. Errors: as above;
 * SKR_DENIED (privileged port), SKR_CONFLICT (in use), SKR_RETRY (others), with the address. */
int skr_address_listen(const char *text, int *ret_fd, uint16_t *ret_port, struct skr_error *error);

/* Whether only this machine can be reached or speaks there: 127.0.0.0/8, ::1, and the former
 * written as IPv6. */
bool skr_address_is_loopback(const struct sockaddr_storage *address);

#endif
