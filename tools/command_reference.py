#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages and shell completions, made from what the programs print for --help, so that they cannot disagree.

  tools/command_reference.py PIPEDECK_CLI OUT_FOLDER [PIPEDECK]

Writes man1/pipedeck-cli.1 and, of the window, man1/pipedeck.1; completions/{bash,zsh,fish}/...
"""
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Option:
    names: list[str]
    value: str = ""  # "N", "FILE", "" of a flag
    choices: list[str] = field(default_factory=list)
    text: str = ""
    required: bool = False


@dataclass
class Command:
    name: str
    summary: str
    usage: str = ""
    positionals: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    planners: list[tuple[str, list[Option]]] = field(default_factory=list)


# Which words a value may be: asked of the program when the user presses Tab, so that they are this machine's.
LISTED = {"--planner": "planners", "--schedule": "schedules"}
PRESETS = {"--profile": "models", "--model": "models", "--cluster": "clusters"}


def said(program: str, *arguments: str) -> str:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True, env=environment).stdout


def option_of(spec: str, text: str) -> Option:
    """'--overlap NAME:{none,layer}=layer' or '-o,--output FILE' or 'TABLE NAME'."""
    required = "REQUIRED" in spec
    spec = re.sub(r" (REQUIRED|\.\.\.|Needs: \S+|Excludes: \S+)", "", spec)
    head, _, value = spec.partition(" ")
    braces = re.search(r"\{([^}]*)\}", value)
    choices = re.split(r"[,|]", braces[1]) if braces else value.split("|") if "|" in value else []
    return Option(head.split(","), re.split(r"[:= {|]", value)[0] if not choices or braces else "", choices,
                  text, required)


def options_of(lines: list[str], indent: int) -> list[Option]:
    """CLI11's two columns; a specification too long for the first has its text on the next line."""
    options, waiting = [], None
    for line in lines:
        if waiting is not None and line.startswith(" " * 20):
            options.append(option_of(waiting, line.strip()))
            waiting = None
            continue
        if waiting is not None:
            options.append(option_of(waiting, ""))
        waiting = None
        columns = re.split(r"\s{2,}", line[indent:].rstrip(), maxsplit=1)
        if len(columns) == 2:
            options.append(option_of(*columns))
        elif found := re.match(r"(.* (?:Excludes|Needs): \S+) (.*)", columns[0]):
            options.append(option_of(found[1], found[2]))
        else:
            waiting = columns[0]
    if waiting is not None:
        options.append(option_of(waiting, ""))
    return options


def command_of(program: str, name: str, summary: str) -> Command:
    command = Command(name, summary)
    section, lines = "", {}
    for line in said(program, name, "--help").splitlines():
        if line.startswith("Usage:"):
            command.usage = line.removeprefix("Usage:").strip()
        elif re.fullmatch(r"\S.*:", line):
            section = line[:-1]
        elif line.strip():
            lines.setdefault(section, []).append(line)
    command.positionals = options_of(lines.get("Positionals", []), 2)
    command.options = options_of(lines.get("Options", []), 2)
    for line in lines.get("Planner options", []):
        if line.startswith("    "):
            command.planners[-1][1].extend(options_of([line], 4))
        else:
            command.planners.append((line.strip().split(" - ")[0], []))
    return command


def commands_of(program: str) -> list[Command]:
    found = re.findall(r"^  (\S+) +(.*)$", said(program, "--help"), re.M)
    return [command_of(program, name, summary) for name, summary in found]


# --- manual pages


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def roff_option(option: Option) -> str:
    value = "|".join(option.choices) or option.value
    head = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names) + (f" \\fI{roff(value)}\\fR" if value else "")
    text = roff(option.text) + (" (required)" if option.required else "")
    return f".TP\n{head}\n{text}\n"


def cli_page(commands: list[Command], version: str) -> str:
    page = f'.TH PIPEDECK\\-CLI 1 "" "Pipedeck {version}" "User Commands"\n'
    page += ".SH NAME\npipedeck\\-cli \\- plans, simulates and runs pipeline\\-parallel training\n"
    page += ".SH SYNOPSIS\n.B pipedeck\\-cli\n.I COMMAND\n[options]\n.SH COMMANDS\n"
    for command in commands:
        page += f".TP\n\\fB{roff(command.name)}\\fR\n{roff(command.summary)}\n"
    for command in commands:
        page += f".SH {roff(command.name.upper())}\n{roff(command.usage)}\n.PP\n{roff(command.summary)}\n"
        for option in command.positionals + command.options:
            page += roff_option(option)
        for planner, options in command.planners:
            page += f".SS Options of planner {roff(planner)}\n" + "".join(map(roff_option, options))
    page += ".SH EXIT STATUS\n"
    for status, meaning in ((0, "done"), (1, "failed: the file system, an internal error"), (2, "bad input or usage"),
                            (3, "no plan fits; the smallest change that would help is named")):
        page += f".TP\n{status}\n{meaning}\n"
    page += (".SH ENVIRONMENT\n.TP\nPIPEDECK_THREADS\nsearch threads where \\-\\-threads is not given\n"
             ".SH EXAMPLE\n.nf\npipedeck\\-cli compare \\-\\-profile preset:bert\\-48 \\-\\-cluster preset:dapple\\-a "
             "\\-\\-global\\-batch 64\n.fi\n.SH SEE ALSO\n.BR pipedeck (1)\n")
    return page


def window_page(help_text: str, version: str) -> str:
    page = f'.TH PIPEDECK 1 "" "Pipedeck {version}" "User Commands"\n'
    page += ".SH NAME\npipedeck \\- compare, edit and run plans for pipeline\\-parallel training\n"
    page += ".SH SYNOPSIS\n.B pipedeck\n[options] [FILE ...]\n.SH DESCRIPTION\n.nf\n"
    body = help_text.splitlines()[1:]
    return page + "\n".join(map(roff, body)) + "\n.fi\n.SH SEE ALSO\n.BR pipedeck\\-cli (1)\n"


# --- completions


def bash_words(option: Option) -> str:
    """The values of an option as bash writes them; "@files" for files."""
    name = option.names[-1]
    if option.choices:
        return " ".join(option.choices)
    if name in LISTED:
        return f"$(_pipedeck_cli_list {LISTED[name]})"
    if name in PRESETS:
        return f"$(_pipedeck_cli_list {PRESETS[name]}) @files"
    if option.value.startswith(("FILE", "DIR")):
        return "@files"
    return ""


def all_options(command: Command) -> list[Option]:
    known, options = set(), []
    for option in command.options + [o for _, group in command.planners for o in group]:
        if option.names[-1] not in known:
            known.add(option.names[-1])
            options.append(option)
    return options


BASH = r"""# SPDX-License-Identifier: Apache-2.0
# bash completion of pipedeck-cli; made by tools/command_reference.py
_pipedeck_cli_list() { pipedeck-cli list "$1" 2>/dev/null | cut -d' ' -f1; }

_pipedeck_cli() {
  local line=${COMP_LINE:0:COMP_POINT} words current= choices=
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] || { current=${words[-1]}; unset 'words[-1]'; }
  case ${words[1]-}:${words[-1]} in
@CASES@
    *) case ${words[1]-} in
@COMMANDS@
      *) choices="@NAMES@" ;;
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "${choices/@files/}" -- "$current")
  if [[ $choices == *@files ]]; then
    compopt -o filenames 2>/dev/null
    local file
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  fi
  # bash takes a colon for the end of a word: what stands before the last one is there already.
  [[ $current != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
}
complete -F _pipedeck_cli pipedeck-cli
"""


def bash_script(commands: list[Command]) -> str:
    cases, flags = [], []
    for command in commands:
        for option in all_options(command):
            if option.value or option.choices:
                patterns = "|".join(f"{command.name}:{name}" for name in option.names)
                cases.append(f'    {patterns}) choices="{bash_words(option)}" ;;')
        words = [name for option in all_options(command) for name in option.names]
        words += [word for positional in command.positionals for word in positional.choices]
        if command.positionals and not command.positionals[0].choices:
            words.append("@files")
        flags.append(f'      {command.name}) choices="{" ".join(words)}" ;;')
    names = " ".join([command.name for command in commands] + ["--help", "--version"])
    return (BASH.replace("@CASES@", "\n".join(cases)).replace("@COMMANDS@", "\n".join(flags))
            .replace("@NAMES@", names))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_action(option: Option) -> str:
    name = option.names[-1]
    if option.choices:
        return "(" + " ".join(option.choices) + ")"
    if name in LISTED or name in PRESETS:
        return f"_pipedeck_cli_listed {(LISTED | PRESETS)[name]}"
    return "_files" if option.value.startswith(("FILE", "DIR")) else " "


def zsh_script(commands: list[Command]) -> str:
    lines = ["#compdef pipedeck-cli", "# SPDX-License-Identifier: Apache-2.0", "# Made by tools/command_reference.py",
             "_pipedeck_cli_listed() {", "  local -a words", "  words=(${(f)\"$(pipedeck-cli list $1 2>/dev/null | cut -d' ' -f1)\"})",
             "  compadd -a words", "  [[ $1 = models || $1 = clusters ]] && _files", "}",
             "_pipedeck_cli() {", "  local -a commands", "  commands=("]
    lines += [f"    {quoted(c.name + ':' + zsh_text(c.summary))}" for c in commands]
    lines += ["  )", "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
              "  local command=$words[2]", "  shift words; (( CURRENT-- ))", "  case $command in"]
    for command in commands:
        lines.append(f"    {command.name}) _arguments -s \\")
        for option in all_options(command):
            for name in option.names:
                value = f":{option.value or 'value'}:{zsh_action(option)}" if option.value or option.choices else ""
                lines.append(f"      {quoted(f'*{name}[{zsh_text(option.text)}]{value}')} \\")
        for positional in command.positionals or []:
            action = "(" + " ".join(positional.choices) + ")" if positional.choices else "_files"
            lines.append(f"      {quoted(f'*:{positional.names[0]}:{action}')} \\")
        lines[-1] = lines[-1].removesuffix(" \\")
        lines.append("      ;;")
    return "\n".join(lines + ["  esac", "}", "_pipedeck_cli \"$@\"", ""])


def fish_script(commands: list[Command]) -> str:
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# fish completion of pipedeck-cli; made by tools/command_reference.py"]
    for command in commands:
        lines.append(f"complete -c pipedeck-cli -f -n __fish_use_subcommand -a {command.name} -d {quoted(command.summary)}")
    for command in commands:
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        for option in all_options(command):
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            values, name = "", option.names[-1]
            if option.choices:
                values = f" -x -a {quoted(' '.join(option.choices))}"
            elif name in LISTED or name in PRESETS:
                words = f"(pipedeck-cli list {(LISTED | PRESETS)[name]} | cut -d\" \" -f1)"
                values = f" {'-x' if name in LISTED else '-r'} -a {quoted(words)}"
            elif option.value:
                values = " -r" if option.value.startswith(("FILE", "DIR")) else " -x"
            lines.append(f"complete -c pipedeck-cli {seen} {names}{values} -d {quoted(option.text)}")
        for positional in command.positionals:
            if positional.choices:
                lines.append(f"complete -c pipedeck-cli -f {seen} -a {quoted(' '.join(positional.choices))}")
    return "\n".join(lines) + "\n"


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    cli, out = sys.argv[1], Path(sys.argv[2])
    commands = commands_of(cli)
    version = said(cli, "--version").split()[1]
    files = {"man1/pipedeck-cli.1": cli_page(commands, version),
             "completions/bash/pipedeck-cli": bash_script(commands),
             "completions/zsh/_pipedeck-cli": zsh_script(commands),
             "completions/fish/pipedeck-cli.fish": fish_script(commands)}
    if len(sys.argv) == 4:
        files["man1/pipedeck.1"] = window_page(said(sys.argv[3], "--help"), version)
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
