"""A hook that writes down what it is given and answers what it is told to: program.py FOLDER EVENT.

FOLDER/answers.json holds for each event rows of a text, which must stand in the input, and an answer; the first row
whose text is found counts. Python's own library alone: agents start it with an interpreter that has no packages.
"""

import json
import os
import sys
import time


def main(folder, event):
    text = sys.stdin.read()
    before = fired(folder, event)
    with open(os.path.join(folder, "fired.jsonl"), "a") as file:
        file.write(json.dumps({"event": event, "stdin": text, "environ": dict(os.environ)}) + "\n")
    with open(os.path.join(folder, "answers.json")) as file:
        rows = json.load(file).get(event, [])
    found = next((answer for needle, answer in rows if needle in text), {})
    if before >= found.get("times", before + 1):
        return 0
    time.sleep(found.get("seconds", 0))
    sys.stdout.write(found.get("stdout", ""))
    sys.stderr.write(found.get("stderr", ""))
    if found.get("signal"):
        sys.stdout.flush()
        os.kill(os.getpid(), found["signal"])
    return found.get("exit_code", 0)


def fired(folder, event):
    try:
        with open(os.path.join(folder, "fired.jsonl")) as file:
            return sum(json.loads(line)["event"] == event for line in file)
    except FileNotFoundError:
        return 0


sys.exit(main(*sys.argv[1:]))
