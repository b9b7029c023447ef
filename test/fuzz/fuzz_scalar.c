/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small forms: integers, names, label values, base64, addresses to listen on, URLs of API
 * servers. Each input is read as all of them.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <sys/socket.h>

#include "core/group/label_value.h"
#include "server/config/address.h"
#include "server/kube/access.h"
#include "server/kube/base64.h"
#include "server/kube/decode.h"
#include "server/object/names.h"
#include "test/fuzz/fuzz.h"
#include "topology/base/decimal.h"

static void check_integers(const char *text)
{
    int64_t decimal = 0;
    bool is_decimal = skr_decimal_parse(text, strlen(text), &decimal);
    if (is_decimal) {
        char again[24];
        int64_t value = 0;
        int n = snprintf(again, sizeof again, "%" PRId64, decimal);
        fuzz_check(skr_decimal_parse(again, (size_t)n, &value) && value == decimal);
    }
    uint64_t version = skr_kube_version_parse(text);
    fuzz_check(!is_decimal || text[0] < '0' || version == (uint64_t)decimal);
}

static bool is_word(const char *text, const char *others, size_t max, bool upper)
{
    size_t n = strlen(text);
    char allowed[96];
    snprintf(allowed, sizeof allowed, "abcdefghijklmnopqrstuvwxyz0123456789%s%s",
             upper ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "", others);
    return n > 0 && n <= max && strspn(text, allowed) == n && !strchr(others, text[0]) &&
           !strchr(others, text[n - 1]);
}

static void check_names(const char *text)
{
    fuzz_check(skr_name_dns_subdomain(text) || is_word(text, "-.", 253, false));
    fuzz_check(skr_label_value_is_valid(text) ==
               (*text == '\0' || is_word(text, "-_.", SKR_LABEL_VALUE_MAX, true)));
}

static void check_base64(const uint8_t *data, size_t size)
{
    struct skr_error error;
    char *out = NULL;
    size_t len = 0;
    int rc = skr_base64_decode((const char *)data, size, &out, &len, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        fuzz_check(len <= size / 4 * 3 && out[len] == '\0');
        free(out);
    } else {
        fuzz_check(rc == -SKR_INVALID);
    }
}

static void check_address(const char *text)
{
    struct sockaddr_storage address, again;
    socklen_t len = 0, again_len = 0;
    struct skr_error error;
    char host[INET6_ADDRSTRLEN], written[INET6_ADDRSTRLEN + 16];
    int rc = skr_address_parse(text, &address, &len, &error);
    fuzz_check_rc(rc, &error);
    if (rc < 0) {
        fuzz_check(strstr(error.text, "port") || strstr(error.text, "not an IP address"));
        return;
    }
    bool v6 = address.ss_family == AF_INET6;
    struct sockaddr_in six4;
    struct sockaddr_in6 six6;
    memcpy(&six4, &address, sizeof six4);
    memcpy(&six6, &address, sizeof six6);
    fuzz_check(inet_ntop(address.ss_family,
                         v6 ? (const void *)&six6.sin6_addr : (const void *)&six4.sin_addr, host,
                         sizeof host));
    snprintf(written, sizeof written, v6 ? "[%s]:%u" : "%s:%u", host,
             (unsigned)ntohs(v6 ? six6.sin6_port : six4.sin_port));
    rc = skr_address_parse(written, &again, &again_len, &error);
    fuzz_check(rc == 0 && again_len == len && memcmp(&again, &address, len) == 0);
    (void)skr_address_is_loopback(&address);
}

static void check_server(const char *url)
{
    struct skr_kube_access access, again;
    struct skr_error error;
    skr_kube_access_init(&access);
    skr_kube_access_init(&again);
    int rc = skr_kube_access_set_server(&access, url, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        fuzz_check(strncmp(access.server, "http", 4) == 0 && access.host[0] != '\0');
        fuzz_check(strlen(access.host) <= SKR_KUBE_ACCESS_ADDRESS_BYTES_MAX);
        fuzz_check(access.port[0] && access.port[strspn(access.port, "0123456789")] == '\0');
        fuzz_check(access.server[strlen(access.server) - 1] != '/');
        fuzz_check(!strpbrk(access.server, "\r\n \t?#"));
        fuzz_check(skr_kube_access_set_server(&again, access.server, &error) == 0);
        fuzz_check(strcmp(again.server, access.server) == 0 && !strcmp(again.host, access.host) &&
                   strcmp(again.port, access.port) == 0);
    } else { /* the reason is there, however long the URL is */
        fuzz_check(strstr(error.text, "is not a URL: ") || strstr(error.text, "does not begin") ||
                   strstr(error.text, "holds a") || strstr(error.text, "no usable host"));
    }
    skr_kube_access_fini(&again);
    skr_kube_access_fini(&access);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    check_integers(text);
    check_names(text);
    check_base64(data, size);
    check_address(text);
    check_server(text);
    return 0;
}
