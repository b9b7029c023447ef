/* SPDX-License-Identifier: Apache-2.0 */
/* Who we are to the API server, and whom we believe to be it. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/test.h"
#include "test/unit/fake_client.h"

TEST(a_server_with_our_authority_is_trusted_by_address_and_by_name)
{
    for (int named = 0; named < 2; named++) {
        struct fake_client c;
        fake_client_begin_tls(&c, false);
        if (named) {
            c.access.tls_server_name = skr_strdup("kubernetes");
        }
        skr_kube_secret_take(&c.access.token, skr_strdup("s3cret"), 6);
        fake_client_start_synced(&c);
        fake_client_expect_request(&c, POD_LIST, 0, "Authorization: Bearer s3cret\n");
        fake_client_expect_request(&c, POD_LIST, 0, "Host: 127.0.0.1:");
        fake_client_end(&c);
    }
}

TEST(a_server_of_an_unknown_authority_gets_no_credentials)
{
    enum { OTHER_CA, OTHER_NAME, SYSTEM_CA, WAYS };
    for (int way = 0; way < WAYS; way++) {
        struct fake_client c;
        fake_client_begin_tls(&c, false);
        const struct fake_pki *pki = fake_pki_get();
        if (way == OTHER_CA) {
            skr_kube_secret_take(&c.access.ca, skr_strdup(pki->client_cert),
                                 strlen(pki->client_cert));
        } else if (way == OTHER_NAME) {
            c.access.tls_server_name = skr_strdup("elsewhere");
        } else {
            skr_kube_secret_take(&c.access.ca, NULL, 0);
        }
        skr_kube_secret_take(&c.access.token, skr_strdup("s3cret"), 6);
        fake_client_start(&c);
        fake_api_wait_connections(c.api, 2 * FAKE_RESOURCES + 1);
        assert_int_equal(fake_api_count(c.api, ""), 0);
        fake_client_end(&c);
    }
}

TEST(an_insecure_cluster_is_not_checked)
{
    struct fake_client c;
    fake_client_begin_tls(&c, false);
    skr_kube_secret_take(&c.access.ca, NULL, 0);
    c.access.insecure = true;
    fake_client_start_synced(&c);
    fake_client_end(&c);
}

TEST(a_client_certificate_opens_the_door)
{
    const struct fake_pki *pki = fake_pki_get();
    for (int with = 0; with < 2; with++) {
        struct fake_client c;
        fake_client_begin_tls(&c, true);
        if (with) {
            skr_kube_secret_take(&c.access.certificate, skr_strdup(pki->client_cert),
                                 strlen(pki->client_cert));
            skr_kube_secret_take(&c.access.key, skr_strdup(pki->client_key),
                                 strlen(pki->client_key));
            fake_client_start_synced(&c);
        } else {
            fake_client_start(&c);
            fake_api_wait_connections(c.api, 2 * FAKE_RESOURCES + 1);
            assert_int_equal(fake_api_count(c.api, ""), 0);
        }
        fake_client_end(&c);
    }
}

TEST_CLIENT(a_user_with_a_password_is_sent_as_such)
{
    c->access.username = skr_strdup("joe");
    c->access.password = skr_strdup("pw");
    fake_client_start_synced(c);
    fake_client_expect_request(c, POD_LIST, 0, "Authorization: Basic am9lOnB3\n");
}

static void write_token(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

TEST(a_rotated_token_is_read_when_the_old_one_is_refused)
{
    char path[] = "/tmp/skr-token-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    write_token(path, "old");
    struct fake_client c;
    fake_client_begin(&c);
    c.options.backoff_min = 300 * SKR_MILLISECOND;
    c.options.backoff_max = 1200 * SKR_MILLISECOND;
    struct skr_error error = {0};
    assert_int_equal(skr_kube_secret_read(&c.access.token, path, &error), 0);
    fake_client_start_synced(&c);
    fake_api_wait_count(c.api, POD_WATCH, 1);
    write_token(path, "new\n");
    /* Files are read at most once a second, so refuse until the new token shows. */
    fake_api_expect(c.api, &(struct fake_step){.match = POD_WATCH, .status = 401});
    fake_api_expect(c.api, &(struct fake_step){.match = POD_WATCH, .status = 401});
    fake_api_expect(c.api, &(struct fake_step){.match = POD_WATCH, .status = 401});
    fake_api_expect(c.api, &(struct fake_step){.match = POD_WATCH, .status = 401});
    fake_api_end(c.api, POD_WATCH, FAKE_ANSWER);
    fake_client_expect_request(&c, POD_WATCH, 5, "Authorization: Bearer new\n");
    assert_int_equal(fake_client_stats(&c).credential_reloads, 1);
    fake_client_end(&c);
    (void)unlink(path);
}

AFTER_ALL
{
    fake_pki_free();
}

/* In a mount namespace of its own, where the system trusts the server's authority: 0 when the
 * client, which was given another one, sends nothing all the same; 77: cannot be tried here. */
static int distrust_the_system(const char *folder)
{
    const struct fake_pki *pki = fake_pki_get();
    char command[300];
    (void)snprintf(command, sizeof command, "openssl rehash %s", folder);
    const bool root = geteuid() == 0;
    if (unshare(root ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || system(command) != 0 ||
        mount(folder, "/etc/ssl/certs", NULL, MS_BIND, NULL) != 0) {
        return 77;
    }
    struct fake_client c;
    fake_client_begin_tls(&c, false);
    skr_kube_secret_take(&c.access.ca, skr_strdup(pki->client_cert), strlen(pki->client_cert));
    skr_kube_secret_take(&c.access.token, skr_strdup("s3cret"), 6);
    fake_client_start(&c);
    fake_api_wait_connections(c.api, 2 * FAKE_RESOURCES + 1);
    const size_t n = fake_api_count(c.api, "");
    fake_client_end(&c);
    return n == 0 ? 0 : 1;
}

TEST(authorities_of_the_system_are_not_trusted_for_the_cluster)
{
    char folder[] = "/tmp/skr-authorities-XXXXXX";
    char file[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/ca.pem", folder);
    FILE *out = fopen(file, "we");
    assert_non_null(out);
    assert_true(fputs(fake_pki_get()->ca, out) >= 0);
    assert_int_equal(fclose(out), 0);
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(distrust_the_system(folder));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)snprintf(file, sizeof file, "rm -rf %s", folder);
    assert_int_equal(system(file), 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("SKIP: no mount namespaces or no openssl\n");
        skip();
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
