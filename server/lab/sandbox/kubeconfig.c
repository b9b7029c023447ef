/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a kubeconfig. Its first line marks the file as the sandbox's, the second names its
 * server. */
#include "server/lab/sandbox/kubeconfig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/kube/caller.h"
#include "topology/base/strbuf.h"

#define MARK      "# Written by sakkara sandbox; removed when it ends.\n"
#define ANSWER_MS 2000 /* for a sandbox that owns an existing file */

/* Whether the file begins with text. *ret_there: whether it exists. */
static bool begins_with(const char *path, const char *text, bool *ret_there)
{
    char bytes[512];
    const size_t n = strlen(text);
    FILE *file = fopen(path, "re");
    *ret_there = file || errno != ENOENT;
    if (!file) {
        return false;
    }
    const size_t got = fread(bytes, 1, n < sizeof bytes ? n : sizeof bytes, file);
    (void)fclose(file);
    return got == n && memcmp(bytes, text, n) == 0;
}

/* The server in a sandbox's file; "" if there is none. */
static void read_server(const char *path, char *server, size_t size)
{
    char line[160];
    FILE *file = fopen(path, "re");
    server[0] = '\0';
    for (int i = 0; file && i < 2 && fgets(line, sizeof line, file); i++) {
        if (i == 1 && strncmp(line, "# http", 6) == 0) {
            (void)snprintf(server, size, "%.*s", (int)strcspn(line + 2, "\r\n"), line + 2);
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

/* Whether a sandbox answers there. */
static bool answers(const char *server)
{
    struct skr_kube_access access;
    struct skr_call_answer answer;
    struct skr_caller *caller = NULL;
    SKR_STRBUF(text);
    const struct skr_call call = {.method = "GET",
                                  .target = "/sandbox/v1/examples/gang.yaml",
                                  .timeout = ANSWER_MS * SKR_MILLISECOND,
                                  .text = &text};
    skr_kube_access_init(&access);
    if (skr_kube_access_set_server(&access, server, NULL) < 0 ||
        skr_caller_create(&access, "sakkara", &caller, NULL) < 0) {
        skr_kube_access_fini(&access);
        return false;
    }
    skr_caller_call(caller, &call, &answer);
    const bool is_there = answer.http_status == 200;
    skr_call_answer_fini(&answer);
    skr_caller_destroy(caller);
    return is_there;
}

/* Loopback reaches every address of the machine. */
static void write_server(const char *listen, uint16_t port, char *server, size_t size)
{
    const char *colon = strrchr(listen, ':');
    const int n = colon ? (int)(colon - listen) : (int)strlen(listen);
    const bool any = n == 0 || (n == 7 && strncmp(listen, "0.0.0.0", 7) == 0) ||
                     (n == 4 && strncmp(listen, "[::]", 4) == 0);
    (void)snprintf(server, size, "http://%.*s:%u", any ? 9 : n, any ? "127.0.0.1" : listen,
                   (unsigned)port);
}

static void write_text(const struct skr_sandbox_kubeconfig *k, struct skr_strbuf *out)
{
    skr_strbuf_addf(out,
                    MARK "# %s\n"
                         "apiVersion: v1\n"
                         "kind: Config\n"
                         "clusters: [{name: sandbox, cluster: {server: \"%s\"}}]\n"
                         "users: [{name: sandbox, user: {}}]\n"
                         "contexts: [{name: sandbox, context: {cluster: sandbox, user: sandbox}}]\n"
                         "current-context: sandbox\n",
                    k->server, k->server);
}

int skr_sandbox_kubeconfig_write(struct skr_sandbox_kubeconfig *kubeconfig, const char *path,
                                 const char *listen, uint16_t port, struct skr_error *error)
{
    struct skr_strbuf text;
    bool there = false;
    if (!begins_with(path, MARK, &there) && there) {
        return skr_error_set(error, SKR_CONFLICT,
                             "%.160s: this file is not the sandbox's and stays as it is; "
                             "--kubeconfig-out FILE",
                             path);
    }
    write_server(listen, port, kubeconfig->server, sizeof kubeconfig->server);
    char other[sizeof kubeconfig->server];
    read_server(path, other, sizeof other);
    if (other[0] && strcmp(other, kubeconfig->server) != 0 && answers(other)) {
        return skr_error_set(error, SKR_CONFLICT,
                             "%.120s belongs to a sandbox that runs at %.80s; give "
                             "--kubeconfig-out FILE",
                             path, other);
    }
    skr_strbuf_init(&text);
    write_text(kubeconfig, &text);
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(text.s, 1, text.len, file) == text.len;
    const int number = errno;
    good = file && fclose(file) == 0 && good;
    skr_strbuf_fini(&text);
    if (!good) {
        return skr_error_set(error, SKR_DENIED,
                             "%.160s: cannot be written: %s; --kubeconfig-out FILE", path,
                             strerror(number));
    }
    kubeconfig->path = path;
    return 0;
}

void skr_sandbox_kubeconfig_remove(struct skr_sandbox_kubeconfig *kubeconfig)
{
    char begin[256];
    bool there = false;
    if (!kubeconfig->path) {
        return;
    }
    (void)snprintf(begin, sizeof begin, MARK "# %s\n", kubeconfig->server);
    if (begins_with(kubeconfig->path, begin, &there)) {
        (void)unlink(kubeconfig->path);
    }
    kubeconfig->path = NULL;
}
