/* SPDX-License-Identifier: Apache-2.0 */
/* What functions get from the evaluation: cost, memory, errors. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/type.h"

bool skr_cel_charge(struct skr_cel_run *run, uint64_t cost)
{
    run->cost += cost;
    run->over = run->over || run->cost > run->cost_max;
    return !run->over;
}

bool skr_cel_charge_text(struct skr_cel_run *run, uint64_t bytes)
{
    return skr_cel_charge(run, bytes / 10 + 1);
}

bool skr_cel_pay(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    switch (run->row->price) {
    case SKR_CEL_TEXT:
        return arg[0].kind != SKR_CEL_STRING || skr_cel_charge_text(run, arg[0].n);
    case SKR_CEL_PART:
        return skr_cel_charge_text(run, arg[1].n);
    case SKR_CEL_SEARCH:
        return skr_cel_charge(run, ((uint64_t)arg[0].n / 10 + 1) * (arg[1].n / 10 + 1));
    case SKR_CEL_FREE:
        break;
    }
    return true;
}

struct skr_cel_value skr_cel_over(struct skr_cel_run *run)
{
    run->over = true;
    return skr_cel_error(run->cost > run->cost_max ? "it costs more than an evaluation may"
                                                   : "it takes more memory than an evaluation may");
}

void *skr_cel_room(struct skr_cel_run *run, size_t n, size_t size)
{
    void *room =
        skr_cel_charge(run, n * size / 256) ? skr_arena_array(run->arena, n + 1, size) : NULL;
    run->over = run->over || !room;
    return room;
}

struct skr_cel_value skr_cel_errorf(struct skr_cel_run *run, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = skr_arena_strdup(run->arena, text);
    return copy ? skr_cel_error(copy) : skr_cel_over(run);
}

struct skr_cel_value skr_cel_copy(struct skr_cel_run *run, const char *text, size_t n)
{
    char *copy = skr_cel_room(run, n, 1);
    if (!copy) {
        return skr_cel_over(run);
    }
    memcpy(copy, text, n);
    return skr_cel_string(copy, n);
}

bool skr_cel_copy_plain(const struct skr_cel_value *string, char *to, size_t size)
{
    if (string->n >= size || memchr(string->text, '\0', string->n)) {
        return false;
    }
    memcpy(to, string->text, string->n);
    to[string->n] = '\0';
    return true;
}

struct skr_cel_value skr_cel_is_no(struct skr_cel_run *run, const struct skr_cel_value *v,
                                   const char *type)
{
    return skr_cel_errorf(run, "\"%.*s\" is no %s", (int)(v->n < 64 ? v->n : 64), v->text, type);
}

void skr_cel_name_write(const char *name, struct skr_strbuf *out)
{
    const bool is_operator = name[0] == '_' || name[1] == '_';
    for (; *name; name++) {
        if (!is_operator || *name != '_') {
            skr_strbuf_addc(out, *name);
        }
    }
    skr_strbuf_add(out, is_operator ? "" : "()");
}

struct skr_cel_value skr_cel_does_not_take(struct skr_cel_run *run, const char *name,
                                           const struct skr_cel_value *arg, size_t n)
{
    const char *kind[2] = {"no argument", ""};
    for (size_t i = 0; i < n && i < 2; i++) {
        kind[i] = skr_cel_type_name(skr_cel_type_of(arg[i].kind));
    }
    return skr_cel_errorf(run, "%.40s does not take %s%s%s", name, kind[0], n > 1 ? " and " : "",
                          kind[1]);
}

struct skr_cel_value skr_cel_no_overload(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                         size_t n)
{
    SKR_STRBUF(name);
    skr_cel_name_write(run->row->name, &name);
    return skr_cel_does_not_take(run, name.s, arg, n);
}
