/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_NET_H
#define SKR_CORE_CEL_NET_H
/*
 * IP addresses and networks, read and written as Go's net/netip does. Neither zones nor IPv4 addresses
 * inside IPv6 are served, as in Kubernetes (k8s.io/apiserver/pkg/cel/library/ip.go). Pure.
 */
#include "core/cel/value.h"

struct skr_cel_net {
    uint8_t byte[16]; /* the first `size` */
    uint8_t size;     /* 4 or 16 */
    uint8_t bits;     /* of a network's prefix; 0 for an address */
};

enum { SKR_CEL_NET_TEXT = 48 };

/* False: n bytes of text are no address, or no network. */
bool skr_cel_ip_parse(const char *text, size_t n, struct skr_cel_net *ret);
bool skr_cel_cidr_parse(const char *text, size_t n, struct skr_cel_net *ret);
/* Whether n bytes of text are an IPv6 address to net/netip: with a zone, or IPv4 inside, too. */
bool skr_cel_is_ip6(const char *text, size_t n);
/* The canonical form; returns its bytes. */
size_t skr_cel_ip_write(const struct skr_cel_net *net, char to[SKR_CEL_NET_TEXT]);
size_t skr_cel_cidr_write(const struct skr_cel_net *net, char to[SKR_CEL_NET_TEXT]);

/* Whether the first bits of both are the same; false for two families. */
bool skr_cel_net_shares(const struct skr_cel_net *a, const struct skr_cel_net *b, uint8_t bits);
/* Without the bits behind the prefix. */
struct skr_cel_net skr_cel_net_masked(const struct skr_cel_net *net);

#endif
