/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_UI_H
#define SKR_SERVER_HTTP_UI_H
/*
 * The page /ui on the admin listener, and who may ask from a browser.
 *
 * Every web page that a user has open can send requests to ports of the user's loopback. So a request
 * below /ui or /v1 is refused if it comes from another site (Sec-Fetch-Site: cross-site, 403), or if
 * its Host is not a name of this listener (421), as a foreign name that resolves to the loopback is
 * not. Names are 127.0.0.1, localhost, [::1], and with TLS those of the certificate. A caller
 * of another machine may use any name for /v1: what reaches beyond the loopback needs a client
 * certificate (admin.tls).
 */
#include "server/http/admin.h"

struct skr_ui;
struct skr_ui *skr_ui_create(void);
struct skr_admin_route skr_ui_route(struct skr_ui *ui);
void skr_ui_destroy(struct skr_ui *ui); /* after the listener; NULL allowed */

/* Whether the request may be answered; otherwise it is refused. */
bool skr_ui_admits(struct skr_http_request *request);

#endif
