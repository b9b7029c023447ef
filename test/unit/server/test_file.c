/* SPDX-License-Identifier: Apache-2.0 */
/* Files whole, up to a limit, whatever kind of file it is. */
#include "test/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/file.h"

enum { BYTES = 3 * 4096 + 1 };

static void write_all(int fd, const char *text, size_t n)
{
    assert_int_equal(write(fd, text, n), (ssize_t)n);
}

TEST(a_file_is_read_whole_with_its_zero_bytes)
{
    char path[] = "/tmp/sakkara-file-XXXXXX", *text = NULL;
    static const char bytes[] = "a\0b";
    size_t n = 0;
    const int fd = mkstemp(path);
    write_all(fd, bytes, 3);
    close(fd);
    assert_int_equal(skr_file_read(path, 3, &text, &n, NULL), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(text, bytes, 4);
    skr_file_drop(text, n);
    unlink(path);
}

TEST(a_pipe_and_a_file_of_proc_tell_no_size_and_are_read_whole)
{
    int fd[2];
    char *text = NULL;
    size_t n = 0;
    SKR_AUTO_FREE char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    memset(bytes, 'x', BYTES);
    assert_int_equal(pipe(fd), 0);
    write_all(fd[1], bytes, BYTES);
    close(fd[1]);
    assert_int_equal(skr_file_read_open(fd[0], BYTES, &text, &n, NULL), 0);
    close(fd[0]);
    assert_int_equal(n, BYTES);
    assert_memory_equal(text, bytes, BYTES);
    skr_file_drop(text, n);
    assert_int_equal(skr_file_read("/proc/self/stat", 65536, &text, &n, NULL), 0);
    assert_int_equal(strlen(text), n);
    assert_true(n > 0);
    skr_file_drop(text, n);
}

TEST(what_cannot_be_read_is_named_by_its_code)
{
    static const struct {
        const char *path;
        size_t max;
        enum skr_error_code code;
        const char *text;
    } rows[] = {
        {"/no/such/file", 10, SKR_NOT_FOUND, "No such file or directory"},
        {"/etc/passwd/x", 10, SKR_NOT_FOUND, "Not a directory"},
        {"/proc/self", 10, SKR_INVALID, "Is a directory"},
        {"/proc/self/stat", 10, SKR_LIMIT, "larger than 10 bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_error error;
        char *text = NULL;
        size_t n = 7;
        assert_int_equal(skr_file_read(rows[i].path, rows[i].max, &text, &n, &error),
                         -(int)rows[i].code);
        assert_string_equal(error.text, rows[i].text);
        assert_null(text);
        assert_int_equal(n, 7);
    }
}
