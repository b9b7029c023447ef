/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLIENT_KUBECTL_H
#define SKR_SERVER_CLIENT_KUBECTL_H
/* kubectl's command line, built word by word and run; what kubectl.c and forward.c share. */
#include "server/client/source.h"

enum { SKR_KUBECTL_ARGUMENTS_MAX = 16 };

/* Words are borrowed. */
struct skr_kubectl {
    const char *item[SKR_KUBECTL_ARGUMENTS_MAX + 1];
    size_t n;
    char timeout[48];
};

/* "kubectl" with the context and kubeconfig of the options. */
void skr_kubectl_begin(struct skr_kubectl *kubectl, const struct skr_client_options *options);
/* words: NULL at the end. */
void skr_kubectl_add_all(struct skr_kubectl *kubectl, const char *const *words);
/* "--request-timeout" of the options. */
void skr_kubectl_add_timeout(struct skr_kubectl *kubectl, const struct skr_client_options *options);
/* To its end; skr_child_run() with the time-out of the options. */
int skr_kubectl_run(const struct skr_kubectl *kubectl, const struct skr_client_options *options,
                    struct skr_strbuf *out, struct skr_strbuf *said, int *ret_code,
                    struct skr_error *error);
/* The longest time a kubectl may take: the time-out of the request, and some for its message. */
int64_t skr_kubectl_timeout_ms(const struct skr_client_options *options);
/* The error that kubectl wrote to its standard error; said is changed. Negative. */
int skr_kubectl_refused(char *said, int code, struct skr_error *error);

#endif
