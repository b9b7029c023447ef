/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara sandbox` from outside: a gang applied over HTTP, its end, broken input, and a daemon and
 * a scheduler that are killed while members are parked. */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/config/address.h"
#include "test/integration/daemon.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"
#include "test/unit/web.h"

#define SERVICE "/api/v1/namespaces/sakkara/services/http:sakkara:9662/proxy"

enum { DEADLINE_S = 60, ARGUMENTS_MAX = 16 };

/* ---- a program and its outputs ---- */

struct program {
    pid_t pid;
    int out, err; /* files */
};

static int make_file(const char *folder, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

static char *text_of(int fd)
{
    static char text[256 * 1024];
    const ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void tick(void)
{
    const struct timespec time = {.tv_nsec = 5000000};
    (void)nanosleep(&time, NULL);
}

/* arguments end with NULL. */
static struct program start(const char *folder, const char *const *argument)
{
    const char *argv[ARGUMENTS_MAX] = {daemon_program()};
    for (size_t i = 0; i + 1 < ARGUMENTS_MAX && argument[i]; i++) {
        argv[i + 1] = argument[i];
    }
    struct program p = {.out = make_file(folder, "out"), .err = make_file(folder, "err")};
    p.pid = daemon_spawn(argv, p.out, p.err);
    return p;
}

static void wait_for_text(const struct program *p, int fd, const char *text)
{
    const time_t until = time(NULL) + DEADLINE_S;
    while (!strstr(text_of(fd), text)) {
        if (time(NULL) > until || waitpid(p->pid, NULL, WNOHANG) != 0) {
            fail_msg("no \"%s\" in %s%s", text, text_of(p->out), text_of(p->err));
        }
        tick();
    }
}

static void end(struct program *p, int number)
{
    int status = 0;
    (void)kill(p->pid, number);
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    if (number != SIGKILL && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fail_msg("wait status %#x: %s", (unsigned)status, text_of(p->err));
    }
    (void)close(p->out);
    (void)close(p->err);
}

/* The number behind the text. */
static uint16_t number_behind(int fd, const char *text)
{
    const char *at = strstr(text_of(fd), text);
    assert_non_null(at);
    return (uint16_t)strtoul(at + strlen(text), NULL, 10);
}

/* ---- the sandbox ---- */

struct sandbox {
    struct program program;
    char *folder;
    char kubeconfig[256];
    uint16_t port;
};

/* more: further arguments, NULL at the end. */
static void open_sandbox(struct sandbox *s, const char *const *more)
{
    const char *argument[ARGUMENTS_MAX] = {"sandbox", "--kubeconfig-out", s->kubeconfig};
    for (size_t i = 0; more[i]; i++) {
        argument[3 + i] = more[i];
    }
    s->folder = s->folder ? s->folder : make_folder();
    (void)snprintf(s->kubeconfig, sizeof s->kubeconfig, "%s/kubeconfig", s->folder);
    s->program = start(s->folder, argument);
    wait_for_text(&s->program, s->program.out, "Ctrl-C");
    s->port = number_behind(s->program.out, "sandbox: http://127.0.0.1:");
}

static void close_sandbox(struct sandbox *s)
{
    struct timespec begin, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    end(&s->program, SIGTERM);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    assert_in_range(now.tv_sec - begin.tv_sec, 0, 3);
    assert_int_not_equal(access(s->kubeconfig, F_OK), 0);
    remove_folder(s->folder);
    s->folder = NULL;
}

static void request(const struct sandbox *s, int status, const char *method, const char *path,
                    const char *body)
{
    SKR_AUTO_FREE char *json = body ? json_text_quote(body) : NULL;
    struct web_answer answer = web_ask(method, s->port, path, json, NULL, 20000);
    if (answer.status != status) {
        fail_msg("%s %s: %d %s%s", method, path, answer.status, answer.body, answer.why);
    }
    free(answer.body);
}

static json_t *get(const struct sandbox *s, const char *path)
{
    SKR_AUTO_FREE char *body = NULL;
    assert_int_equal(web_get(s->port, path, &body), 200);
    json_t *json = json_loads(body, 0, NULL);
    assert_non_null(json);
    return json;
}

/* Until the value at a path of an answer is this one. */
static void wait_for(const struct sandbox *s, const char *url, const char *path,
                     const char *expected)
{
    const time_t until = time(NULL) + DEADLINE_S;
    for (;;) {
        json_t *json = get(s, url);
        const bool good = strcmp(sandbox_text(json, path), expected) == 0;
        if (!good && time(NULL) > until) {
            char *all = json_dumps(json, JSON_INDENT(1));
            fail_msg("%s: %s is not %s: %s", url, path, expected, all);
        }
        json_decref(json);
        if (good) {
            return;
        }
        tick();
    }
}

#define GROUP(name, size, constraints)                                                    \
    "{'metadata':{'name':'" name "','labels':{'sakkara.group':''}},'data':{'name':'" name \
    "','size':'" size "','constraints':'" constraints "'}}"
#define POD_SPEC(scheduler)                                                                  \
    "'spec':{'schedulerName':'" scheduler "','schedulingGates':[{'name':'sakkara.gang'}],"   \
    "'restartPolicy':'Never','containers':[{'name':'c','image':'x','resources':{'requests':" \
    "{'cpu':'100m'}}}]}"

static void apply_job(const struct sandbox *s, const char *name, const char *group, int size)
{
    char body[1024];
    (void)snprintf(
        body, sizeof body,
        "{'metadata':{'name':'%s'},'spec':{'parallelism':%d,'completions':%d,"
        "'template':{'metadata':{'labels':{'sakkara.group.name':'%s'}}," POD_SPEC("sakkara") "}}}",
        name, size, size, group);
    request(s, 201, "POST", JOBS, body);
}

/* Pods of a group that are bound, each rank once. */
static void expect_ranks(const struct sandbox *s, const char *group, size_t size)
{
    char url[128];
    size_t ranked = 0;
    (void)snprintf(url, sizeof url, PODS "?labelSelector=sakkara.group.name%%3D%s", group);
    json_auto_t *list = get(s, url);
    assert_int_equal(json_array_size(json_object_get(list, "items")), size);
    for (size_t rank = 0; rank < size; rank++) {
        for (size_t i = 0; i < size; i++) {
            char path[96], expected[24];
            (void)snprintf(expected, sizeof expected, "%zu", rank);
            (void)snprintf(path, sizeof path, "items[%zu].metadata.labels.'sakkara.member.rank'",
                           i);
            ranked += strcmp(sandbox_text(list, path), expected) == 0;
            (void)snprintf(path, sizeof path, "items[%zu].spec.nodeName", i);
            assert_string_not_equal(sandbox_text(list, path), "");
        }
    }
    assert_int_equal(ranked, size);
}

/* ---- tests ---- */

TEST(a_gang_is_bound_and_one_that_does_not_fit_says_why)
{
    static const char *const none[] = {NULL};
    struct sandbox s = {.folder = NULL};
    open_sandbox(&s, none);
    assert_int_equal(access(s.kubeconfig, R_OK), 0);
    request(&s, 201, "POST", MAPS, GROUP("g", "8", "{\\'rack\\':{\\'type\\':\\'pack\\'}}"));
    apply_job(&s, "job", "g", 8);
    wait_for(&s, MAPS "/g", "data.status", "Bound");
    expect_ranks(&s, "g", 8);
    request(&s, 201, "POST", MAPS,
            GROUP("h", "14", "{\\'rack\\':{\\'type\\':\\'pack\\',\\'hard\\':true}}"));
    apply_job(&s, "big", "h", 14);
    wait_for(&s, MAPS "/h", "data.reason", "TopologyPlacementFailed");
    wait_for(&s, "/sandbox/v1/scheduler", "gated", "14");
    /* As the tour says: room for one more, and all of them run. */
    request(&s, 200, "DELETE", PODS "/other-4-3", NULL);
    wait_for(&s, MAPS "/h", "data.status", "Bound");
    expect_ranks(&s, "h", 14);
    /* The daemon's own pages are there too. */
    assert_int_equal(
        web_get(number_behind(s.program.out, "admin: http://127.0.0.1:"), "/readyz", NULL), 200);
    request(&s, 200, "GET", "/sandbox/v1/daemon", NULL);
    request(&s, 405, "POST", "/sandbox/v1/daemon", "{}");
    /* As through the daemon's Service; and what no Service is. */
    request(&s, 307, "GET", SERVICE "/v1/groups?namespace=default", NULL);
    request(&s, 501, "GET", SERVICE, NULL);
    assert_string_equal(text_of(s.program.err), "");
    close_sandbox(&s);
}

TEST(the_examples_it_offers_are_what_it_says)
{
    static const char *const none[] = {NULL};
    struct sandbox s = {.folder = NULL};
    char *body = NULL, *why = NULL;
    char path[300];
    open_sandbox(&s, none);
    assert_int_equal(web_get(s.port, "/sandbox/v1/examples/gang.yaml", &body), 200);
    assert_non_null(strstr(text_of(s.program.out), "/sandbox/v1/examples/gang.yaml"));
    assert_non_null(strstr(body, "name: job-a"));
    write_text_file(s.folder, "gang.yaml", body);
    free(body);
    assert_int_equal(web_get(s.port, "/sandbox/v1/examples/cluster.yaml", &body), 200);
    write_text_file(s.folder, "cluster.yaml", body);
    free(body);
    assert_int_equal(web_get(s.port, "/sandbox/v1/examples/none.yaml", NULL), 404);
    (void)snprintf(path, sizeof path, "%s", s.folder);
    const char *const simulate[] = {"simulate", "-f", path, NULL};
    /* Only its *.yaml are read. */
    assert_int_equal(daemon_run(simulate, &body, &why), 0);
    assert_non_null(strstr(body, "group-a"));
    free(body);
    free(why);
    close_sandbox(&s);
}

TEST(steps_of_a_scenario_are_played_in_real_time)
{
    struct sandbox s = {.folder = make_folder()};
    char file[300];
    write_text_file(
        s.folder, "scenario.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
        "status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}\n"
        "---\n"
        "apiVersion: sakkara/v1\n"
        "kind: Scenario\n"
        "steps:\n"
        "- at: 50ms\n"
        "  create: {apiVersion: v1, kind: Pod, metadata: {name: late},"
        " spec: {containers: [{name: c, image: x}]}}\n"
        "- {at: 100ms, patch: {kind: Node, name: n1, metadata: {labels: {step: two}}}}\n");
    (void)snprintf(file, sizeof file, "%s/scenario.yaml", s.folder);
    const char *const more[] = {"-f", file, NULL};
    open_sandbox(&s, more);
    wait_for(&s, PODS, "items[0].spec.nodeName", "n1");
    wait_for(&s, "/api/v1/nodes/n1", "metadata.labels.step", "two");
    close_sandbox(&s);
}

/* ---- killed while members are parked ---- */

struct outside {
    struct sandbox sandbox;
    struct program daemon;
    uint16_t port, bind_port, admin_port;
};

static void start_daemon(struct outside *o)
{
    char *folder = o->sandbox.folder;
    char config[300];
    write_text_file(folder, "sakkara.yaml",
                    "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"
                    "extender: {listen: \"127.0.0.1:0\", bindListen: \"127.0.0.1:0\"}\n"
                    "admin: {listen: \"127.0.0.1:0\"}\n");
    (void)snprintf(config, sizeof config, "%s/sakkara.yaml", folder);
    const char *const argv[] = {daemon_program(),      "serve", "--config", config, "--kubeconfig",
                                o->sandbox.kubeconfig, NULL};
    o->daemon.out = make_file(folder, "daemon-out");
    o->daemon.err = make_file(folder, "daemon-err");
    o->daemon.pid = daemon_spawn(argv, o->daemon.out, o->daemon.err);
    wait_for_text(&o->daemon, o->daemon.err, "Daemon started");
    o->port = number_behind(o->daemon.err, " extenderPort=");
    o->bind_port = number_behind(o->daemon.err, " bindPort=");
    o->admin_port = number_behind(o->daemon.err, " adminPort=");
}

static void start_scheduler(const struct outside *o, const char *profiles)
{
    char body[1024];
    (void)snprintf(body, sizeof body,
                   "{'apiVersion':'kubescheduler.config.k8s.io/v1',"
                   "'kind':'KubeSchedulerConfiguration','profiles':[%s],'extenders':["
                   "{'urlPrefix':'http://127.0.0.1:%u/v1','filterVerb':'filter','prioritizeVerb':"
                   "'prioritize','weight':20,'httpTimeout':'3s','nodeCacheCapable':true},"
                   "{'urlPrefix':'http://127.0.0.1:%u/v1','bindVerb':'bind','httpTimeout':'330s',"
                   "'nodeCacheCapable':true}]}",
                   profiles, (unsigned)o->port, (unsigned)o->bind_port);
    request(&o->sandbox, 200, "POST", "/sandbox/v1/scheduler", body);
}

static void add_members(const struct sandbox *s)
{
    for (int i = 0; i < 4; i++) {
        char body[1024];
        (void)snprintf(body, sizeof body,
                       "{'metadata':{'name':'p-%d','labels':{'sakkara.group.name':'g'}},%s}", i,
                       i < 3 ? POD_SPEC("sakkara") : POD_SPEC("sakkara-scheduler"));
        request(s, 201, "POST", PODS, body);
    }
}

static void wait_parked(const struct outside *o, int n)
{
    const time_t until = time(NULL) + DEADLINE_S;
    char line[64];
    bool good = false;
    (void)snprintf(line, sizeof line, "\nsakkara_parked_binds %d\n", n);
    while (!good) {
        char *body = NULL;
        good = web_get(o->admin_port, "/metrics", &body) == 200 && strstr(body, line);
        free(body);
        if (!good && time(NULL) > until) {
            fail_msg("not %d binds are parked: %s", n, text_of(o->daemon.err));
        }
        tick();
    }
}

/* The fourth member names a profile that the first scheduler does not serve, so that three park. */
TEST(parked_members_survive_the_death_of_scheduler_and_daemon)
{
    static const char *const more[] = {"--no-daemon", NULL};
    static const char one[] = "{'schedulerName':'sakkara'}";
    static const char both[] = "{'schedulerName':'sakkara'},{'schedulerName':'sakkara-scheduler'}";
    struct outside o = {.sandbox = {.folder = NULL}};
    open_sandbox(&o.sandbox, more);
    start_daemon(&o);
    start_scheduler(&o, one);
    request(&o.sandbox, 201, "POST", MAPS, GROUP("g", "4", "{}"));
    add_members(&o.sandbox);
    wait_parked(&o, 3);
    wait_for(&o.sandbox, "/sandbox/v1/scheduler", "assumed", "3");
    /* The scheduler dies: its calls hang up, nothing is written about them. */
    request(&o.sandbox, 200, "DELETE", "/sandbox/v1/scheduler", NULL);
    request(&o.sandbox, 404, "DELETE", "/sandbox/v1/scheduler", NULL);
    wait_parked(&o, 0);
    json_t *pod = get(&o.sandbox, PODS "/p-0");
    assert_string_not_equal(sandbox_text(pod, "status.conditions[0].reason"), "SchedulerError");
    json_decref(pod);
    start_scheduler(&o, one);
    wait_parked(&o, 3);
    /* The daemon dies: the calls fail, the scheduler says so. */
    end(&o.daemon, SIGKILL);
    wait_for(&o.sandbox, PODS "/p-0", "status.conditions[0].reason", "SchedulerError");
    wait_for(&o.sandbox, "/sandbox/v1/scheduler", "assumed", "0");
    start_daemon(&o);
    start_scheduler(&o, both);
    wait_for(&o.sandbox, MAPS "/g", "data.status", "Bound");
    expect_ranks(&o.sandbox, "g", 4);
    end(&o.daemon, SIGTERM);
    close_sandbox(&o.sandbox);
}

/* ---- broken input ---- */

static void expect_failure(const char *const *argument, int code, const char *text)
{
    char *out = NULL, *err = NULL;
    const int got = daemon_run(argument, &out, &err);
    if (got != code || !strstr(err, text)) {
        fail_msg("exit code %d, not %d with %s: %s", got, code, text, err);
    }
    assert_string_equal(out, "");
    free(out);
    free(err);
}

/* A port that somebody else has. */
static int take_port(char *text, size_t size)
{
    struct skr_error error;
    uint16_t port = 0;
    int fd = -1;
    assert_int_equal(skr_address_listen("127.0.0.1:0", &fd, &port, &error), 0);
    (void)snprintf(text, size, "127.0.0.1:%u", (unsigned)port);
    return fd;
}

TEST(broken_input_ends_it_with_a_message)
{
    char *folder = make_folder();
    char path[8][300], taken[64];
    static const char *const name[] = {"broken.yaml", "node.yaml", "scheduler.yaml", "config.yaml",
                                       "mine",        "none",      "no/folder/k",    "k"};
    for (size_t i = 0; i < 8; i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%s", folder, name[i]);
    }
    write_text_file(folder, "broken.yaml", "kind: Pod\n  name: [\n");
    write_text_file(folder, "node.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: 7\n");
    write_text_file(folder, "scheduler.yaml", "kind: KubeSchedulerConfiguration\n");
    write_text_file(folder, "config.yaml", "kind: SakkaraConfiguration\nx: y\n");
    write_text_file(folder, "mine", "apiVersion: v1\n");
    const int fd = take_port(taken, sizeof taken);
    const struct {
        const char *argument[6];
        int code;
        const char *text;
    } rows[] = {
        {{"sandbox", "-f", path[0]}, 1, "broken.yaml:2:7: "},
        {{"sandbox", "-f", path[1]}, 1, "node.yaml:4:9: metadata.name: "},
        {{"sandbox", "-f", path[5]}, 3, "none: "},
        {{"sandbox", "--scheduler-config", path[2]}, 1, "scheduler.yaml:1:1: error: apiVersion"},
        {{"sandbox", "--scheduler-config", path[5]}, 3, "none: error: cannot be read"},
        {{"sandbox", "--config", path[3]}, 1, "config.yaml:"},
        {{"sandbox", "--kubeconfig-out", path[4]}, 1, "is not the sandbox's and stays as it is"},
        {{"sandbox", "--kubeconfig-out", path[6]}, 1, "cannot be written: No such file"},
        {{"sandbox", "--kubeconfig-out", path[7], "--listen", taken}, 1, "in use"},
        {{"sandbox", "--listen", "nowhere"}, 2, "--listen"},
        {{"sandbox", "word"}, 2, "word"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *all[8] = {NULL};
        memcpy(all, rows[i].argument, sizeof rows[i].argument);
        expect_failure(all, rows[i].code, rows[i].text);
    }
    (void)close(fd);
    remove_folder(folder);
}

TEST(a_kubeconfig_of_a_sandbox_that_runs_is_left_alone)
{
    struct sandbox s = {0};
    char text[192];
    open_sandbox(&s, (const char *const[]){NULL});
    const char *const second[] = {"sandbox", "--kubeconfig-out", s.kubeconfig, NULL};
    (void)snprintf(text, sizeof text,
                   " belongs to a sandbox that runs at http://127.0.0.1:%u; give",
                   (unsigned)s.port);
    expect_failure(second, 1, text);
    assert_int_equal(access(s.kubeconfig, F_OK), 0);
    /* It dies without taking the file away: the next one takes it over. */
    end(&s.program, SIGKILL);
    assert_int_equal(access(s.kubeconfig, F_OK), 0);
    open_sandbox(&s, (const char *const[]){NULL});
    close_sandbox(&s);
}

BEFORE_ALL
{
    web_init();
}
