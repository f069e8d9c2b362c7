"""Bytes and text: how Python values become keys, names and values, and how they come back."""

import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: What a key, a name or a value may be given as; :func:`encode` says what it becomes.
Data = bytes | bytearray | memoryview | str | int | float | uuid.UUID


def encode(value: Data) -> bytes:
    """Returns the bytes that are stored for a value, by its type and never by a guess.

    bytes stay as they are, str becomes UTF-8, int the 8 bytes of LongType (signed, the most
    significant first), float the 8 bytes of an IEEE 754 double in the same order (such names sort
    rightly under LongType while they are not negative), UUID its 16 bytes.

    :raises TypeError: for any other type, bool and None included
    :raises OverflowError: for an int outside of 64 bits
    """
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(value, int) and not isinstance(value, bool):
        return pack_long(value)
    if isinstance(value, float):
        return struct.pack(">d", value)
    raise TypeError(f"{type(value).__name__} is neither bytes, str, int, float nor UUID")


def optional(value: Data | None) -> bytes | None:
    """The bytes of a value; None stays None."""
    return None if value is None else encode(value)


def pack_long(number: int) -> bytes:
    """The 8 bytes of LongType: signed, the most significant first."""
    return number.to_bytes(8, "big", signed=True)


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


class BytesDict(Mapping[bytes, Any]):
    """Names with their values in the order of the answer. Names are bytes; a lookup takes any
    :data:`Data`, so that ``row["city"]`` finds ``b"city"``."""

    def __init__(self, items: Iterable[tuple[bytes, Any]] = ()):
        self._items = dict(items)

    def __getitem__(self, name: Data):
        return self._items[encode(name)]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)

    def text(self) -> dict:
        """The same as str, at every level.

        :raises UnicodeDecodeError: if a name or a value is not UTF-8
        """
        return {
            text(name): value.text() if isinstance(value, BytesDict) else text(value) for name, value in self.items()
        }
