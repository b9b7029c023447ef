/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_URL_H
#define SKR_CORE_CEL_URL_H
/* URLs, read as Go's net/url does, which Kubernetes uses (k8s.io/apiserver/pkg/cel/library/urls.go).
 * Pure. */
#include "core/cel/value.h"

/* All parts are strings. */
struct skr_cel_url {
    struct skr_cel_value scheme; /* in lower case */
    struct skr_cel_value opaque; /* behind the scheme, if that is not followed by "/" */
    struct skr_cel_value user, password;
    struct skr_cel_value host;                  /* with its port, decoded */
    struct skr_cel_value path, query, fragment; /* encoded */
    bool has_user, has_password, has_query;
};

enum skr_cel_url_parsed { SKR_CEL_URL_GOOD, SKR_CEL_URL_BAD, SKR_CEL_URL_NO_ROOM };

/* Reads an absolute URL or an absolute path. *ret is in the arena or in the text. O(bytes). */
enum skr_cel_url_parsed skr_cel_url_parse(const struct skr_cel_value *text, struct skr_arena *arena,
                                          struct skr_cel_url *ret);
/* Whether the text is one for the function isURL(), which takes "#" for a part of the path. */
enum skr_cel_url_parsed skr_cel_url_check(const struct skr_cel_value *text,
                                          struct skr_arena *arena);
/* *ret: the text of a key or value in a query, decoded. False: it is malformed, or there is no room,
 * which kind ERROR says. */
bool skr_cel_url_query_read(const struct skr_cel_value *text, struct skr_arena *arena,
                            struct skr_cel_value *ret);
/* "HOST:PORT" as both; an IPv6 address is without its brackets. */
void skr_cel_url_split_host(const struct skr_cel_value *host, struct skr_cel_value *ret_name,
                            struct skr_cel_value *ret_port);
bool skr_cel_url_equal(const struct skr_cel_url *a, const struct skr_cel_url *b);

#endif
