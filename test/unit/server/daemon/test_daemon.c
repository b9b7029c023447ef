/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending the daemon inside the test: what it says when a part cannot start, that
 * nothing is left behind then, and that it ends at once whatever it was doing. */
#include <sys/socket.h>
#include <unistd.h>

#include "server/config/address.h"
#include "server/daemon/daemon.h"
#include "server/log.h"
#include "test/test.h"

static char directory[] = "/tmp/sakkara-daemon-XXXXXX";
static char kubeconfig[64];

BEFORE_ALL
{
    assert_non_null(mkdtemp(directory));
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", directory);
    FILE *file = fopen(kubeconfig, "w");
    assert_non_null(file);
    /* Nobody listens on port 1. */
    fputs("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "
          "\"http://127.0.0.1:1\"}}]\nusers: [{name: u, user: {}}]\n"
          "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
          file);
    skr_log_set_level(0);
    assert_int_equal(fclose(file), 0);
}

AFTER_ALL
{
    unlink(kubeconfig);
    rmdir(directory);
}

static struct skr_config *config_of(const char *more)
{
    struct skr_findings findings;
    struct skr_config *config = NULL;
    char text[1024];
    skr_findings_init(&findings);
    snprintf(text, sizeof text, "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n%s", more);
    assert_int_equal(skr_config_parse(text, strlen(text), &config, &findings), 0);
    return config;
}

#define ANY_PORTS                                                                    \
    "extender: {listen: '127.0.0.1:0', bindListen: '127.0.0.1:0'}\nadmin: {listen: " \
    "'127.0.0.1:0'}\n"

/* Expects a refusal; its text is in error, positions in findings. */
static void refuse(const char *more, const char *file, struct skr_findings *findings,
                   struct skr_error *error)
{
    SKR_AUTO(skr_config_destroy) struct skr_config *config = config_of(more);
    struct skr_daemon *daemon = NULL;
    skr_findings_init(findings);
    int rc = skr_daemon_create(config, file, &daemon, findings, error);
    assert_true(rc < 0);
    assert_null(daemon);
}

TEST(it_starts_without_an_api_server_and_ends_at_once)
{
    for (int i = 0; i < 10; i++) {
        SKR_AUTO(skr_config_destroy) struct skr_config *config = config_of(ANY_PORTS);
        struct skr_daemon *daemon = NULL;
        struct skr_findings findings;
        struct skr_error error = {.code = SKR_OK};
        skr_findings_init(&findings);
        int rc = skr_daemon_create(config, kubeconfig, &daemon, &findings, &error);
        assert_string_equal(error.text, "");
        assert_int_equal(rc, 0);
        skr_daemon_destroy(daemon);
    }
}

TEST(a_port_in_use_is_named)
{
    static const char *const forms[] = {
        "extender: {listen: '127.0.0.1:%u', bindListen: '127.0.0.1:0'}\nadmin: {listen: "
        "'127.0.0.1:0'}\n",
        "extender: {listen: '127.0.0.1:0', bindListen: '127.0.0.1:%u'}\nadmin: {listen: "
        "'127.0.0.1:0'}\n",
        "extender: {listen: '127.0.0.1:0', bindListen: '127.0.0.1:0'}\nadmin: {listen: "
        "'127.0.0.1:%u'}\n",
    };
    int fd;
    uint16_t port;
    assert_int_equal(skr_address_listen("127.0.0.1:0", &fd, &port, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        struct skr_findings findings;
        struct skr_error error;
        SKR_STRBUF(text);
        const char *at = strstr(forms[i], "%u");
        skr_strbuf_addn(&text, forms[i], (size_t)(at - forms[i]));
        skr_strbuf_addf(&text, "%u%s", port, at + 2);
        refuse(text.s, kubeconfig, &findings, &error);
        assert_non_null(strstr(error.text, test_text("127.0.0.1:%u", port)));
    }
    close(fd);
}

TEST(a_kubeconfig_that_cannot_be_used_is_named_with_positions)
{
    struct skr_findings findings;
    struct skr_error error;
    refuse(ANY_PORTS, "/nonexistent/kubeconfig", &findings, &error);
    assert_string_equal(error.text, "/nonexistent/kubeconfig: the kubeconfig cannot be used");
    assert_int_equal(findings.n_errors, 1);
    assert_string_equal(findings.item[0].text, "cannot be read: No such file or directory");
}

TEST(without_kubeconfig_and_pod_it_says_what_to_do)
{
    struct skr_findings findings;
    struct skr_error error;
    unsetenv("KUBERNETES_SERVICE_HOST");
    refuse(ANY_PORTS, NULL, &findings, &error);
    assert_non_null(strstr(error.text, "--kubeconfig"));
}

TEST(certificates_that_are_missing_are_named)
{
    struct skr_findings findings;
    struct skr_error error;
    refuse("extender: {listen: '127.0.0.1:0', bindListen: '127.0.0.1:0', tls: {certFile: /no/crt, "
           "keyFile: /no/key}}\nadmin: {listen: '127.0.0.1:0'}\n",
           kubeconfig, &findings, &error);
    assert_non_null(strstr(error.text, "/no/crt"));
    refuse(ANY_PORTS "gate: {listen: '127.0.0.1:0', certFile: /no/gate, keyFile: /no/key}\n",
           kubeconfig, &findings, &error);
    assert_non_null(strstr(error.text, "/no/gate"));
}
