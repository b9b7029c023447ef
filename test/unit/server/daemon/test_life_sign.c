/* SPDX-License-Identifier: Apache-2.0 */
/* Whether another process of this machine has ended. */
#include "server/daemon/life_sign.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/test.h"

/* A process that has a sign until it is killed. */
static pid_t start(char name[SKR_LIFE_SIGN_MAX])
{
    int at[2];
    assert_int_equal(pipe(at), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct skr_life_sign sign;
        skr_life_sign_init(&sign);
        (void)!write(at[1], sign.name, sizeof sign.name);
        for (;;) {
            pause();
        }
    }
    assert_true(pid > 0);
    assert_int_equal(read(at[0], name, SKR_LIFE_SIGN_MAX), SKR_LIFE_SIGN_MAX);
    close(at[0]);
    close(at[1]);
    return pid;
}

TEST(a_process_that_was_killed_has_ended_and_a_stopped_one_has_not)
{
    struct skr_life_sign own;
    char name[SKR_LIFE_SIGN_MAX];
    skr_life_sign_init(&own);
    const pid_t pid = start(name);
    assert_false(skr_life_sign_has_ended(&own, name));
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_false(skr_life_sign_has_ended(&own, name));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(skr_life_sign_has_ended(&own, name));
    assert_false(skr_life_sign_has_ended(&own, own.name));
    skr_life_sign_fini(&own);
}

TEST(nothing_is_said_about_other_places_and_other_names)
{
    struct skr_life_sign own, other;
    char name[SKR_LIFE_SIGN_MAX];
    skr_life_sign_init(&own);
    skr_life_sign_init(&other);
    (void)snprintf(name, sizeof name, "%s", other.name);
    assert_string_not_equal(own.name, name);
    skr_life_sign_fini(&other);
    assert_true(skr_life_sign_has_ended(&own, name));
    name[0] = name[0] == '0' ? '1' : '0'; /* another boot */
    assert_false(skr_life_sign_has_ended(&own, name));
    assert_false(skr_life_sign_has_ended(&own, ""));
    assert_false(skr_life_sign_has_ended(&own, "6f1e0a6f1e0a6f1e0a6f1e0a6f1e0a6f")); /* as before */
    (void)snprintf(name, sizeof name, "%s", own.name);
    name[strlen(name) - 1] = '\0'; /* not a whole name */
    assert_false(skr_life_sign_has_ended(&own, name));
    skr_life_sign_fini(&own);
}
