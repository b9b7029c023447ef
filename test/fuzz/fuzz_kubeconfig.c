/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files: a way to an API server, or reasons with positions. Absolute paths in them are
 * made relative to a folder that does not exist, so that no fuzzer reads files of the machine. */
#include "server/kube/kubeconfig.h"
#include "test/fuzz/findings.h"
#include "test/fuzz/fuzz.h"

/* "/x" in values becomes "_x"; URLs ("//") stay. */
static void hide_paths(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool url = (i > 0 && text[i - 1] == '/') || (i + 1 < n && text[i + 1] == '/');
        bool inside = i > 0 && text[i - 1] != ' ' && text[i - 1] != '"' && text[i - 1] != '\'' &&
                      text[i - 1] != ':' && text[i - 1] != '\n';
        if (text[i] == '/' && !url && !inside) {
            text[i] = '_';
        }
    }
}

static bool is_header_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            return false;
        }
    }
    return true;
}

static void check_access(const struct skr_kube_access *a)
{
    fuzz_check(a->source && strncmp(a->server, "http", 4) == 0 && a->host[0] != '\0');
    fuzz_check(a->port[0] && a->port[strspn(a->port, "0123456789")] == '\0');
    fuzz_check(!strpbrk(a->server, "\r\n \t"));
    if (a->token.data) {
        fuzz_check(a->token.n > 0 && a->token.n <= SKR_KUBE_TOKEN_MAX);
        fuzz_check(is_header_text(a->token.data) && strlen(a->token.data) == a->token.n);
    }
    fuzz_check(!a->ca.data || skr_kube_secret_is_pem(&a->ca));
    fuzz_check(!a->certificate.data == !a->key.data);
    fuzz_check(!a->certificate.data || skr_kube_secret_is_pem(&a->certificate));
    fuzz_check(!a->key.data || skr_kube_secret_is_pem(&a->key));
    fuzz_check(!a->certificate.data || a->certificate.data[a->certificate.n] == '\0');
    fuzz_check(!a->password || a->username);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_findings findings;
    struct skr_kube_access access;
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    hide_paths(text, size);
    skr_findings_init(&findings);
    skr_kube_access_init(&access);
    int rc = skr_kubeconfig_parse(text, size, "/nonexistent/config", &access, &findings);
    fuzz_check(rc == 0 || rc == -SKR_INVALID);
    fuzz_check((rc < 0) == (findings.n_errors > 0));
    if (rc == 0) {
        check_access(&access);
    } else {
        fuzz_check(!access.server && !access.token.data);
    }
    fuzz_check_findings(&findings, size);
    skr_kube_access_fini(&access);
    return 0;
}
