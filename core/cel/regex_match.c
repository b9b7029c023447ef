/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the automaton, in order of priority. A step is in the list of a place once: the thread
 * that comes first has the higher priority. A thread remembers where it began; those that begin
 * earlier come first. When a thread matches, those behind it are dropped, and those before it go on.
 */

#include "core/cel/regex.h"
#include "core/cel/regex_steps.h"
#include "core/cel/value.h"

struct thread {
    uint32_t step;
    size_t begin;
};

struct threads {
    size_t n;
    struct thread *thread;
};

struct matcher {
    const struct skr_cel_regex *regex;
    const char *text;
    size_t n;
    uint32_t *seen;  /* [step] the place, plus one, whose list has it */
    uint32_t *stack; /* steps to follow */
};

size_t skr_cel_regex_weight(const struct skr_cel_regex *regex)
{
    return regex->weight;
}

static bool is_word(const struct matcher *m, size_t at)
{
    const char c = at < m->n ? m->text[at] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool holds(const struct matcher *m, enum skr_cel_assertion assertion, size_t at)
{
    switch (assertion) {
    case SKR_CEL_ASSERT_BEGIN:
        return at == 0;
    case SKR_CEL_ASSERT_END:
        return at == m->n;
    case SKR_CEL_ASSERT_LINE_BEGIN:
        return at == 0 || m->text[at - 1] == '\n';
    case SKR_CEL_ASSERT_LINE_END:
        return at == m->n || m->text[at] == '\n';
    case SKR_CEL_ASSERT_WORD:
        return (at > 0 && is_word(m, at - 1)) != is_word(m, at);
    case SKR_CEL_ASSERT_NO_WORD:
        return (at > 0 && is_word(m, at - 1)) == is_word(m, at);
    }
    return false;
}

/* Adds the steps that a thread at this one reaches without a code point. The stack never holds more
 * than two entries a step, because a step is followed once. */
static void follow(struct matcher *m, struct threads *to, uint32_t step, size_t begin, size_t at,
                   uint32_t mark)
{
    size_t n = 0;
    m->stack[n++] = step;
    while (n > 0) {
        const uint32_t number = m->stack[--n];
        const struct skr_cel_step *s = &m->regex->step[number];
        if (m->seen[number] == mark) {
            continue;
        }
        m->seen[number] = mark;
        if (s->kind == SKR_CEL_STEP_JUMP) {
            m->stack[n++] = s->next;
        } else if (s->kind == SKR_CEL_STEP_FORK) {
            m->stack[n++] = s->lazy ? s->next : s->other;
            m->stack[n++] = s->lazy ? s->other : s->next;
        } else if (s->kind != SKR_CEL_STEP_ASSERT) {
            to->thread[to->n++] = (struct thread){number, begin};
        } else if (holds(m, s->assertion, at)) {
            m->stack[n++] = number + 1;
        }
    }
}

static bool has(const struct skr_cel_set *set, uint32_t point)
{
    bool in = false;
    for (size_t i = 0; !in && i < set->n; i++) {
        in = point >= set->range[i].low && point <= set->range[i].high;
    }
    return in != set->negated;
}

/* One code point for all threads. *ret_found: a thread has matched before it. */
static void advance(struct matcher *m, const struct threads *now, struct threads *next, size_t at,
                    size_t length, uint32_t point, uint32_t mark, bool *ret_found,
                    struct skr_cel_match *ret)
{
    next->n = 0;
    for (size_t i = 0; i < now->n; i++) {
        const struct thread *thread = &now->thread[i];
        const struct skr_cel_step *step = &m->regex->step[thread->step];
        if (step->kind == SKR_CEL_STEP_MATCH) {
            *ret = (struct skr_cel_match){thread->begin, at};
            *ret_found = true;
            return;
        }
        if (length > 0 && has(&step->set, point)) {
            follow(m, next, thread->step + 1, thread->begin, at + length, mark);
        }
    }
}

int skr_cel_regex_find(const struct skr_cel_regex *regex, const char *text, size_t n, size_t from,
                       struct skr_arena *arena, struct skr_cel_match *ret)
{
    struct matcher m = {.regex = regex, .text = text, .n = n};
    struct threads now = {0}, next = {0};
    bool found = false;
    m.seen = skr_arena_array(arena, regex->n, sizeof *m.seen);
    m.stack = skr_arena_array(arena, 2 * regex->n + 2, sizeof *m.stack);
    now.thread = skr_arena_array(arena, regex->n, sizeof *now.thread);
    next.thread = skr_arena_array(arena, regex->n, sizeof *next.thread);
    if (!m.seen || !m.stack || !now.thread || !next.thread) {
        return -SKR_NO_MEMORY;
    }
    for (size_t at = from;;) {
        uint32_t point = 0;
        const size_t length = at < n ? skr_cel_point_read(text + at, n - at, &point) : 0;
        /* The list of this place has the mark at + 1, whether threads came here or begin here. */
        if (!found) {
            follow(&m, &now, 0, at, at, (uint32_t)at + 1);
        }
        advance(&m, &now, &next, at, length, point, (uint32_t)(at + length) + 1, &found, ret);
        if (length == 0 || (found && next.n == 0)) {
            return found ? 1 : 0;
        }
        const struct threads swap = now;
        now = next;
        next = swap;
        at += length;
    }
}
