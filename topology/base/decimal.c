/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal integers: digits are summed on the negative side, whose range is the larger one. */
#include "topology/base/decimal.h"

#include <string.h>

bool skr_decimal_parse(const char *s, size_t n, int64_t *ret)
{
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
    bool negative = i > 0 && s[0] == '-';
    int64_t sum = 0;
    if (i == n) {
        return false;
    }
    for (; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') {
            return false;
        }
        int digit = s[i] - '0';
        if (sum < (INT64_MIN + digit) / 10) {
            return false;
        }
        sum = sum * 10 - digit;
    }
    if (!negative && sum == INT64_MIN) {
        return false;
    }
    *ret = negative ? sum : -sum;
    return true;
}

bool skr_decimal_is_greater(const char *a, const char *b)
{
    int64_t left, right;
    return skr_decimal_parse(a, strlen(a), &left) && skr_decimal_parse(b, strlen(b), &right) &&
           left > right;
}
