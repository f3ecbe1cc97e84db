"""Print the Homebrew formula, from the source distributions of tenterhook and of what it needs.

python -m pip download --no-binary :all: --dest sdists tenterhook==X.Y.Z
python packaging/homebrew/formula.py sdists > tenterhook.rb
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

OURS = "tenterhook"
NAMED = re.compile(r"(?P<name>.+)-(?P<version>[0-9][^-]*)\.tar\.gz")
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
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    sources = {name: path for path in sorted(Path(argv[0]).glob("*.tar.gz")) if (name := name_of(path))}
    if OURS not in sources:
        print(f"{argv[0]}: there is no source distribution of {OURS}", file=sys.stderr)
        return 1
    needed = {name: path for name, path in sources.items() if name not in (OURS, "hatchling")}
    resources = "\n\n".join(RESOURCE.format(name=name, **place(name, path)) for name, path in needed.items())
    print(FORMULA.format(**place(OURS, sources[OURS]), resources=resources), end="")
    return 0


def name_of(path: Path) -> str:
    found = NAMED.fullmatch(path.name)
    return re.sub(r"[-_.]+", "-", found["name"]).lower() if found else ""


def place(name: str, path: Path) -> dict[str, str]:
    """Where the index has the file, and what its bytes must be."""
    url = f"https://files.pythonhosted.org/packages/source/{name[0]}/{name}/{path.name}"
    return {"url": url, "digest": hashlib.sha256(path.read_bytes()).hexdigest()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
