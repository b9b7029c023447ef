/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and networks, as Kubernetes adds them (k8s.io/apiserver/pkg/cel/library/ip.go, cidr.go). */
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/net.h"

static struct skr_cel_value made(struct skr_cel_run *run, enum skr_cel_kind kind,
                                 const struct skr_cel_net *net)
{
    struct skr_cel_net *copy = skr_cel_room(run, 1, sizeof *copy);
    if (!copy) {
        return skr_cel_over(run);
    }
    *copy = *net;
    return (struct skr_cel_value){.kind = kind, .net = copy};
}

static bool parse(enum skr_cel_kind kind, const struct skr_cel_value *text, struct skr_cel_net *ret)
{
    return kind == SKR_CEL_IP ? skr_cel_ip_parse(text->text, text->n, ret)
                              : skr_cel_cidr_parse(text->text, text->n, ret);
}

/* way: the kind. */
static struct skr_cel_value read(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const enum skr_cel_kind kind = (enum skr_cel_kind)run->row->way;
    struct skr_cel_net net;
    return parse(kind, &arg[0], &net)
               ? made(run, kind, &net)
               : skr_cel_is_no(run, &arg[0], kind == SKR_CEL_IP ? "IP address" : "network");
}

/* way: the kind. */
static struct skr_cel_value is(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_net net;
    return skr_cel_bool(parse((enum skr_cel_kind)run->row->way, &arg[0], &net));
}

static struct skr_cel_value is_canonical(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_net net;
    char text[SKR_CEL_NET_TEXT];
    if (!parse(SKR_CEL_IP, &arg[0], &net)) {
        return skr_cel_is_no(run, &arg[0], "IP address");
    }
    const size_t n = skr_cel_ip_write(&net, text);
    return skr_cel_bool(n == arg[0].n && memcmp(text, arg[0].text, n) == 0);
}

static struct skr_cel_value to_string(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    char text[SKR_CEL_NET_TEXT];
    return skr_cel_copy(run, text,
                        arg[0].kind == SKR_CEL_IP ? skr_cel_ip_write(arg[0].net, text)
                                                  : skr_cel_cidr_write(arg[0].net, text));
}

/* ---- what an address is ---- */

static struct skr_cel_value family(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_int(arg[0].net->size == 4 ? 4 : 6);
}

/* Whether an address is in a network. */
static bool is_in(const struct skr_cel_net *ip, const char *cidr)
{
    struct skr_cel_net net;
    return skr_cel_cidr_parse(cidr, strlen(cidr), &net) && skr_cel_net_shares(&net, ip, net.bits);
}

/* Addresses for one link, and for this one host, as Go's net/netip knows them. */
static const char *const nets[][2] = {
    {"0.0.0.0/32", "::/128"},
    {"127.0.0.0/8", "::1/128"},
    {"224.0.0.0/24", NULL},
    {"169.254.0.0/16", "fe80::/10"},
};
enum { UNSPECIFIED, LOOPBACK, LINK_MULTICAST, LINK_UNICAST };

static bool is_of(const struct skr_cel_net *ip, size_t i)
{
    if (i == LINK_MULTICAST && ip->size == 16) { /* any flags, scope 2 */
        return ip->byte[0] == 0xff && (ip->byte[1] & 0x0f) == 0x02;
    }
    return is_in(ip, nets[i][ip->size == 4 ? 0 : 1]);
}

/* way: which of nets. */
static struct skr_cel_value is_special(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    return skr_cel_bool(is_of(arg[0].net, (size_t)run->row->way));
}

static struct skr_cel_value is_global(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_net *ip = arg[0].net;
    const bool multicast = is_in(ip, ip->size == 4 ? "224.0.0.0/4" : "ff00::/8");
    (void)run;
    return skr_cel_bool(!multicast && !is_of(ip, UNSPECIFIED) && !is_of(ip, LOOPBACK) &&
                        !is_of(ip, LINK_UNICAST) && !is_in(ip, "255.255.255.255/32"));
}

/* ---- networks ---- */

/* way: the kind of what is inside, an address or a network, or its text. */
static struct skr_cel_value contains(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const enum skr_cel_kind kind = (enum skr_cel_kind)run->row->way;
    const struct skr_cel_net *outer = arg[0].net;
    struct skr_cel_net inner;
    if (arg[1].kind != SKR_CEL_STRING) {
        inner = *arg[1].net;
    } else if (!parse(kind, &arg[1], &inner)) {
        return skr_cel_is_no(run, &arg[1], kind == SKR_CEL_IP ? "IP address" : "network");
    }
    return skr_cel_bool(skr_cel_net_shares(outer, &inner, outer->bits) &&
                        (kind == SKR_CEL_IP || outer->bits <= inner.bits));
}

static struct skr_cel_value address(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_net net = *arg[0].net;
    net.bits = 0;
    return made(run, SKR_CEL_IP, &net);
}

static struct skr_cel_value masked(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_net net = skr_cel_net_masked(arg[0].net);
    return made(run, SKR_CEL_CIDR, &net);
}

static struct skr_cel_value prefix_length(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_int(arg[0].net->bits);
}

const struct skr_cel_function skr_cel_net_functions[] = {
    {"ip", SKR_CEL_GLOBAL, "s:p", read, SKR_CEL_TEXT, SKR_CEL_IP},
    {"isIP", SKR_CEL_GLOBAL, "s:b", is, SKR_CEL_TEXT, SKR_CEL_IP},
    {"ip.isCanonical", SKR_CEL_GLOBAL, "s:b", is_canonical, SKR_CEL_TEXT, 0},
    {"string", SKR_CEL_GLOBAL, "p:s|c:s", to_string, SKR_CEL_FREE, 0},
    {"family", SKR_CEL_MEMBER, "p:i", family, SKR_CEL_FREE, 0},
    {"isUnspecified", SKR_CEL_MEMBER, "p:b", is_special, SKR_CEL_FREE, UNSPECIFIED},
    {"isLoopback", SKR_CEL_MEMBER, "p:b", is_special, SKR_CEL_FREE, LOOPBACK},
    {"isLinkLocalMulticast", SKR_CEL_MEMBER, "p:b", is_special, SKR_CEL_FREE, LINK_MULTICAST},
    {"isLinkLocalUnicast", SKR_CEL_MEMBER, "p:b", is_special, SKR_CEL_FREE, LINK_UNICAST},
    {"isGlobalUnicast", SKR_CEL_MEMBER, "p:b", is_global, SKR_CEL_FREE, 0},
    {"cidr", SKR_CEL_GLOBAL, "s:c", read, SKR_CEL_TEXT, SKR_CEL_CIDR},
    {"isCIDR", SKR_CEL_GLOBAL, "s:b", is, SKR_CEL_TEXT, SKR_CEL_CIDR},
    {"containsIP", SKR_CEL_MEMBER, "cs:b|cp:b", contains, SKR_CEL_FREE, SKR_CEL_IP},
    {"containsCIDR", SKR_CEL_MEMBER, "cs:b|cc:b", contains, SKR_CEL_FREE, SKR_CEL_CIDR},
    {"ip", SKR_CEL_MEMBER, "c:p", address, SKR_CEL_FREE, 0},
    {"masked", SKR_CEL_MEMBER, "c:c", masked, SKR_CEL_FREE, 0},
    {"prefixLength", SKR_CEL_MEMBER, "c:i", prefix_length, SKR_CEL_FREE, 0},
    {0},
};
