/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/web.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "topology/base/strbuf.h"

void web_init(void)
{
    skr_bug_on(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK);
}

static size_t take(char *data, size_t size, size_t n, void *context)
{
    skr_strbuf_addn(context, data, size * n);
    return size * n;
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void use_tls(CURL *curl, const struct web_tls *tls)
{
    if (!tls) {
        return;
    }
    (void)curl_easy_setopt(curl, CURLOPT_CAINFO, tls->ca);
    if (tls->cert) {
        (void)curl_easy_setopt(curl, CURLOPT_SSLCERT, tls->cert);
        (void)curl_easy_setopt(curl, CURLOPT_SSLKEY, tls->key);
    }
}

struct web_answer web_ask(const char *method, uint16_t port, const char *path, const char *body,
                          const struct web_tls *tls, long timeout_ms)
{
    struct web_answer answer = {0};
    struct skr_strbuf out;
    char url[512];
    size_t length;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    skr_bug_on(!curl || !headers);
    skr_strbuf_init(&out);
    snprintf(url, sizeof url, "%s://127.0.0.1:%u%s", tls ? "https" : "http", (unsigned)port, path);
    (void)curl_easy_setopt(curl, CURLOPT_URL, url);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, answer.why);
    headers = curl_slist_append(headers, "Expect:");
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (body) {
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
    }
    (void)curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    use_tls(curl, tls);
    int64_t began = now_ns();
    CURLcode code = curl_easy_perform(curl);
    answer.took_ns = now_ns() - began;
    long status = 0;
    if (code == CURLE_OK) {
        (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    } else if (!answer.why[0]) {
        snprintf(answer.why, sizeof answer.why, "%s", curl_easy_strerror(code));
    }
    answer.status = (int)status;
    answer.body = skr_strbuf_take(&out, &length);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return answer;
}

int web_get(uint16_t port, const char *path, char **ret_body)
{
    struct web_answer answer = web_ask("GET", port, path, NULL, NULL, 20000);
    if (ret_body) {
        *ret_body = answer.body;
    } else {
        free(answer.body);
    }
    return answer.status;
}
