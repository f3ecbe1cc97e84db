"""What people really publish: `tenter check` of each config of the corpus finds what a reader of it found, no more."""

import re

import pytest

from tools.check.corpus_projects import (
    CORPUS,
    PublishedConfig,
    as_text,
    configs,
    differences,
    expected,
    findings,
    reviews,
)

CONFIGS = configs()
AGENTS = sorted({config.agent for config in CONFIGS})
# What belongs to a person and is not needed: an address, the home of a user, a key.
PERSONAL = re.compile(
    r"[\w.+-]+@[\w-]+\.(?:com|org|net|io|dev)\b|/(?:Users|home)/(?!someone/)\w|\b(?:sk|ghp|snp)-\w{8}"
)


@pytest.mark.parametrize("agent", AGENTS)
def test_published_configs_have_the_findings_that_were_reviewed(agent, tmp_path):
    """If this fails: python tests/tools/check/corpus_projects.py --write, then review what differs."""
    mine = [config for config in CONFIGS if config.agent == agent]
    wanted = {config.file: expected().get(config.file, ["not in expected.txt"]) for config in mine}

    found = {}
    for number, config in enumerate(mine):
        folder = tmp_path / str(number)
        folder.mkdir()
        found[config.file] = findings(config, folder)

    assert differences(as_text(wanted), as_text(found)) == ""


def test_each_finding_has_one_review_and_each_review_a_finding():
    reasons = [(one["finding"], start) for one in reviews() for start in one["file"]]
    used = set()
    for file, said in expected().items():
        for text in said:
            fitting = [one for one in reasons if one[0] in text and file.startswith(one[1])]
            assert len(fitting) == 1, f"{len(fitting)} reviews of {text!r} in {file}"
            used.update(fitting)

    assert set(reasons) == used


def test_the_corpus_is_large_and_of_many_authors():
    authors = {config.repository.partition("/")[0] for config in CONFIGS}

    assert len(CONFIGS) >= 60
    assert len(authors) >= 60
    assert len(AGENTS) >= 6
    assert list(expected()) == [config.file for config in CONFIGS]


def test_each_file_is_in_the_index_with_its_source():
    files = {str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*") if path.parent.name != "scripts"}
    scripts = {path.name for path in (CORPUS / "scripts").iterdir()}

    assert files == {config.file for config in CONFIGS}
    assert scripts == {script for config in CONFIGS for script in config.scripts.values()}
    assert [config.file for config in CONFIGS if not is_sourced(config)] == []


def test_nothing_personal_is_in_the_corpus():
    assert [config.file for config in CONFIGS if PERSONAL.search(config.text)] == []


def is_sourced(config: PublishedConfig) -> bool:
    return bool(re.fullmatch(r"[\w.-]+/[\w.-]+", config.repository) and re.fullmatch(r"[0-9a-f]{40}", config.commit))
