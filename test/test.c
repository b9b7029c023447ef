/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of every program of tests: what registered itself becomes a group of cmocka's. */
#include "test/test.h"

#include "test/unit/failure_log.h"

/* One test as cmocka runs it: a test of its own, or one row of a table. */
struct run {
    const struct test *test;
    const char *name;
    void *argument;
};

struct test_hooks test_hooks;
static struct test *tests;

uint64_t test_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

const char *test_text(const char *format, ...)
{
    static _Thread_local char text[256][128];
    static _Thread_local size_t next;
    char *to = text[next++ % 256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(to, sizeof text[0], format, args);
    va_end(args);
    assert_in_range(n, 0, sizeof text[0] - 1);
    return to;
}

void test_register(struct test *test)
{
    /* In which order constructors of one file run is left to the compiler. */
    struct test **at = &tests;
    while (*at && (*at)->line < test->line) {
        at = &(*at)->next;
    }
    test->next = *at;
    *at = test;
}

static int before_all(void **state)
{
    (void)state;
    if (test_hooks.before_all) {
        test_hooks.before_all();
    }
    return 0;
}

static int after_all(void **state)
{
    (void)state;
    if (test_hooks.after_all) {
        test_hooks.after_all();
    }
    return 0;
}

static bool finished; /* the running test has come to its end */

static int before_each(void **state)
{
    const struct run *run = *state;
    finished = false;
    if (test_hooks.before_each) {
        test_hooks.before_each();
    }
    if (run->test->set_up) {
        memset(run->argument, 0, run->test->size);
        run->test->set_up(run->argument);
    }
    return 0;
}

static int after_each(void **state)
{
    const struct run *run = *state;
    if (!finished) {
        failure_log_print();
    }
    if (run->test->tear_down) {
        run->test->tear_down(run->argument);
    }
    if (test_hooks.after_each) {
        test_hooks.after_each();
    }
    failure_log_clear();
    return 0;
}

static void run_one(void **state)
{
    const struct run *run = *state;
    run->test->run(run->argument);
    finished = true;
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size > 0 ? size : 1);
    if (!memory) {
        abort();
    }
    return memory;
}

static bool is_wanted(const char *name, char *const *words)
{
    bool any = !*words;
    for (; *words; words++) {
        any = any || strstr(name, *words);
    }
    return any;
}

/* Returns how many tests there are, rows counted; fills what `run` has room for. */
static size_t lay_out(struct run *run, void *fixture)
{
    size_t n = 0;
    for (const struct test *test = tests; test; test = test->next) {
        for (size_t row = 0; row < (test->rows ? test->n_rows : 1); row++, n++) {
            if (!run) {
                continue;
            }
            run[n] = (struct run){.test = test, .name = test->name, .argument = fixture};
            if (test->rows) {
                /* Only read: run() of a table's test takes a pointer to const. */
                run[n].argument = (void *)((uintptr_t)test->rows + row * test->size);
                run[n].name = *(const char *const *)run[n].argument;
            }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    for (const struct test *test = tests; test; test = test->next) {
        size = test->size > size ? test->size : size;
    }
    void *fixture = allocate(1, size);
    size_t n = lay_out(NULL, NULL), n_wanted = 0;
    struct run *runs = allocate(n, sizeof *runs);
    struct CMUnitTest *wanted = allocate(n, sizeof *wanted);
    lay_out(runs, fixture);
    bool list = argc > 1 && strcmp(argv[1], "-l") == 0;
    for (size_t i = 0; i < n; i++) {
        if (list) {
            puts(runs[i].name);
        } else if (is_wanted(runs[i].name, argv + 1) ||
                   (argc > 1 && is_wanted(runs[i].test->name, argv + 1))) {
            wanted[n_wanted++] =
                (struct CMUnitTest){runs[i].name, run_one, before_each, after_each, &runs[i]};
        }
    }
    int failed = 0;
    if (!list && n_wanted == 0) {
        fprintf(stderr, "%s: no test has such a name\n", argv[0]);
        failed = 1;
    } else if (!list) {
        failed = _cmocka_run_group_tests(argv[0], wanted, n_wanted, before_all, after_all);
    }
    free(wanted);
    free(runs);
    free(fixture);
    return failed == 0 ? 0 : 1;
}
