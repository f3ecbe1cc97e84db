"""What code in other languages does, as shell commands: `os.system("x")` is x, `rmtree("y")` is rm -rf y.

Only literal texts in the code are found. It does not parse those languages: code that builds its texts is not seen.
"""

from __future__ import annotations

import re

from tenterhook.support.shell.piped_input import outputs
from tenterhook.support.shell.startup_files import MAKES, makefile, recipes
from tenterhook.support.shell.wrappers import (
    AWKS,
    CLIENTS,
    EDITORS,
    INTERPRETERS,
    SEDS,
    TCLS,
    interpreter_reads,
    option_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import ProgramCall

LONGEST = 200_000
TEXT = r"[rbu]?(?:'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\")"
# The shell command for a call with one text; {} is the text as it is, {!} as one word.
PLAIN = (
    (
        r"\b(?:system|popen|exec|execSync|spawn|spawnSync|shell_exec|passthru|getoutput|getstatusoutput|execute|run|call|"
        r"check_call|check_output|Popen|shell script)\s*\(?\s*" + TEXT,
        "{}",
    ),
    (
        r"\b(?:rmtree|remove_tree|rm_rf|rm_r|rmSync|rmdirSync|unlinkSync|removeSync|os\.remove|os\.unlink|os\.rmdir|"
        r"Deno\.remove|fs\.rm|fs\.unlink|fs\.promises\.rm)\s*\(\s*(?:[\w.]*Path\s*\(\s*)?" + TEXT,
        "rm -rf {!}",
    ),
    (r"\bopen\s*\(\s*" + TEXT + r"\s*,\s*(?:mode\s*=\s*)?['\"][rbt+]*[wax]", "tee {!}"),
    (r"\b(?:writeFileSync|writeFile|appendFileSync|appendFile|File\.write|writeTextFile)\s*\(\s*" + TEXT, "tee {!}"),
    (r"\bPath\s*\(\s*" + TEXT + r"\s*\)\s*\.\s*(?:write_text|write_bytes|touch)\b", "tee {!}"),
    (r"\bPath\s*\(\s*" + TEXT + r"\s*\)\s*\.\s*(?:unlink|rmdir)\b", "rm {!}"),
    (r"\b(?:open|readFileSync|readFile|File\.read|Path|expanduser)\s*\(\s*" + TEXT, "cat {!}"),
)
MOVES = r"\b(?:os\.rename|os\.replace|shutil\.(?:move|copy\w*)|renameSync|copyFileSync)\s*\(\s*"
TWO = MOVES + TEXT + r"\s*,\s*" + TEXT
LISTED = r"\b(?:run|call|check_call|check_output|Popen|spawn|spawnSync|execFileSync|system)\s*\(\s*\[([^\]\n]*)\]"
SEVERAL = r"\b(?:exec|system|spawn)\s*\(?\s*(" + TEXT + r"(?:\s*,\s*" + TEXT + r")+)"
# The program, then all its words with its own name first.
REPLACES = r"\b(?:exec[lv]\w{0,2}|spawn[lv]\w{0,2}|posix_spawnp?)\s*\(([^\n;]*)"
NAMED = r"\b(system|popen|run|call|Popen|check_call|check_output|getoutput|rmtree)\s+as\s+(\w+)"
NESTED = r"\b(?:exec|eval)\s*\(\s*" + TEXT
BACKQUOTES = ("perl", "ruby", "php")
# The same for the code of other programs.
OTHERS = {
    TCLS: ((r"\b(?:spawn|exec)\s+(.+)", "{}"),),
    AWKS: (
        (r"\bsystem\s*\(\s*\"((?:[^\"\\]|\\.)*)\"", "{}"),
        (r"\"((?:[^\"\\]|\\.)*)\"\s*\|\s*getline", "{}"),
        (r"\bprintf?\b[^;}\n]*?>>?\s*\"([^\"]+)\"", "tee {!}"),
    ),
    SEDS: ((r"(?m)^\s*[\d,$]*\s*e\s+(.+)", "{}"), (r"(?:^|[\d$/;{ ])w\s+([~/.][^\s;}]*)", "tee {!}")),
    EDITORS: ((r"^(?:-c|\+)?:?(?:!|shell |sh )\s*(.+)", "{}"),),
    CLIENTS: ((r"(?m)(?:\\!|^\.(?:shell|system)|^system)\s+(.+)", "{}"),),
}


def texts_of(call: ProgramCall, code: list[str] | None = None) -> list[str]:
    """The shell commands for what the code of a call does: in its words and its input, or in a file."""
    name = call.program.rstrip("0123456789.")
    if name in INTERPRETERS:
        kind, text = interpreter_reads(call.words)
        given = code or ([text] if kind == "text" else call.texts if kind == "stdin" else [])
        return [one for code in given for one in commands_in(code[:LONGEST], backquotes=name in BACKQUOTES)]
    if name in MAKES:
        come = [*call.texts, *outputs(call.fed)] if makefile(call.words)[0] == "stdin" else []
        read = code or [*come, option_value(call.words, "--eval") or ""]
        return [one for text in read for one in recipes(text[:LONGEST])]
    patterns = next((patterns for programs, patterns in OTHERS.items() if name in programs), ())
    texts = [*call.words, *(call.texts if name in (*TCLS, *CLIENTS) else ())]
    return [
        command(form, found[1])
        for pattern, form in patterns
        for text in texts
        for found in re.finditer(pattern, text[:LONGEST])
    ]


def command(form: str, text: str) -> str:
    return form.replace("{!}", word(text)).replace("{}", text)


def commands_in(code: str, *, backquotes: bool, layers: int = 0) -> list[str]:
    found = []
    for name, alias in re.findall(NAMED, code)[:20]:
        code = re.sub(rf"\b{alias}\s*\(", f"{name}(", code)
    for one in re.finditer(NESTED, code) if layers < 2 else ():
        inner = re.sub(r"\\(.)", r"\1", one[1] or one[2] or "")
        found += commands_in(inner, backquotes=backquotes, layers=layers + 1)
    for pattern, form in PLAIN:
        for one in re.finditer(pattern, code):
            text = re.sub(r"\\(.)", r"\1", one[1] or one[2] or "")
            found.append(command(form, text))
    found += [f"mv {word(one[1] or one[2] or '')} {word(one[3] or one[4] or '')}" for one in re.finditer(TWO, code)]
    lists = [re.findall(TEXT, one[1]) for one in re.finditer(LISTED, code)]
    lists += [re.findall(TEXT, one[1]) for one in re.finditer(SEVERAL, code)]
    lists += [re.findall(TEXT, one[1])[1:] for one in re.finditer(REPLACES, code)]
    found += [" ".join(word(single or double) for single, double in one) for one in lists if one]
    if backquotes:
        found += [first or second for first, second in re.findall(r"`([^`\n]+)`|qx[({](.+?)[)}]", code)]
    return found


def word(text: str) -> str:
    """One word for the shell, its tilde expanded as expanduser would."""
    quoted = text.removeprefix("~").replace("'", "'\\''")
    return ("~" if text.startswith("~") else "") + f"'{quoted}'" if quoted else text[:1] or "''"
