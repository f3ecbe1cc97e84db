"""Which addresses a hook may reach: the public internet, and what else its entry allows.

A name is looked up once, every address is checked, and the connection goes to a checked address itself: a later change
of the name has no effect. The networks are listed here, because Python's own lists differ between versions and treat
embedded addresses as public.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class AddressRefused(Exception):
    """An address that may not be reached: which one, and why."""


def networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


# Never reachable, whatever an entry says. Cloud services that hand out credentials come first, to be called by their
# name.
NEVER: tuple[tuple[str, tuple[Network, ...]], ...] = (
    (
        "a cloud's metadata service",
        networks(
            *("169.254.169.254/32", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"),
            *("fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128"),
        ),
    ),
    ("link-local", networks("169.254.0.0/16", "fe80::/10")),
    ("unspecified", networks("0.0.0.0/8", "::/128")),
    ("multicast", networks("224.0.0.0/4", "ff00::/8")),
    ("broadcast", networks("255.255.255.255/32")),
    (
        "for documentation",
        networks("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    ),
    (
        "reserved",
        networks(
            *("192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
            *("2001::/23", "64:ff9b:1::/48"),
        ),
    ),
)
LOOPBACK = networks("127.0.0.0/8", "::1/128")
# 100.64.0.0/10 is shared between a provider and its customers, and used by many private meshes.
PRIVATE = networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
PUBLIC = networks("0.0.0.0/0", "2000::/3")

# IPv6 addresses that stand for an IPv4 address: their network, and the position of its last bit.
CARRIERS = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (IPv6Network("::/96"), 0),  # compatible
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("2002::/16"), 80),  # 6to4
)
TEREDO = IPv6Network("2001::/32")
ISATAP = (0x00005EFE, 0x02005EFE)
WORD = 0xFFFFFFFF
# These are metadata services, whatever they resolve to.
METADATA_NAMES = {
    *("metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"),
    *("metadata.tencentyun.com", "metadata.platformequinix.com"),
}


def look_up(host: str) -> list[str]:
    """The addresses of a name, from the system. May take long, and cannot be interrupted."""
    return resolve_host(host, 0)


def numeric(host: str) -> list[str]:
    """The address in a text, in any form that the system knows; None for a name."""
    import socket

    try:
        return resolve_host(host, socket.AI_NUMERICHOST)
    except OSError:
        return []


def resolve_host(host: str, flags: int) -> list[str]:
    import socket

    return [str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=flags)]


def vet_addresses(host: str, texts: list[str], *, loopback: bool, private: bool) -> list[Address]:
    """Check the addresses of a host; if one of them may not be reached, none may."""
    if host.rstrip(".").lower() in METADATA_NAMES:
        raise AddressRefused(f"{host} is the name of a cloud's metadata service, which no hook may reach")
    addresses = [ip_address(text) for text in dict.fromkeys(texts)]
    for address in addresses:
        if problem := refusal(address, loopback=loopback, private=private):
            shown = host if host == str(address) else f"{host} ({address})"
            raise AddressRefused(f"{shown} {problem}")
    return addresses


def refusal(address: Address, *, loopback: bool, private: bool) -> str:
    """Why an address may not be reached; empty if it may."""
    for one in effective_addresses(address):
        what = next((what for what, those in NEVER if within(one, those)), "")
        inside = f"stands for {one}, which " if one != address else ""
        if what:
            return f"{inside}is {what}, which no hook may reach"
        if within(one, LOOPBACK):
            if not loopback:
                return f"{inside}is this machine's own address; `loopback = true` allows it"
        elif within(one, PRIVATE):
            if not private:
                return f"{inside}is the address of a private network; `private = true` allows it"
        elif not within(one, PUBLIC):
            return f"{inside}is reserved, which no hook may reach"
    return ""


def is_own(text: str) -> bool:
    """Whether an address is this machine's own, as seen from itself."""
    return all(within(one, LOOPBACK) for one in effective_addresses(ip_address(text)))


def within(address: Address, those: tuple[Network, ...]) -> bool:
    return any(address in network for network in those if network.version == address.version)


def effective_addresses(address: Address) -> Iterator[Address]:
    """Every address at which a packet to this one may arrive."""
    if isinstance(address, IPv4Address):
        yield address
        return
    number = int(address)
    if number in (0, 1):
        yield address
    elif address in TEREDO:
        yield IPv4Address(number >> 64 & WORD)  # the server
        yield IPv4Address(~number & WORD)  # the client, written the wrong way round
    elif carrier := next((carrier for carrier in CARRIERS if address in carrier[0]), None):
        yield IPv4Address(number >> carrier[1] & WORD)
    else:
        yield address
        if number >> 32 & WORD in ISATAP:
            yield IPv4Address(number & WORD)
