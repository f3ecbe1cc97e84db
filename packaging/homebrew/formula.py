"""Print the Homebrew formula, for a tenterhook that is published, and for what it was installed with.

    pip install tenterhook==X.Y.Z && pip freeze > installed.txt
    python packaging/homebrew/formula.py installed.txt [INDEX] > tenterhook.rb

INDEX (default: https://pypi.org/pypi) is asked for INDEX/NAME/VERSION/json.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path

OURS = "tenterhook"
INDEX = "https://pypi.org/pypi"
SECONDS = 60
FORMULA = """\
class Tenterhook < Formula
  include Language::Python::Virtualenv

  desc "One hook system for every AI agent"
  homepage "https://tenterhook.github.io/tenterhook/"
  url "{url}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "libyaml"
  depends_on "python@3.13"

{resources}

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"tenter", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "tenter #{{version}}", shell_output("#{{bin}}/tenter --version")
    (testpath/"guard.py").write <<~PYTHON
      from tenterhook import hook

      @hook("tool.before", match="shell")
      def no_force_push(event):
          if "push --force" in event.command:
              return hook.deny("no")

      if __name__ == "__main__":
          hook.main()
    PYTHON
    system bin/"tenter", "install", "guard.py", "--agent", "claude", "--yes"
  end
end
"""
RESOURCE = """\
  resource "{name}" do
    url "{url}"
    sha256 "{digest}"
  end"""


def main(argv: Sequence[str]) -> int:
    if len(argv) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    lines = Path(argv[0]).read_text("utf-8").split()
    pinned = dict(sorted(line.lower().split("==") for line in lines if "==" in line))
    if OURS not in pinned:
        print(f"{argv[0]}: there is no line {OURS}==VERSION", file=sys.stderr)
        return 1
    index = argv[1] if len(argv) == 2 else INDEX
    found = {name: place(index, name, version) for name, version in pinned.items()}
    resources = "\n\n".join(RESOURCE.format(name=name, **one) for name, one in found.items() if name != OURS)
    print(FORMULA.format(**found[OURS], resources=resources), end="")
    return 0


def place(index: str, name: str, version: str) -> dict[str, str]:
    """Where the source distribution is, and what its bytes must be."""
    with urllib.request.urlopen(f"{index}/{name}/{version}/json", timeout=SECONDS) as answer:
        files = json.load(answer)["urls"]
    source = next(file for file in files if file["packagetype"] == "sdist")
    return {"url": source["url"], "digest": source["digests"]["sha256"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
