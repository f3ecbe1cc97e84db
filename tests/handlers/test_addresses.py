"""Which addresses a hook may reach, and that a name is looked up once and its address connected to."""

import threading
from contextlib import closing
from ipaddress import ip_address

import pytest

from tenterhook.clients import ip_rules
from tenterhook.clients.connection import Connection
from tenterhook.clients.ip_rules import AddressRefused, is_own, numeric, refusal, vet_addresses

from .http_server import dialled, response, serving

__all__ = ["dialled"]

PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "223.255.255.255", "192.0.1.0", "198.17.255.255", "198.20.0.0"),
    *("2606:4700:4700::1111", "2a00:1450::1", "2001:200::1"),
    *("64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:8.8.8.8", "::8.8.8.8", "2001:0:808:808::f7f7:f7f7"),
]
LOOPBACK = [
    *("127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::127.0.0.1", "2002:7f00:1::", "2001:0:808:808::80ff:fffe", "2606:4700::5efe:7f00:1"),
    "2606:4700::200:5efe:7f00:1",
]
PRIVATE = [
    *("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "fc00::1", "fdff::1"),
    *("::ffff:10.0.0.1", "64:ff9b::192.168.0.1", "2002:a00:1::", "2001:0:a00:1::f7f7:f7f7"),
]
NEVER = [
    # metadata services, as they are and inside other addresses
    *("169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23"),
    *("fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "169.254.42.42", "169.254.170.2"),
    *("::ffff:169.254.169.254", "::169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::"),
    *("2001:0:a9fe:a9fe::f7f7:f7f7", "2001:0:808:808::5601:5601", "2606:4700::5efe:a9fe:a9fe"),
    *("64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1::8.8.8.8"),
    # nowhere, everybody, and what is kept for examples or later
    *("0.0.0.0", "0.1.2.3", "::", "169.254.0.1", "fe80::1", "febf::1", "fe80::1%1", "fec0::1"),
    *("224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "255.255.255.255", "240.0.0.1", "250.1.1.1"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "198.18.0.1", "198.19.255.255"),
    *(
        "192.0.0.1",
        "192.88.99.1",
        "100::1",
        "2001:2::1",
        "2001:20::1",
        "5f00::1",
        "4000::1",
        "1::1",
        "200::1",
        "fe00::1",
    ),
    *("::ffff:0.0.0.0", "::ffff:224.0.0.1", "64:ff9b::255.255.255.255", "::2"),
]


@pytest.mark.parametrize("text", PUBLIC)
def test_the_public_internet_may_be_reached(text: str) -> None:
    assert refusal(ip_address(text), loopback=False, private=False) == ""


@pytest.mark.parametrize("text", LOOPBACK)
def test_this_machine_may_be_reached_where_the_entry_allows_it(text: str) -> None:
    assert "`loopback = true` allows it" in refusal(ip_address(text), loopback=False, private=True)
    assert refusal(ip_address(text), loopback=True, private=False) == ""


@pytest.mark.parametrize("text", PRIVATE)
def test_a_private_network_may_be_reached_where_the_entry_allows_it(text: str) -> None:
    assert "`private = true` allows it" in refusal(ip_address(text), loopback=True, private=False)
    assert refusal(ip_address(text), loopback=False, private=True) == ""


@pytest.mark.parametrize("text", NEVER)
def test_what_no_entry_can_allow(text: str) -> None:
    assert refusal(ip_address(text), loopback=True, private=True).endswith("which no hook may reach")


def test_a_refusal_says_what_an_address_stands_for() -> None:
    said = refusal(ip_address("64:ff9b::a9fe:a9fe"), loopback=True, private=True)

    assert said == "stands for 169.254.169.254, which is a cloud's metadata service, which no hook may reach"


def test_no_version_of_python_says_whether_an_address_is_public() -> None:
    """Its own tables differ between versions; ours name every network themselves."""
    with open(ip_rules.__file__) as file:
        source = file.read()

    assert not [word for word in ("is_global", "is_private", "is_reserved", "is_link_local") if word in source]


@pytest.mark.parametrize("host", ["metadata.google.internal", "METADATA.google.internal.", "instance-data", "metadata"])
def test_the_name_of_a_metadata_service_is_refused_whatever_it_is_looked_up_to(host: str) -> None:
    with pytest.raises(AddressRefused, match="metadata service"):
        vet_addresses(host, ["8.8.8.8"], loopback=True, private=True)


def test_one_address_that_may_not_be_reached_refuses_the_name() -> None:
    with pytest.raises(AddressRefused, match=r"^x \(10\.0\.0\.1\) is the address of a private network"):
        vet_addresses("x", ["8.8.8.8", "10.0.0.1"], loopback=False, private=False)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "017700000001"])
def test_every_numeric_form_that_the_system_knows_is_read_without_asking_anybody(text: str) -> None:
    assert numeric(text) == ["127.0.0.1"]


@pytest.mark.parametrize("text", ["localhost", "example.com", "", "1.2.3.4.5"])
def test_a_name_is_no_number(text: str) -> None:
    assert numeric(text) == []


def test_what_is_this_machines_own() -> None:
    assert [is_own(text) for text in ("127.9.9.9", "::ffff:127.0.0.1", "8.8.8.8", "fe80::1")] == [
        True,
        True,
        False,
        False,
    ]


# ---- connecting


def test_a_name_is_looked_up_once_and_the_judged_address_connected_to(
    monkeypatch: pytest.MonkeyPatch, dialled: list[str]
) -> None:
    """A name that is public when it is judged and this machine a moment later does not get here."""
    answers = [["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]]
    asked = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return answers.pop(0)

    monkeypatch.setattr(ip_rules, "look_up", rebinding)
    with serving(response("{}")) as canary, closing(Connection(5, 1000)) as line:
        with pytest.raises(ConnectionRefusedError):
            line.open("rebind.test", canary.port, tls=False, within=5, loopback=False, private=False)

        assert (asked, dialled, canary.connections) == (["rebind.test"], ["93.184.216.34"], 0)


def test_the_other_way_round_the_first_answer_counts_too(monkeypatch: pytest.MonkeyPatch, dialled: list[str]) -> None:
    answers = [["127.0.0.1"], ["93.184.216.34"]]
    monkeypatch.setattr(ip_rules, "look_up", lambda host: answers.pop(0))
    with serving(response("{}")) as server, closing(Connection(5, 1000)) as line:
        line.open("rebind.test", server.port, tls=False, within=5, loopback=True, private=False)

        assert (dialled, len(answers)) == (["127.0.0.1"], 1)


def test_the_next_address_is_tried_where_one_does_not_take_the_call(
    monkeypatch: pytest.MonkeyPatch, dialled: list[str]
) -> None:
    monkeypatch.setattr(ip_rules, "look_up", lambda host: ["127.0.0.9", "127.0.0.1"])
    with serving(response("{}")) as server, closing(Connection(5, 1000)) as line:
        line.open("two.test", server.port, tls=False, within=5, loopback=True, private=False)

        assert dialled == ["127.0.0.9", "127.0.0.1"]
        assert line.connected


def test_nothing_is_dialled_where_one_of_the_addresses_is_refused(
    monkeypatch: pytest.MonkeyPatch, dialled: list[str]
) -> None:
    monkeypatch.setattr(ip_rules, "look_up", lambda host: ["127.0.0.1", "169.254.169.254"])
    with closing(Connection(5, 1000)) as line, pytest.raises(AddressRefused, match="metadata"):
        line.open("mixed.test", 80, tls=False, within=5, loopback=True, private=True)

    assert dialled == []


def test_a_line_that_is_ended_from_another_thread_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while a name is looked up, which nothing can interrupt."""
    released = threading.Event()
    monkeypatch.setattr(ip_rules, "look_up", lambda host: released.wait(20) and [])
    line = Connection(20, 1000)
    threading.Timer(0.1, line.end).start()
    with pytest.raises(TimeoutError):
        line.open("slow.test", 80, tls=False, within=20, loopback=False, private=False)
    released.set()

    assert line.seconds < 2
