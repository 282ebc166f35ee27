"""What files and launches share: bytes that nobody changes, and findings."""

from __future__ import annotations

import bisect
from typing import Any

from . import _library
from ._library import decoded, filled
from ._model import Diagnostic, Severity

Buffer = Any  # bytes, bytearray, memoryview, a NumPy array: collections.abc.Buffer has a name from Python 3.12 on

_SEVERITIES = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


def frozen(data: Buffer, what: str) -> bytes:
    """The bytes themselves where nobody can change them, else a copy."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"{what} is a {type(data).__name__}, which has no bytes") from None


class Lines:
    """Lines and columns of a text's offsets, as the tool counts them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        if self._starts is None:
            self._starts = [0]
            at = self._data.find(b"\n")
            while at >= 0:
                self._starts.append(at + 1)
                at = self._data.find(b"\n", at + 1)
        offset = min(offset, len(self._data))
        line = bisect.bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        # Continuation bytes of UTF-8 are no characters of their own.
        column = sum(1 for byte in self._data[start:offset] if byte & 0xC0 != 0x80)
        return line, column + 1


def diagnostics_of(pointer: int | None, file: str, lines: Lines | None = None) -> tuple[Diagnostic, ...]:
    lib = _library.library()
    out = []
    for index in range(lib.diagnostics_count(pointer)):
        found = filled(_library.Diagnostic, lib.diagnostics_get, pointer, index)
        line, column = lines.position(found.offset) if lines is not None else (None, None)
        out.append(
            Diagnostic(
                f"AC{found.code:04}", _SEVERITIES[min(found.severity, 2)], decoded(found.message), file, found.offset,
                found.length, line, column, decoded(found.block), decoded(found.path), decoded(found.kernel),
                decoded(found.argument),
            )  # fmt: skip
        )
    return tuple(out)


def code_text(code: int) -> str:
    return f"AC{code:04}" if code else ""
