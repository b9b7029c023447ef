#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The dialect that clang-format cannot see, in every C source and header:
#   braces     always, also around one statement
#   null       !p and p, never == NULL, != NULL
#   sizeof     parentheses around types only
#   rc         what an int function returned; never r, err, ret, res
#   blank      no empty line behind the declarations that open a function
#   buffer     a block's own string buffer is SKR_STRBUF(name), which the block releases (server, but for lab)
#   context    the pointer that a callback gets back; never ctx, arg, opaque, user_data
#   reference  comments and documents name what a reader of this tree can open: no numbers of rules elsewhere
#   size       headers have 300 lines at most, sources 700, tests 900
#   spdx       the licence is the first line
#   guard      include guards are the path: SKR_SERVER_HTTP_TLS_H
#   columns    lines of documents have 100 characters at most, rows of their tables 200; code blocks any number
# dialect.sh            the tree
# dialect.sh --planted  plants one violation of each rule and expects it to be found
set -eu

check_c() {
    awk '
    BEGIN {
        declaration = "^    (const|static|struct|enum|union|unsigned|signed|int|char|bool|size_t|double|float|long|short|void|json_t|skr_time|va_list|SKR_AUTO[A-Z_]*|[a-z_0-9]+_t)[ (]"
    }
    function tell(rule, text) { print FILENAME ":" FNR ": " rule ": " text }
    # The line without comments and literals; what was in comments goes to note.
    function bare(line,    i, c, two, n, out) {
        out = ""
        note = ""
        n = length(line)
        for (i = 1; i <= n; i++) {
            c = substr(line, i, 1)
            two = substr(line, i, 2)
            if (state == "block") {
                if (two == "*/") { state = "code"; i++ } else note = note c
            } else if (state == "string") {
                if (c == "\\") i++
                else if (c == "\"") { state = "code"; out = out "\"\"" }
            } else if (state == "char") {
                if (c == "\\") i++
                else if (c == "\047") { state = "code"; out = out "0" }
            } else if (two == "/*") { state = "block"; i++; note = note " " }
            else if (two == "//") { note = note " " substr(line, i + 2); break }
            else if (c == "\"") state = "string"
            else if (c == "\047") state = "char"
            else out = out c
        }
        return out
    }
    function parens(s,    t, opened, closed) {
        t = s
        opened = gsub(/\(/, "", t)
        closed = gsub(/\)/, "", t)
        return opened - closed
    }
    function finish() {
        if (FILE != "" && FILE ~ /\.h$/ && LINES > 300) print FILE ":" LINES ": size: a header of more than 300 lines"
        most = FILE ~ /^test\// ? 900 : 700
        if (FILE != "" && FILE ~ /\.c$/ && LINES > most) print FILE ":" LINES ": size: a source of more than " most " lines"
    }
    FNR == 1 {
        finish()
        FILE = FILENAME
        state = "code"
        open = 0
        guard = ""
        body = 0
        if ($0 != "/* SPDX-License-Identifier: Apache-2.0 */") tell("spdx", "the first line is not the licence")
        expected = toupper(FILENAME)
        gsub(/[^A-Z0-9]/, "_", expected)
        expected = "SKR_" expected
    }
    {
        LINES = FNR
        code = bare($0)
        if (FILENAME ~ /\.h$/ && guard == "" && code ~ /^#ifndef/) {
            guard = code
            sub(/^#ifndef +/, "", guard)
            if (guard != expected) tell("guard", guard " is not " expected)
        }
        if (note ~ /(^|[ (,])[RD][0-9]+([] ,.;:)]|$)/ ||
            note ~ /(gang|extender|spotmix|ocm|karmada|ux|entry)\.md/ || note ~ /(^|[^a-z])specs\//)
            tell("reference", note)
        if (code ~ /[!=]= *NULL([^A-Za-z0-9_]|$)/) tell("null", code)
        rest = code
        while (match(rest, /sizeof *\([^()]*\)/)) {
            object = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/sizeof *\( */, "", object)
            if (object !~ /^(const |unsigned |signed )*(struct|union|enum|char|short|int|long|float|double|bool|void|unsigned|signed|size_t|json_t|u?int[0-9]+_t|uintptr_t|time_t|skr_time|[a-z_]+_t)([^a-z0-9_]|$)/)
                tell("sizeof", code)
        }
        if (code ~ /(^|[(, ])int (r|err|ret|res)( =|;|,)/ && code !~ /\*|for \(int/) tell("rc", code)
        if (code ~ /void \*(restrict )?(ctx|arg|args|opaque|user_data|priv|closure|cookie)[,);]/) tell("context", code)
        if (code == "{") body = 1
        else if (code == "}") body = 0
        if (body && FILENAME ~ /^server\// && FILENAME !~ /^server\/lab\// &&
            code ~ /^ +struct skr_strbuf [a-z_0-9]+(, [a-z_0-9]+)*;/)
            tell("buffer", code)
        # The declarations that open a function, each of which may run over lines.
        if (code == "{") { opening = 1; declared = 0; running = 0 }
        else if (opening && code == "" && note == "") {
            if (declared && !running && ++empty == 1) blank_at = FNR
        } else if (opening) {
            if (blank_at && code != "}") print FILENAME ":" blank_at ": blank: an empty line behind the declarations"
            blank_at = empty = 0
            if (running || code ~ declaration) { declared = 1; running = code !~ /;[ \t]*$/ }
            else if (code != "" || note == "") opening = 0
        }
        # A condition may run over lines: braces are looked for where its parentheses are closed.
        if (code !~ /^#/ && open == 0 && code ~ /^[ \t}]*((else|do)([^A-Za-z0-9_]|$)|((else +)?if|for|while|switch) *\()/) {
            open = 1
            depth = 0
            tail = code ~ /^[ \t]*\} while/
        }
        if (open) {
            depth += parens(code)
            if (depth <= 0) {
                if (!tail && code !~ /\{[ \t\\]*$/) tell("braces", code)
                open = 0
            }
        }
    }
    END { finish() }
    ' "$@"
}

# Documents and scripts refer to what is here, too.
check_text() {
    awk '
    /(^|[ (,])[RD][0-9]+([] ,.;:)]|$)/ || /(gang|extender|spotmix|ocm|karmada|ux|entry)\.md/ || /\/work\/|\/shared\/specs/ {
        print FILENAME ":" FNR ": reference: " $0
    }' "$@"
}

# Bytes behind the first one of a character are not counted.
check_columns() {
    LC_ALL=C awk '
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code }
    {
        line = $0
        gsub(/[\200-\277]/, "", line)
        limit = line ~ /^ *\|/ ? 200 : 100
        if (!code && length(line) > limit) print FILENAME ":" FNR ": columns: " length(line) ", more than " limit
    }' "$@"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# plant RULE FILE TEXT
plant() {
    mkdir -p "$scratch/tree/$(dirname "$2")"
    printf '/* SPDX-License-Identifier: Apache-2.0 */\n%b\n' "$3" >"$scratch/tree/$2"
    [ "$1" != spdx ] || printf '%b\n' "$3" >"$scratch/tree/$2"
    case $2 in
    *.md) found=$(cd "$scratch/tree" && check_columns "$2") ;;
    *) found=$(cd "$scratch/tree" && check_c "$2") ;;
    esac
    if { [ "$1" = fine ] && [ -z "$found" ]; } || { [ -n "$found" ] && [ -z "${found##"$2":[0-9]*: "$1": *}" ]; }; then
        passed=$((passed + 1))
    else
        echo "planted $1: $3: found: $found" >&2
        failed=$((failed + 1))
    fi
    rm -f "$scratch/tree/$2"
}

if [ "${1:-}" = --planted ]; then
    passed=0
    failed=0
    plant fine a.c 'int f(int *p)\n{\n    if (p && sizeof *p > sizeof(int) &&\n        p[0]) {\n        return 1;\n    }\n    do {\n    } while (0);\n    return 0; /* p == NULL */\n}'
    plant fine a/b.h '#ifndef SKR_A_B_H\n#define SKR_A_B_H\n/* KEP-5710, RFC 9110 */\n#endif'
    plant blank a.c 'int f(void)\n{\n    int a =\n        1;\n\n    return a;\n}'
    plant fine a.c 'int f(void)\n{\n    int a = 1;\n    a++;\n\n    return a;\n}'
    plant braces a.c '    if (a)\n        b();'
    plant braces a.c '    if (a &&\n        b)\n        c();'
    plant braces a.c '    } else\n        b();'
    plant braces a.c '    for (;;)\n        b();'
    plant null a.c '    if (a == NULL) {'
    plant null a.c '    return a != NULL;'
    plant sizeof a.c '    x = sizeof(a->b);'
    plant sizeof a.c '    x = sizeof(*a);'
    plant rc a.c '    int ret = f();'
    plant rc a.c '    int err;'
    plant buffer server/a.c 'int f(void)\n{\n    struct skr_strbuf b;\n}'
    plant buffer server/a.c 'int f(void)\n{\n    while (1) {\n        struct skr_strbuf a, b;\n    }\n}'
    plant fine server/a.c 'struct a {\n    struct skr_strbuf b;\n};\nint f(struct skr_strbuf *c)\n{\n    SKR_STRBUF(b);\n    *c = b;\n}'
    plant context a.c 'static void f(void *ctx)\n{\n}'
    plant reference a.c '/* as R14 says */'
    plant reference a.c '/* gang.md section 2 */'
    plant size a.h "$(awk 'BEGIN { printf "#ifndef SKR_A_H"; for (i = 0; i < 310; i++) printf "\\nint a;" }')"
    plant size a.c "$(awk 'BEGIN { for (i = 0; i < 710; i++) printf "int a;\\n" }')"
    plant spdx a.c 'int a;'
    plant guard a/b.h '#ifndef SKR_B_H\n#define SKR_B_H\n#endif'
    long=$(awk 'BEGIN { for (i = 0; i < 101; i++) printf "a" }')
    plant columns a.md "$long"
    plant columns a.md '```\n```\n'"$long"
    plant columns a.md "| $long | $long |"
    plant fine a.md '```\n'"$long"'\n```\n'"| $long |"
    plant fine a.md "$(echo "$long" | sed 's/.$//; s/a/é/g')"
    echo "dialect, planted violations: $passed passed, $failed failed"
    [ $failed = 0 ]
    exit
fi

cd "$(dirname "$0")/.."
{
    find topology core server test -name '*.[ch]' | sort >"$scratch/files"
    # shellcheck disable=SC2046
    check_c $(cat "$scratch/files")
    # shellcheck disable=SC2046
    check_text README.md CONTRIBUTING.md CHANGELOG.md $(find docs -name "*.md" ! -name guarantees.md)
    # shellcheck disable=SC2046
    check_columns README.md CONTRIBUTING.md CHANGELOG.md test/README.md \
        $(find docs -name "*.md" ! -name solver.md)
} >"$scratch/found"
if [ -s "$scratch/found" ]; then
    cat "$scratch/found"
    exit 1
fi
echo "dialect: one in $(wc -l <"$scratch/files") files"
