/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files, service accounts of pods, base64: what is read, what is refused and where. */
#include <unistd.h>

#include "server/kube/base64.h"
#include "server/kube/kubeconfig.h"
#include "test/test.h"

#define LEN(a) (sizeof a / sizeof((a)[0]))

/* "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" */
#define PEM64 "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
#define PEM   "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

#define HEAD                                             \
    "apiVersion: v1\nkind: Config\ncurrent-context: a\n" \
    "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: \"https://h:6443\"}}]\n"
#define USER    "users: [{name: u, user: {token: t}}]\n"

struct parsed {
    struct skr_kube_access access;
    struct skr_findings findings;
    struct skr_strbuf text; /* the findings as people read them */
    int result;
};

static void parse(struct parsed *p, const char *file, const char *text, size_t n)
{
    skr_kube_access_init(&p->access);
    skr_findings_init(&p->findings);
    skr_strbuf_init(&p->text);
    p->result = skr_kubeconfig_parse(text, n, file, &p->access, &p->findings);
    skr_findings_write(&p->findings, "kc", &p->text);
    skr_strbuf_addn(&p->text, "", 0);
}

static void parsed_fini(struct parsed *p)
{
    skr_kube_access_fini(&p->access);
    skr_strbuf_fini(&p->text);
}

static void expect_good(struct parsed *p, const char *text)
{
    parse(p, "kc", text, strlen(text));
    if (p->result != 0) {
        fail_msg("refused: %s", p->text.s);
    }
}

TEST(token_and_inline_ca_are_read)
{
    struct parsed p;
    expect_good(&p, HEAD "clusters:\n- name: c\n  cluster:\n    server: https://h:6443/prefix//\n"
                         "    certificate-authority-data: " PEM64 "\n"
                         "    tls-server-name: kubernetes\n    proxy-url: http://p:3128\n"
                         "users:\n- name: u\n  user:\n    token: abc.def\n");
    assert_string_equal(p.access.server, "https://h:6443/prefix");
    assert_string_equal(p.access.host, "h");
    assert_string_equal(p.access.port, "6443");
    assert_string_equal(p.access.tls_server_name, "kubernetes");
    assert_string_equal(p.access.proxy_url, "http://p:3128");
    assert_string_equal(p.access.ca.data, PEM);
    assert_int_equal(p.access.ca.n, strlen(PEM));
    assert_string_equal(p.access.token.data, "abc.def");
    assert_false(p.access.insecure);
    assert_null(p.access.username);
    parsed_fini(&p);
}

TEST(only_the_entries_of_the_current_context_count)
{
    struct parsed p;
    expect_good(&p, "current-context: a\npreferences: {}\n"
                    "contexts: [{name: b, context: {cluster: x, user: y}},"
                    " {name: a, context: {cluster: c, user: u, namespace: n}}]\n"
                    "clusters: [{name: x, cluster: {server: 'ftp://nonsense'}},"
                    " {name: c, cluster: {server: 'http://[::1]:8080'}}]\n"
                    "users: [{name: y, user: {exec: {command: login}}},"
                    " {name: u, user: {username: joe, password: 'p:w'}}]\n");
    assert_string_equal(p.access.host, "::1");
    assert_string_equal(p.access.port, "8080");
    assert_string_equal(p.access.username, "joe");
    assert_string_equal(p.access.password, "p:w");
    parsed_fini(&p);
}

TEST(json_is_read_like_yaml)
{
    struct parsed p;
    expect_good(&p, "{\"current-context\": \"a\", \"contexts\": [{\"name\": \"a\", \"context\": "
                    "{\"cluster\": \"c\"}}], \"clusters\": [{\"name\": \"c\", \"cluster\": "
                    "{\"server\": \"https://h\", \"insecure-skip-tls-verify\": true}}]}");
    assert_true(p.access.insecure);
    assert_string_equal(p.access.port, "443");
    assert_null(p.access.token.data);
    parsed_fini(&p);
}

TEST(client_certificate_data_is_read)
{
    struct parsed p;
    expect_good(&p, HEAD CLUSTER "users: [{name: u, user: {client-certificate-data: " PEM64
                                 ", client-key-data: " PEM64 "}}]\n");
    assert_string_equal(p.access.certificate.data, PEM);
    assert_string_equal(p.access.key.data, PEM);
    parsed_fini(&p);
}

TEST(every_broken_file_is_refused_with_its_position)
{
    static const struct {
        const char *text;
        const char *finding; /* one of the lines */
    } cases[] = {
        {"", "kc: error: the file is empty"},
        {"- a\n", "kc:1:1: error: not a kubeconfig: the document must be a mapping"},
        {"a: [b\n", "kc:2:1: error: not YAML: did not find expected ',' or ']'"},
        {"kind: Pod\napiVersion: v1\n", "kc:1:7: error: kind must be Config, not \"Pod\""},
        {HEAD "apiVersion: v1\n" USER, "kc:4:41: error: \"c\" is not among clusters"},
        {"kind: Config\n", "kc:1:1: error: current-context is not set; choose one with kubectl "
                           "config use-context"},
        {"current-context: z\n" CLUSTER USER, "kc:1:18: error: \"z\" is not among contexts"},
        {HEAD CLUSTER "users: []\n", "kc:4:50: error: \"u\" is not among users"},
        {HEAD CLUSTER "users: {a: b}\n", "kc:4:50: error: \"u\" is not among users"},
        {HEAD "clusters: [{name: c, cluster: {}}]\n" USER,
         "kc:5:31: error: cluster.server is missing"},
        {HEAD "clusters: [{name: c, cluster: {server: 'ftp://h'}}]\n" USER,
         "kc:5:40: error: cluster.server: \"ftp://h\" does not begin with https:// or http://"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://u:p@h'}}]\n" USER,
         "kc:5:40: error: cluster.server: the address holds a user; put credentials under users"},
        {HEAD "clusters: [{name: c, cluster: {server: 'htps://u:hush@h/p?t=hush'}}]\n" USER,
         "kc:5:40: error: cluster.server: \"htps://***@h/p?***\" does not begin with https:// or "
         "http://"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://u:hu/sh@h:x'}}]\n" USER,
         "kc:5:40: error: cluster.server: \"https://***@h:x\" is not a URL: Port number was not a "
         "decimal number between 0 and 65535"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h?token=hush'}}]\n" USER,
         "kc:5:40: error: cluster.server: \"https://h?***\" holds a query or a fragment"},
        {HEAD
         "clusters: [{name: c, cluster: {server: 'https://h', proxy-url: 'u:hush@p:1'}}]\n" USER,
         "kc:5:64: error: cluster.proxy-url: \"***@p:1\" has no scheme such as http://"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h:99999'}}]\n" USER,
         "kc:5:40: error: cluster.server: \"https://h:99999\" is not a URL: Port number was not a "
         "decimal number between 0 and 65535"},
        {HEAD "clusters: [{name: c, cluster: {server: [a]}}]\n" USER,
         "kc:5:31: error: cluster.server is missing"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', "
              "certificate-authority-data: 'AA*A'}}]\n" USER,
         "kc:5:81: error: certificate-authority-data: not base64"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', "
              "certificate-authority-data: 'AAAA'}}]\n" USER,
         "kc:5:81: error: certificate-authority-data holds no PEM block (-----BEGIN …-----)"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', "
              "certificate-authority: /nonexistent/ca.crt}}]\n" USER,
         "kc:5:76: error: certificate-authority: /nonexistent/ca.crt: No such file or directory"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', insecure-skip-tls-verify: maybe"
              "}}]\n" USER,
         "kc:5:79: error: cluster.insecure-skip-tls-verify must be true or false, not \"maybe\""},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', insecure-skip-tls-verify: true,"
              " certificate-authority-data: " PEM64 "}}]\n" USER,
         "kc:5:79: error: cluster.insecure-skip-tls-verify and a certificate authority exclude "
         "each other"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h', proxy-url: 'p:1'}}]\n" USER,
         "kc:5:64: error: cluster.proxy-url: \"p:1\" has no scheme such as http://"},
        {HEAD "clusters: [{cluster: {}}, {name: c, cluster: {server: 'https://h'}}]\n" USER,
         "kc:5:12: error: clusters: the entry has no name"},
        {HEAD "clusters: [{name: c, cluster: {server: 'https://h'}},\n  {name: c}]\n" USER,
         "kc:6:3: error: clusters: \"c\" stands twice (see line 5)"},
        {HEAD CLUSTER "users: [{name: u, user: {exec: {command: aws}}}]\n",
         "kc:6:32: error: user.exec: login helpers are not run by a daemon; use a kubeconfig with "
         "the token of a service account (kubectl create token, or a Secret of type "
         "kubernetes.io/service-account-token) or a client certificate"},
        {HEAD CLUSTER "users: [{name: u, user: {auth-provider: {name: gcp}}}]\n",
         "kc:6:41: error: user.auth-provider: login helpers are not run by a daemon; use a "
         "kubeconfig with the token of a service account (kubectl create token, or a Secret of "
         "type kubernetes.io/service-account-token) or a client certificate"},
        {HEAD CLUSTER "users: [{name: u, user: {token: t, as: admin}}]\n",
         "kc:6:40: error: user.as: impersonation is not supported; use credentials of that account "
         "itself"},
        {HEAD CLUSTER "users: [{name: u, user: {token: \"a\\nb\"}}]\n",
         "kc:6:33: error: token: byte 2 of the token cannot stand in a header"},
        {HEAD CLUSTER "users: [{name: u, user: {token: {a: b}}}]\n",
         "kc:6:33: error: user.token must be a text"},
        {HEAD CLUSTER "users: [{name: u, user: {client-certificate-data: " PEM64 "}}]\n",
         "kc:6:25: error: user: a client certificate without client-key or client-key-data"},
        {HEAD CLUSTER "users: [{name: u, user: {client-key-data: " PEM64 "}}]\n",
         "kc:6:25: error: user: a client key without client-certificate or "
         "client-certificate-data"},
        {HEAD CLUSTER "users: [{name: u, user: {token: t, username: joe}}]\n",
         "kc:6:46: error: user: username and a token exclude each other"},
        {HEAD CLUSTER "users: [{name: u, user: {tokenFile: /nonexistent/token}}]\n",
         "kc:6:37: error: tokenFile: /nonexistent/token: No such file or directory"},
    };
    bool failed = false;
    for (size_t i = 0; i < LEN(cases); i++) {
        struct parsed p;
        parse(&p, "kc", cases[i].text, strlen(cases[i].text));
        assert_int_equal(p.result, -SKR_INVALID);
        assert_true(p.findings.n_errors > 0);
        assert_null(p.access.server);
        if (!strstr(p.text.s, cases[i].finding)) {
            print_error("case %zu: got\n%s\nexpected\n%s\n", i, p.text.s, cases[i].finding);
        }
        failed = failed || !strstr(p.text.s, cases[i].finding);
        parsed_fini(&p);
    }
    assert_false(failed);
}

TEST(all_problems_are_reported_at_once)
{
    const char *text = HEAD "clusters: [{name: c, cluster: {proxy-url: 'p'}}]\n"
                            "users: [{name: u, user: {exec: {}, as: x}}]\n";
    struct parsed p;
    parse(&p, "kc", text, strlen(text));
    assert_int_equal(p.result, -SKR_INVALID);
    assert_int_equal(p.findings.n_errors, 4);
    parsed_fini(&p);
}

TEST(a_file_beyond_the_limit_is_refused)
{
    size_t n = SKR_KUBECONFIG_BYTES_MAX + 1;
    SKR_AUTO_FREE char *text = malloc(n);
    assert_non_null(text);
    memset(text, '#', n);
    struct parsed p;
    parse(&p, "kc", text, n);
    assert_int_equal(p.result, -SKR_INVALID);
    assert_string_equal(p.text.s, "kc: error: the file is larger than 4194304 bytes\n");
    parsed_fini(&p);
}

/* ---- files ---- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

struct folder {
    char path[32];
};

static void folder_set_up(struct folder *folder)
{
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/skr-kubeconfig-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
}

static void folder_tear_down(struct folder *folder)
{
    static const char *const names[] = {"config", "second",     "third",     "token",
                                        "ca.crt", "client.crt", "client.key"};
    for (size_t i = 0; i < LEN(names); i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder->path), 0);
}

TEST_WITH(folder, files_are_found_beside_the_kubeconfig)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/config", folder->path);
    write_file(folder->path, "config",
               HEAD "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: "
                    "ca.crt}}]\n"
                    "users: [{name: u, user: {tokenFile: token, token: other, client-certificate: "
                    "client.crt, client-key: client.key}}]\n");
    write_file(folder->path, "ca.crt", PEM);
    write_file(folder->path, "client.crt", PEM "crt");
    write_file(folder->path, "client.key", PEM "key");
    write_file(folder->path, "token", "secret\n");
    struct parsed p = {.result = 0};
    skr_kube_access_init(&p.access);
    skr_findings_init(&p.findings);
    skr_strbuf_init(&p.text);
    assert_int_equal(skr_kubeconfig_load((const char *const[]){path}, 1, &p.access, &p.findings),
                     0);
    assert_string_equal(p.access.source, path);
    assert_string_equal(p.access.ca.data, PEM);
    assert_string_equal(p.access.certificate.data, PEM "crt");
    assert_string_equal(p.access.key.data, PEM "key");
    assert_string_equal(p.access.token.data, "secret");
    parsed_fini(&p);
}

/* Loads files of a folder. names: NULL at the end. */
static void load_files(struct parsed *p, const struct folder *folder, const char *const *names)
{
    static char path[SKR_KUBECONFIG_FILES_MAX][64];
    const char *paths[SKR_KUBECONFIG_FILES_MAX];
    size_t n = 0;
    for (; names[n]; n++) {
        (void)snprintf(path[n], sizeof path[n], "%s/%s", folder->path, names[n]);
        paths[n] = path[n];
    }
    *p = (struct parsed){.result = 0};
    skr_kube_access_init(&p->access);
    skr_findings_init(&p->findings);
    skr_strbuf_init(&p->text);
    p->result = skr_kubeconfig_load(paths, n, &p->access, &p->findings);
    skr_findings_write(&p->findings, "kc", &p->text);
    skr_strbuf_addn(&p->text, "", 0);
}

TEST_WITH(folder, of_several_files_the_first_with_an_entry_gives_all_of_it)
{
    struct parsed p;
    write_file(folder->path, "config",
               "current-context: \"\"\n"
               "clusters: [{name: c, cluster: {server: 'https://first'}}]\n");
    write_file(folder->path, "second",
               "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
               "clusters: [{name: c, cluster: {server: 'https://second', tls-server-name: s}}]\n");
    write_file(folder->path, "third",
               "current-context: b\ncontexts: [{name: a, context: {cluster: d, user: d}}]\n"
               "users: [{name: u, user: {tokenFile: token}}]\n");
    write_file(folder->path, "token", "secret\n");
    write_file(folder->path, "ca.crt", "");
    load_files(&p, folder,
               (const char *const[]){"absent", "ca.crt", "config", "second", "third", NULL});
    if (p.result != 0) {
        fail_msg("refused: %s", p.text.s);
    }
    assert_string_equal(p.access.server, "https://first");
    assert_null(p.access.tls_server_name);
    assert_string_equal(p.access.token.data, "secret");
    assert_string_equal(strrchr(p.access.source, '/'), "/second");
    parsed_fini(&p);
}

TEST_WITH(folder, problems_of_several_files_have_the_file_in_front)
{
    struct parsed p;
    char line[256];
    write_file(folder->path, "config",
               "current-context: a\nusers:\n- name: u\n  user: {tokenFile: absent}\n");
    write_file(folder->path, "second",
               "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
               "users: [{name: u, user: {token: t}}]\n");
    load_files(&p, folder, (const char *const[]){"config", "second", NULL});
    assert_int_equal(p.result, -SKR_INVALID);
    (void)snprintf(line, sizeof line, "%s/second:1:41: error: \"c\" is not among clusters\n",
                   folder->path);
    assert_non_null(strstr(p.text.s, line));
    (void)snprintf(line, sizeof line, "%s/config:4:21: error: tokenFile: %s/absent: No such file",
                   folder->path, folder->path);
    assert_non_null(strstr(p.text.s, line));
    parsed_fini(&p);
    write_file(folder->path, "second", "contexts: [\n");
    load_files(&p, folder, (const char *const[]){"config", "second", NULL});
    (void)snprintf(line, sizeof line, "%s/second:2:1: error: not YAML: ", folder->path);
    assert_non_null(strstr(p.text.s, line));
    assert_int_equal(p.findings.n_errors, 1);
    parsed_fini(&p);
    load_files(&p, folder, (const char *const[]){"absent", "gone", NULL});
    assert_non_null(
        strstr(p.text.s, "kc: error: none of the files exists, or those that do are empty"));
    parsed_fini(&p);
}

TEST(a_list_of_paths_has_no_empty_one_and_none_twice)
{
    struct skr_kubeconfig_paths paths;
    skr_kubeconfig_paths_split(&paths, ":/a::b:/a:/ab:");
    assert_int_equal(paths.n, 3);
    assert_string_equal(paths.item[0], "/a");
    assert_string_equal(paths.item[1], "b");
    assert_string_equal(paths.item[2], "/ab");
    free(paths.text);
    SKR_STRBUF(list);
    for (int i = 0; i <= SKR_KUBECONFIG_FILES_MAX; i++) {
        skr_strbuf_addf(&list, ":/nonexistent/%d", i);
    }
    struct skr_kube_access access;
    struct skr_findings findings;
    struct skr_error error = {0};
    skr_findings_init(&findings);
    skr_kubeconfig_paths_split(&paths, list.s);
    assert_int_equal(skr_kube_access_load(paths.item, paths.n, &access, &findings, &error),
                     -SKR_LIMIT);
    assert_string_equal(error.text, "KUBECONFIG names 65 files; at most 64 are read");
    free(paths.text);
}

TEST(a_missing_kubeconfig_is_a_finding)
{
    struct parsed p = {.result = 0};
    skr_kube_access_init(&p.access);
    skr_findings_init(&p.findings);
    skr_strbuf_init(&p.text);
    assert_int_equal(
        skr_kubeconfig_load((const char *const[]){"/nonexistent/kc"}, 1, &p.access, &p.findings),
        -SKR_INVALID);
    skr_findings_write(&p.findings, "/nonexistent/kc", &p.text);
    assert_string_equal(p.text.s,
                        "/nonexistent/kc: error: cannot be read: No such file or directory\n");
    parsed_fini(&p);
}

TEST_WITH(folder, the_account_of_a_pod_is_read_and_its_token_rotates)
{
    struct skr_error error = {0};
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    write_file(folder->path, "token", "one");
    write_file(folder->path, "ca.crt", PEM);
    assert_int_equal(skr_kube_access_in_cluster(&access, "fd00::1", "443", folder->path, &error),
                     0);
    assert_string_equal(access.server, "https://[fd00::1]:443");
    assert_string_equal(access.host, "fd00::1");
    assert_string_equal(access.token.data, "one");
    assert_false(skr_kube_access_refresh(&access, &error));
    assert_int_equal(error.code, SKR_OK);
    write_file(folder->path, "token", "two\n");
    assert_true(skr_kube_access_refresh(&access, &error));
    assert_string_equal(access.token.data, "two");
    write_file(folder->path, "token", "\n");
    assert_false(skr_kube_access_refresh(&access, &error));
    assert_int_equal(error.code, SKR_INVALID);
    assert_string_equal(access.token.data, "two");
    skr_kube_access_fini(&access);
}

TEST_WITH(folder, outside_a_pod_the_error_names_the_flag)
{
    struct skr_error error = {0};
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    assert_int_equal(skr_kube_access_in_cluster(&access, NULL, "443", folder->path, &error),
                     -SKR_NOT_FOUND);
    assert_non_null(strstr(error.text, "--kubeconfig"));
    assert_int_equal(skr_kube_access_in_cluster(&access, "10.0.0.1", "443", folder->path, &error),
                     -SKR_NOT_FOUND);
    assert_non_null(strstr(error.text, "/token: No such file"));
    skr_kube_access_fini(&access);
}

TEST(base64_is_strict)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: refused */
    } cases[] = {
        {"", ""},           {"TQ==", "M"},       {"TWE=", "Ma"},
        {"TWFu", "Man"},    {"TW\nFu\n", "Man"}, {"TWFuTQ==", "ManM"},
        {"TQ", NULL},       {"TQ=", NULL},       {"T", NULL},
        {"=", NULL},        {"T===", NULL},      {"TR==", NULL},
        {"TWF=", NULL},     {"TQ==T", NULL},     {"TQ===", NULL},
        {"TWE=TWE=", NULL}, {"TW-u", NULL},      {"TWFuTW", NULL},
    };
    for (size_t i = 0; i < LEN(cases); i++) {
        SKR_AUTO_FREE char *out = NULL;
        size_t n = 0;
        struct skr_error error = {0};
        int rc = skr_base64_decode(cases[i].in, strlen(cases[i].in), &out, &n, &error);
        if (rc != (cases[i].out ? 0 : -SKR_INVALID)) {
            fail_msg("\"%s\": %d %s", cases[i].in, rc, error.text);
        }
        if (rc == 0) {
            assert_string_equal(out, cases[i].out);
        }
    }
}
