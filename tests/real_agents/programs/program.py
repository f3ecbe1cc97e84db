"""A hook that writes down what it is given and answers what it is told to: program.py FOLDER EVENT PLACE.

FOLDER/answers.json holds for each event rows of a text, which must stand in the input, and answers; the first row
whose text is found counts, and PLACE is which of its answers this hook gives. Python's own library alone: agents start
it with an interpreter that has no packages.
"""

import json
import os
import sys
import time


def main(folder, event, place):
    text = sys.stdin.read()
    before = fired(folder, event, place)
    note(folder, {"event": event, "stdin": text, "environ": dict(os.environ), "place": place})
    with open(os.path.join(folder, "answers.json")) as file:
        rows = json.load(file).get(event, [])
    answers = next((answers for needle, answers in rows if needle in text), [])
    found = answers[place] if place < len(answers) else {}
    if before >= found.get("times", before + 1):
        return 0
    time.sleep(found.get("seconds", 0))
    sys.stdout.write(found.get("stdout", ""))
    sys.stderr.write(found.get("stderr", ""))
    if found.get("signal"):
        sys.stdout.flush()
        os.kill(os.getpid(), found["signal"])
    return found.get("exit_code", 0)


def note(folder, fired):
    """In one piece: other hooks may write at the same time."""
    file = os.open(os.path.join(folder, "fired.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, (json.dumps(fired) + "\n").encode())
    os.close(file)


def fired(folder, event, place):
    try:
        with open(os.path.join(folder, "fired.jsonl")) as file:
            return sum((one["event"], one["place"]) == (event, place) for one in map(json.loads, file))
    except FileNotFoundError:
        return 0


sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
