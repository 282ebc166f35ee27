"""Layouts: where every value of a launch lies, as plain data and as NumPy structured dtypes.

Nothing here needs NumPy but the properties named `dtype`. All numbers are little-endian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    from ._model import Argument

# Element types of the metadata and of OpenCL C, as NumPy's codes.
_ELEMENTS = {
    "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
    "half": "f2", "float": "f4", "double": "f8",
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
}  # fmt: skip
_SOURCE_TYPE = re.compile(r"(u?(?:char|short|int|long)|half|float|double)(2|3|4|8|16)?")


@dataclass(frozen=True)
class Row:
    """One entry of a launch's map, as the library has it."""

    name: str
    part: str
    what: str
    value: str
    evidence: str
    source: str
    argument: int | None
    buffer: int
    offset: int
    size: int
    reserved: int


@dataclass(frozen=True)
class Field:
    """A value of an area. One of several parts has `fields`, with offsets from its own start."""

    name: str  # unique among its neighbours
    offset: int  # bytes
    size: int  # bytes
    format: str = ""  # of an element, as NumPy and `struct`-like readers know it: "<u4", "<f4"; "": it has `fields`
    count: int = 1  # elements
    argument: int | None = None  # index of the kernel's argument
    what: str = ""  # in words
    evidence: str = ""  # "documented", "observed", "inferred" or "not verified"
    source: str = ""  # where that is known from: docs/sources.md
    fields: tuple[Field, ...] = field(default=(), repr=False)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        if self.fields:
            return _dtype(self.fields, self.size)
        plain: numpy.dtype[Any] = _numpy().dtype(self.format if self.count == 1 else (self.format, (self.count,)))
        return plain


@dataclass(frozen=True)
class Area:
    """A stretch of bytes that a kernel reads: a constant buffer, an argument block, a packet. Bytes without a field
    are 0 in every launch. Fields are ascending by offset and may overlap in OpenCL 1.x: AMD's runtime wrote three
    64-bit elements over the start of the next argument, which it wrote later. Fill fields in their order."""

    name: str  # "cb0", "cb1", …; "block", "kernarg", "packet", "objects"
    size: int  # bytes
    offset: int  # bytes into the memory of the launch (OpenCL 2.0, code objects); 0 for constant buffers
    fields: tuple[Field, ...] = field(repr=False)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Structured dtype with names, offsets and itemsize of the area: `numpy.zeros(1, area.dtype)`, fill it in, and
        `tobytes()` is the image. Raises `ImportError` without NumPy."""
        return _dtype(self.fields, self.size)

    def __getitem__(self, name: str) -> Field:
        for one in self.fields:
            if one.name == name:
                return one
        raise KeyError(name)


@dataclass(frozen=True)
class Layout(Mapping[str, Area]):
    """The areas of a kernel's launch by name."""

    areas: tuple[Area, ...]
    memory_align: int  # bytes, of the address of the whole memory (OpenCL 2.0, code objects); else 0

    def __getitem__(self, name: str) -> Area:
        for area in self.areas:
            if area.name == name:
                return area
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (area.name for area in self.areas)

    def __len__(self) -> int:
        return len(self.areas)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The whole memory of a launch (OpenCL 2.0, code objects): one field for each area."""
        if self.memory_align == 0:
            raise ValueError("constant buffers lie apart: take the dtype of each area")
        size = max(area.offset + area.size for area in self.areas)
        return _structured(
            [area.name for area in self.areas],
            [area.dtype for area in self.areas],
            [area.offset for area in self.areas],
            size,
        )


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as problem:
        raise ImportError("layouts as dtypes need NumPy (Debian package python3-numpy)") from problem
    return numpy


def _dtype(fields: tuple[Field, ...], size: int) -> numpy.dtype[Any]:
    names = [one.name for one in fields]
    return _structured(names, [one.dtype for one in fields], [one.offset for one in fields], size)


def _structured(names: list[str], formats: list[Any], offsets: list[int], size: int) -> numpy.dtype[Any]:
    made: numpy.dtype[Any] = _numpy().dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    )
    return made


# --- from the map to fields ----------------------------------------------------------------------------------


def _generic(size: int) -> tuple[str, int]:
    if size in (1, 2, 4, 8):
        return f"<u{size}", 1
    return ("<u4", size // 4) if size % 4 == 0 else ("|u1", size)


def _of_elements(code: str, size: int) -> tuple[str, int] | None:
    width = int(code[1])
    if size == 0 or size % width != 0 or size // width > 16:
        return None
    return ("|" if width == 1 else "<") + code, size // width


def _format(row: Row, argument: Argument | None) -> tuple[str, int]:
    if row.part.endswith("(float)") or re.fullmatch(r".*\b\d\.\df", row.name):
        return "<f4", row.size // 4
    if argument is None or argument.kind != "value":
        return _generic(row.size)
    blob = argument.element in ("struct", "union")
    in_block = argument.kernarg_offset is not None and row.buffer == 0
    if blob and in_block and argument.constant_buffer is not None:
        return _generic(row.size)  # OpenCL 2.0: the address of the structure, which is in another area
    known = _ELEMENTS.get(argument.element)
    source = _SOURCE_TYPE.fullmatch(argument.type_name)
    # Some compilers lost the sign; the source's type has it. [docs/cl2.md]
    if source is not None and (known is None or known[1] == _ELEMENTS[source[1]][1]):
        known = _ELEMENTS[source[1]]
    # An element of a half has four bytes in argument blocks.
    if argument.element == "half" and argument.kernarg_offset is not None and row.size != 2 * argument.elements:
        known = None
    found = _of_elements(known, row.size) if known else None
    if found is not None:
        return found
    # Metadata of code objects does not say what a value is.
    opaque = row.size > 8 or (blob and argument.constant_buffer is not None)
    return ("|u1", row.size) if opaque else _generic(row.size)


def _short(row: Row, owner: str) -> str:
    """Name of a part: "1 / width (float)" is "inverse_width"."""
    name = row.part or row.name.removeprefix(owner + ".")
    name = re.sub(r" \(.*", "", name).replace("1 / ", "inverse ")
    return name.replace(" ", "_")


def _unique(names: list[str]) -> list[str]:
    out: list[str] = []
    for name in names:
        candidate, number = name or "unnamed", 2
        while candidate in out or (candidate != name and candidate in names):
            candidate = f"{name or 'unnamed'}#{number}"
            number += 1
        out.append(candidate)
    return out


def _renamed(fields: list[Field]) -> tuple[Field, ...]:
    names = _unique([one.name for one in fields])
    return tuple(replace(one, name=name) for one, name in zip(fields, names, strict=True))


def _field(row: Row, name: str, base: int, argument: Argument | None) -> Field:
    code, count = _format(row, argument)
    return Field(name, row.offset - base, row.size, code, count, row.argument, row.what, row.evidence, row.source)


def _is_zero(row: Row) -> bool:
    return row.name == "zero" or row.name.endswith(".zero")  # words of constant buffer 0 that are always 0


def area_of(name: str, size: int, offset: int, rows: list[Row], arguments: tuple[Argument, ...]) -> Area:
    """An area from the rows of the map that lie in it; their offsets count from `offset`."""
    parts: dict[object, list[Row]] = {}
    for index, row in enumerate(rows):
        # Words of constant buffer 0 have no argument; each is a field of its own.
        parts.setdefault(("row", index) if row.argument is None else row.argument, []).append(row)
    fields = []
    for group in parts.values():
        argument = None if group[0].argument is None else arguments[group[0].argument]
        written = [row for row in group if row.size != 0 and not (_is_zero(row) and argument is None)]
        if argument is not None and len(group) > 1:
            written = [row for row in written if not row.name.endswith(".zero")]
        if not written:
            continue
        first = min(row.offset for row in group)
        if argument is None or len(group) == 1:
            row = written[0]
            label = row.name.replace(" ", "_") if argument is None else argument.name
            fields.append(_field(row, label, offset, argument))
            continue
        inner = _renamed([_field(row, _short(row, argument.name), first, argument) for row in written])
        end = max(row.offset + row.size for row in group)
        what = group[0].what if len({row.what for row in group}) == 1 else argument.type_name
        fields.append(
            Field(
                argument.name, first - offset, end - first, "", 1, argument.index, what,
                group[0].evidence, group[0].source, inner,
            )  # fmt: skip
        )
    fields.sort(key=lambda one: one.offset)
    return Area(name, size, offset, _renamed(fields))


def natural_area(kernel: Mapping[str, Any]) -> Area:
    """The kernarg segment that metadata of a kernel describes. Metadata of a code object is handed on as it is, so an
    argument may have no place; it has no field then, nor has one behind the end of the segment."""
    fields: list[Field] = []
    end = _count(kernel.get(".kernarg_segment_size"))
    arguments = kernel.get(".args")
    for index, argument in enumerate(arguments if isinstance(arguments, list) else ()):
        if not isinstance(argument, dict):
            continue
        offset, size = _count(argument.get(".offset")), _count(argument.get(".size"))
        if offset is None or not size or offset + size > (end or 0):
            continue
        kind, declared = str(argument.get(".value_kind", "")), str(argument.get(".type_name", ""))
        code, count = _generic(size)
        source = _SOURCE_TYPE.fullmatch(declared)
        if kind == "by_value":
            found = _of_elements(_ELEMENTS[source[1]], size) if source is not None else None
            code, count = found or (_generic(size) if size in (1, 2, 4, 8) else ("|u1", size))
        name = str(argument.get(".name") or kind)
        what = ", ".join(word for word in (declared, kind) if word)
        fields.append(Field(name, offset, size, code, count, index, what, "documented", "natural layout"))
    return Area("kernarg", end or 0, 0, _renamed(fields))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else None
