/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara completion SHELL`: a script that asks `sakkara __complete` whenever Tab is pressed, so
 * it never grows old. A candidate's description goes where the shell shows one. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/exit_code.h"

/* bash breaks words at "=" and ":" too: the line is split at blanks, and what stands before the
 * last break of the word that is completed is taken off the candidates again. */
static const char bash[] =
    "# bash completion of sakkara; source it, or: sakkara completion bash\n"
    "_sakkara() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} directive=0 word=${COMP_WORDS[COMP_CWORD]} last\n"
    "    local -a words answer\n"
    "    read -r -a words <<<\"$line\"\n"
    "    [[ $line != *[[:blank:]] ]] || words+=(\"\")\n"
    "    last=${words[${#words[@]} - 1]}\n"
    "    mapfile -t answer < <(\"${words[0]}\" __complete \"${words[@]:1}\" 2>/dev/null)\n"
    "    COMPREPLY=()\n"
    "    for line in \"${answer[@]}\"; do\n"
    "        case $line in\n"
    "        :*) directive=${line#:} ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    if [[ $last == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${last%\"${last##*[=:]}\"}\"}\")\n"
    "        [[ $word != [=:] ]] || word=\n"
    "    fi\n"
    "    if ((directive == 0)); then\n"
    "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
    "        compopt -o filenames 2>/dev/null || true\n"
    "    fi\n"
    "}\n"
    "complete -F _sakkara sakkara kubectl-sakkara\n";

static const char zsh[] =
    "#compdef sakkara kubectl-sakkara\n"
    "# zsh completion of sakkara: a file _sakkara in a folder of $fpath\n"
    "_sakkara() {\n"
    "    local line directive=0\n"
    "    local -a candidates\n"
    "    for line in \"${(@f)$(\"${words[1]}\" __complete \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        :*) directive=${line#:} ;;\n"
    "        ?*) line=${line//:/\\\\:}; candidates+=(\"${line/$'\\t'/:}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    ((${#candidates})) && _describe sakkara candidates\n"
    "    ((directive == 0)) && _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _sakkara ]; then _sakkara \"$@\"; else compdef _sakkara sakkara "
    "kubectl-sakkara; fi\n";

static const char fish[] =
    "# fish completion of sakkara: a file sakkara.fish in a completions folder\n"
    "function __sakkara_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l answer (command $words[1] __complete $words[2..-1] (commandline -ct) "
    "2>/dev/null)\n"
    "    test (count $answer) -gt 0; or return\n"
    "    printf '%s\\n' $answer[1..-2]\n"
    "    if test \"$answer[-1]\" = ':0'\n"
    "        __fish_complete_path (commandline -ct)\n"
    "    end\n"
    "end\n"
    "complete -c sakkara -f -a '(__sakkara_complete)'\n"
    "complete -c kubectl-sakkara -f -a '(__sakkara_complete)'\n";

static const struct {
    const char *name, *text;
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, call->word[0]) == 0) {
            skr_strbuf_add(out, shells[i].text);
            return SKR_EXIT_OK;
        }
    }
    return skr_cli_refuse(call->command, "the shell is bash, zsh or fish, not", call->word[0],
                          messages);
}

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

const struct skr_command skr_command_completion = {
    .name = "completion",
    .usage = "sakkara completion bash|zsh|fish",
    .summary = "a script that lets a shell complete our commands",
    .text = "Completes commands, flags, their values and names of groups; also of kubectl-sakkara. "
            "For\n"
            "`kubectl sakkara` kubectl asks kubectl_complete-sakkara, which `make install` puts on "
            "the PATH.\n",
    .examples = "  sakkara completion bash >~/.local/share/bash-completion/completions/sakkara\n"
                "  sakkara completion zsh >~/.zsh/completions/_sakkara\n"
                "  sakkara completion fish >~/.config/fish/completions/sakkara.fish\n",
    .next = "sakkara help",
    .word = "shell",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}},
    .run = run,
};
