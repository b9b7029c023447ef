/* SPDX-License-Identifier: Apache-2.0 */
/* sigtimedwait() in the main thread; handlers only for the very end. */
#include "server/daemon/signals.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "server/exit_code.h"

static void end_at_once(int signal)
{
    static const char late[] = "sakkara: shutdown took too long\n";
    static const char again[] = "sakkara: second signal, ending at once\n";
    const char *text = signal == SIGALRM ? late : again;
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
    _exit(SKR_EXIT_ERROR);
}

void skr_signals_block(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGTERM);
    sigaddset(ret, SIGINT);
    sigaddset(ret, SIGHUP);
    pthread_sigmask(SIG_BLOCK, ret, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int skr_signals_wait(const sigset_t *set, skr_time timeout)
{
    const struct timespec time = {(time_t)(timeout / SKR_SECOND), (long)(timeout % SKR_SECOND)};
    for (;;) {
        int signal =
            timeout == SKR_TIME_NEVER ? sigwaitinfo(set, NULL) : sigtimedwait(set, NULL, &time);
        if (signal > 0) {
            return signal;
        }
        if (errno != EINTR) {
            return 0;
        }
    }
}

void skr_signals_arm_end(const sigset_t *set, unsigned seconds)
{
    struct sigaction action = {.sa_handler = end_at_once};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    alarm(seconds);
}
