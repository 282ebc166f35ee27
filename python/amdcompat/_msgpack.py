"""As much of MessagePack as metadata of code objects uses."""

from __future__ import annotations

import struct
from typing import Any

_NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
            0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
            0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}  # fmt: skip


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise ValueError(f"MessagePack ends at byte {len(self.data)}; {self.at + count} are needed")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def value(self) -> Any:
        tag = self.take(1)[0]
        if tag < 0x80:
            return tag
        if tag >= 0xE0:
            return tag - 0x100
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in _NUMBERS:
            return self.number(_NUMBERS[tag])
        if tag < 0x90 or tag in (0xDE, 0xDF):
            count = tag & 15 if tag < 0x90 else self.number(_LENGTHS[tag])
            return {self.value(): self.value() for _ in range(count)}
        if tag < 0xA0 or tag in (0xDC, 0xDD):
            count = tag & 15 if tag < 0xA0 else self.number(_LENGTHS[tag])
            return [self.value() for _ in range(count)]
        if tag < 0xC0 or tag in (0xD9, 0xDA, 0xDB):
            count = tag & 31 if tag < 0xC0 else self.number(_LENGTHS[tag])
            return self.take(count).decode("utf-8", "replace")
        if tag in (0xC4, 0xC5, 0xC6):
            return self.take(self.number(_LENGTHS[tag]))
        raise ValueError(f"MessagePack of no kind that metadata has: {tag:#x}")


def unpack(data: bytes) -> Any:
    """The value; `ValueError` for what is no MessagePack that metadata has."""
    try:
        return _Reader(data).value()
    except (TypeError, RecursionError) as problem:  # a key that is a list, or too deep
        raise ValueError("MessagePack of no kind that metadata has") from problem
