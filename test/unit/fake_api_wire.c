/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of the scripted API server: HTTP/1.1 with Content-Length requests, GnuTLS where TLS is
 * asked for. */
#include "test/unit/fake_api_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

void fake_wire_load_pki(struct fake_api *api)
{
    const struct fake_pki *p = api->pki;
    gnutls_datum_t cert = {.data = (unsigned char *)fake_copy(p->server_cert),
                           .size = (unsigned int)strlen(p->server_cert)};
    gnutls_datum_t key = {.data = (unsigned char *)fake_copy(p->server_key),
                          .size = (unsigned int)strlen(p->server_key)};
    gnutls_datum_t ca = {.data = (unsigned char *)fake_copy(p->ca),
                         .size = (unsigned int)strlen(p->ca)};
    if (gnutls_certificate_allocate_credentials(&api->credentials) < 0 ||
        gnutls_certificate_set_x509_key_mem(api->credentials, &cert, &key, GNUTLS_X509_FMT_PEM) <
            0 ||
        gnutls_certificate_set_x509_trust_mem(api->credentials, &ca, GNUTLS_X509_FMT_PEM) < 0) {
        abort();
    }
    free(cert.data);
    free(key.data);
    free(ca.data);
}

bool fake_wire_begin(struct fake_conn *c)
{
    struct fake_api *api = c->api;
    if (!api->pki) {
        return true;
    }
    if (gnutls_init(&c->tls, GNUTLS_SERVER | GNUTLS_NO_SIGNAL) < 0) {
        return false;
    }
    (void)gnutls_set_default_priority(c->tls);
    (void)gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, api->credentials);
    if (api->require_client) {
        gnutls_certificate_server_set_request(c->tls, GNUTLS_CERT_REQUIRE);
        gnutls_session_set_verify_cert(c->tls, NULL, 0);
    }
    gnutls_transport_set_int(c->tls, c->fd);
    int rc;
    do {
        rc = gnutls_handshake(c->tls);
    } while (rc < 0 && !gnutls_error_is_fatal(rc));
    return rc == 0;
}

bool fake_wire_write(struct fake_conn *c, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t sent =
            c->tls ? gnutls_record_send(c->tls, data, n) : send(c->fd, data, n, MSG_NOSIGNAL);
        if (sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

static ssize_t read_some(struct fake_conn *c, char *data, size_t n)
{
    ssize_t got;
    do {
        got = c->tls ? gnutls_record_recv(c->tls, data, n) : recv(c->fd, data, n, 0);
    } while (c->tls && (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED));
    return got;
}

void fake_wire_reset(const struct fake_conn *c)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

size_t fake_wire_request(struct fake_conn *c, size_t *ret_head)
{
    for (;;) {
        c->buffer[c->n] = '\0';
        char *head = strstr(c->buffer, "\r\n\r\n");
        if (head) {
            size_t head_len = (size_t)(head - c->buffer) + 4;
            const char *length = strcasestr(c->buffer, "\r\nContent-Length:");
            size_t body = length && length < head ? strtoul(length + 17, NULL, 10) : 0;
            if (head_len + body > FAKE_REQUEST_MAX) {
                return 0;
            }
            if (c->n >= head_len + body) {
                *ret_head = head_len;
                return head_len + body;
            }
        }
        ssize_t got =
            c->n < FAKE_REQUEST_MAX ? read_some(c, c->buffer + c->n, FAKE_REQUEST_MAX - c->n) : 0;
        if (got <= 0) {
            return 0;
        }
        c->n += (size_t)got;
    }
}
