"""Bytes and text: how Python values become keys, names and values, and how they come back."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Optional, Union

#: What a key, a name or a value may be given as; :func:`encode` says what it becomes.
Data = Union[bytes, bytearray, memoryview, str, int, float, uuid.UUID]

LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1


def encode(value: Data) -> bytes:
    """Returns the bytes that are stored for a value, by its type and never by a guess.

    bytes stay as they are, str becomes UTF-8, int the 8 bytes of LongType (signed, the most
    significant first), float the 8 bytes of an IEEE 754 double in the same order (such names sort
    rightly under LongType while they are not negative), UUID its 16 bytes.

    :raises TypeError: for any other type, bool and None included
    :raises OverflowError: for an int outside of 64 bits
    """
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(value, bool):
        raise TypeError("a bool has no bytes of its own; write b'\\x01', 'true' or 1")
    if isinstance(value, int):
        return pack_long(value)
    if isinstance(value, float):
        return struct.pack(">d", value)
    raise TypeError(f"{type(value).__name__} is neither bytes, str, int, float nor UUID")


def pack_long(number: int) -> bytes:
    """The 8 bytes of LongType: signed, the most significant first."""
    if not LONG_MIN <= number <= LONG_MAX:
        raise OverflowError(f"{number} does not fit 64 bits")
    return struct.pack(">q", number)


def unpack_long(data: bytes) -> int:
    """The number in the 8 bytes of LongType."""
    return struct.unpack(">q", data)[0]


def unpack_double(data: bytes) -> float:
    """The number that was written as a float."""
    return struct.unpack(">d", data)[0]


def text(data: bytes) -> str:
    """The text in bytes that are UTF-8.

    :raises UnicodeDecodeError: if they are not; nothing is replaced silently
    """
    return data.decode("utf-8")


class BytesDict(Mapping[bytes, object]):
    """Names with their values in the order of the answer. Names are bytes; a lookup takes any
    :data:`Data`, so that ``row["city"]`` finds ``b"city"``."""

    def __init__(self, items: Iterable[tuple[bytes, object]] = ()):
        self._items = dict(items)

    def __getitem__(self, name: Data):
        return self._items[encode(name)]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return encode(name) in self._items  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BytesDict):
            return self._items == other._items
        if isinstance(other, Mapping):
            return self._items == {encode(name): value for name, value in other.items()}
        return NotImplemented

    def __repr__(self) -> str:
        return repr(self._items)

    def text(self) -> dict:
        """The same as str, at every level.

        :raises UnicodeDecodeError: if a name or a value is not UTF-8
        """
        return {
            text(name): value.text() if isinstance(value, BytesDict) else text(value)  # type: ignore[arg-type]
            for name, value in self.items()
        }


def optional(value: Optional[Data]) -> Optional[bytes]:
    """The bytes of a value; None stays None."""
    return None if value is None else encode(value)
