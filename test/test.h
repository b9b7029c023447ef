/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_TEST_H
#define SKR_TEST_TEST_H
/*
 * How a test is written. A file of tests includes this header and defines tests; each registers
 * itself, and main() in test/test.c runs them in the order in which they stand in the file.
 * Asserts are cmocka's, and so are the lines of the output; what nearly every test wants of the C
 * library comes with this header.
 *
 *     TEST(a_sentence_of_what_holds)
 *     {
 *         assert_int_equal(1 + 1, 2);
 *     }
 *
 *     struct world { ... };
 *     static void world_set_up(struct world *world) { ... }
 *     static void world_tear_down(struct world *world) { ... }
 *     TEST_WITH(world, a_sentence_of_what_holds_in_a_world)
 *     {
 *         assert_true(world->round);
 *     }
 *
 *     static const struct story { const char *title; ... } stories[] = {{"a short one"}, ...};
 *     TEST_EACH(story, stories, every_story_ends_well)
 *     {
 *         assert_true(ends_well(story));
 *     }
 *
 *     BEFORE_ALL { web_init(); }
 *
 * A program of tests takes words as arguments: only tests whose name contains one of them run. It
 * ends with 1 when a test failed or nothing had such a name. `-l` lists the names.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test. Defined by the macros below, and lives as long as the program. */
struct test {
    const char *name;
    int line;
    void (*run)(void *fixture_or_row);
    /* Both or neither; they get `size` bytes, zeroed before each test. */
    void (*set_up)(void *fixture);
    void (*tear_down)(void *fixture);
    size_t size;
    /* Rows of a table: n_rows times size bytes, each beginning with its title. */
    const void *rows;
    size_t n_rows;
    struct test *next;
};

void test_register(struct test *test);

/* A number of the environment, such as N or SEED. */
uint64_t test_number(const char *name, uint64_t otherwise);
/* A short text, of less than 128 bytes, that stands until the thread has made 256 more. */
const char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What runs once, or around each test; each file has at most one of a kind. A failed assert in
 * BEFORE_ALL fails the program. */
struct test_hooks {
    void (*before_all)(void);
    void (*after_all)(void);
    void (*before_each)(void);
    void (*after_each)(void);
};
extern struct test_hooks test_hooks;

#define TEST_CONSTRUCTOR(function)                           \
    __attribute__((constructor)) static void function(void); \
    static void function(void)

/* A function body follows. Takes no argument. */
#define TEST(test_name)                                                                           \
    static void test_name(void);                                                                  \
    static void test_name##_run(void *none)                                                       \
    {                                                                                             \
        (void)none;                                                                               \
        test_name();                                                                              \
    }                                                                                             \
    TEST_CONSTRUCTOR(test_name##_register)                                                        \
    {                                                                                             \
        static struct test test = {.name = #test_name, .line = __LINE__, .run = test_name##_run}; \
        test_register(&test);                                                                     \
    }                                                                                             \
    static void test_name(void)

/* A function body follows; it has struct `fixture` *`fixture`, set up for it alone. What is set up
 * is torn down also when the test fails. */
#define TEST_WITH(fixture, test_name)                                  \
    static void test_name(struct fixture *fixture);                    \
    static void test_name##_run(void *state)                           \
    {                                                                  \
        test_name(state);                                              \
    }                                                                  \
    static void test_name##_set_up(void *state)                        \
    {                                                                  \
        fixture##_set_up(state);                                       \
    }                                                                  \
    static void test_name##_tear_down(void *state)                     \
    {                                                                  \
        fixture##_tear_down(state);                                    \
    }                                                                  \
    TEST_CONSTRUCTOR(test_name##_register)                             \
    {                                                                  \
        static struct test test = {.name = #test_name,                 \
                                   .line = __LINE__,                   \
                                   .run = test_name##_run,             \
                                   .set_up = test_name##_set_up,       \
                                   .tear_down = test_name##_tear_down, \
                                   .size = sizeof(struct fixture)};    \
        test_register(&test);                                          \
    }                                                                  \
    static void test_name(struct fixture *fixture)

/* A function body follows; it has const struct `row` *`row`. It runs once for each element of the
 * array `table` of struct `row`, whose first field is `const char *title`, as a test of that name. */
#define TEST_EACH(row, table, test_name)                                       \
    _Static_assert(offsetof(struct row, title) == 0, "the title comes first"); \
    static void test_name(const struct row *row);                              \
    static void test_name##_run(void *element)                                 \
    {                                                                          \
        test_name(element);                                                    \
    }                                                                          \
    TEST_CONSTRUCTOR(test_name##_register)                                     \
    {                                                                          \
        static struct test test = {.name = #test_name,                         \
                                   .line = __LINE__,                           \
                                   .run = test_name##_run,                     \
                                   .size = sizeof(struct row),                 \
                                   .rows = table,                              \
                                   .n_rows = sizeof table / sizeof *table};    \
        test_register(&test);                                                  \
    }                                                                          \
    static void test_name(const struct row *row)

#define TEST_HOOK(hook)               \
    static void run_##hook(void);     \
    TEST_CONSTRUCTOR(register_##hook) \
    {                                 \
        test_hooks.hook = run_##hook; \
    }                                 \
    static void run_##hook(void)

#define BEFORE_ALL  TEST_HOOK(before_all)
#define AFTER_ALL   TEST_HOOK(after_all)
#define BEFORE_EACH TEST_HOOK(before_each)
#define AFTER_EACH  TEST_HOOK(after_each)

#endif
