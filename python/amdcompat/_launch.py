"""The bytes of one launch, made by the library from values."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import SupportsIndex

from . import _library
from ._errors import NotFound, Refused
from ._file_tools import Buffer, diagnostics_of, frozen
from ._layout import Layout, Row, area_of
from ._library import Handle, check, choice, copied, decoded, filled, sized_bytes, uint
from ._model import Diagnostic, Family, Kernel

_PARTS = {Family.CL2: ("block", "packet", "objects"), Family.HSA: ("kernarg", "packet", "objects")}
_PACKET_BYTES = 64
_ENVIRONMENT = {name: kind for name, kind in _library.Environment._fields_ if name != "size"}


def layout_of(pointer: int, kernel: Kernel) -> Layout:
    """Of a launch; also before its first build."""
    lib = _library.library()
    count = ctypes.c_size_t()
    check(lib.launch_map(pointer, ctypes.byref(count)))
    rows: dict[int, list[Row]] = {}
    for index in range(count.value):
        entry = filled(_library.MapEntry, lib.launch_map_get, pointer, index)
        row = Row(
            decoded(entry.name), decoded(entry.part), decoded(entry.what), decoded(entry.value),
            decoded(entry.evidence), decoded(entry.source), None if entry.argument < 0 else entry.argument,
            entry.buffer, entry.offset, entry.byte_count, entry.reserved_bytes,
        )  # fmt: skip
        rows.setdefault(row.buffer, []).append(row)
    areas = []
    if kernel.family not in _PARTS:
        for number in sorted({0, 1, *rows}):
            size = len(sized_bytes(lib.launch_image, pointer, number))
            if size != 0:
                areas.append(area_of(f"cb{number}", size, 0, rows.get(number, []), kernel.arguments))
        return Layout(tuple(areas), 0)
    memory = filled(_library.Memory, lib.launch_memory, pointer)
    places = {0: (0, memory.block_bytes), 1: (memory.block_bytes, _PACKET_BYTES)}
    behind = memory.block_bytes + _PACKET_BYTES
    places[2] = (behind, memory.byte_count - behind)
    for number, (offset, size) in places.items():
        if size != 0 or number == 0:
            areas.append(
                area_of(_PARTS[kernel.family][number], size, offset, rows.get(number, []), kernel.arguments)
            )
    return Layout(tuple(areas), memory.align)


class Launch:
    """Values of one kernel's launch, and the bytes that they make. A launch does not need its file any more, and serves
    any number of builds: set what differs, build again. Wrong values raise `Refused`.

    Arguments are named or counted from 0, hidden ones of the compiler included. All addresses, sizes and offsets are in
    bytes, all sizes of ranges in work-items."""

    def __init__(self, handle: Handle, kernel: Kernel, file: str, found: tuple[Diagnostic, ...] = ()) -> None:
        self._found_at_first = found
        self._found_since: tuple[Diagnostic, ...] = ()
        self._built = False
        self._handle = handle
        self._kernel = kernel
        self._file = file
        self._lock = threading.RLock()  # a launch serves one call at a time

    @property
    def kernel(self) -> Kernel:
        return self._kernel

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes: of making the launch, then of what was set since the build before, and of that build."""
        with self._lock:
            return self._found_at_first + self._found_since

    @property
    def layout(self) -> Layout:
        """Where every value lies."""
        with self._lock, self._handle.use() as pointer:
            return layout_of(pointer, self._kernel)

    def range(
        self,
        global_size: SupportsIndex | Sequence[SupportsIndex],
        local_size: SupportsIndex | Sequence[SupportsIndex] | None = None,
        offset: SupportsIndex | Sequence[SupportsIndex] | None = None,
    ) -> Launch:
        """Sizes of the launch in one to three dimensions. Without `local_size` the library chooses."""
        sizes = _triple(global_size, 64, "global_size")
        given = _library.Range()
        given.dimensions = len(sizes)
        for index, size in enumerate(sizes):
            given.global_size[index] = size
        for member, value, bits in ((given.local_size, local_size, 32), (given.offset, offset, 64)):
            if value is None:
                continue
            parts = _triple(value, bits, "local_size" if bits == 32 else "offset")
            if len(parts) != len(sizes):
                raise ValueError("local_size and offset have as many dimensions as global_size")
            for index in range(3):
                member[index] = parts[index] if index < len(parts) else int(bits == 32)
        return self._set("launch_set_range", ctypes.byref(given))

    def task(self) -> Launch:
        """One work-item, as clEnqueueTask launches."""
        given = _library.Range()
        given.dimensions = 1
        given.flags = _library.RANGE_TASK
        return self._set("launch_set_range", ctypes.byref(given))

    def value(self, argument: int | str, data: Buffer) -> Launch:
        """The bytes of a value: anything with a buffer, such as `b"\\0\\0\\0\\0"` or `numpy.float32(2)`."""
        raw = frozen(data, "data")
        return self._set("launch_set_bytes", self._index(argument), raw, len(raw))

    def buffer(self, argument: int | str, address: int, size: int = 0, base: int = 0) -> Launch:
        """A buffer of `size` bytes (0: not known); `base` is that of its descriptor (OpenCL 1.x)."""
        return self._set("launch_set_buffer", self._index(argument), ctypes.byref(_buffer(address, size, base)))

    def null(self, argument: int | str) -> Launch:
        return self._set("launch_set_null", self._index(argument))

    def local(self, argument: int | str, size: int) -> Launch:
        """`size` bytes of local memory."""
        return self._set("launch_set_local", self._index(argument), uint(size, 64, "size"))

    def sampler(self, argument: int | str, word: int) -> Launch:
        """A sampler word (docs/cb0-cb1.md)."""
        return self._set("launch_set_sampler", self._index(argument), uint(word, 32, "word"))

    def image(
        self,
        argument: int | str,
        *,
        width: int,
        height: int = 1,
        depth: int = 1,
        channel_order: int,
        channel_type: int,
        address: int = 0,
        row_pitch: int = 0,
        slice_pitch: int = 0,
        array_size: int = 0,
    ) -> Launch:
        """An image of elements of OpenCL's `channel_order` and `channel_type` (0x10b5: CL_RGBA, 0x10de: CL_FLOAT)."""
        given = _library.Image()
        given.address = uint(address, 64, "address")
        for name, number in (
            ("width", width), ("height", height), ("depth", depth), ("channel_order", channel_order),
            ("channel_type", channel_type), ("row_pitch", row_pitch), ("slice_pitch", slice_pitch),
            ("array_size", array_size),
        ):  # fmt: skip
            setattr(given, name, uint(number, 32, name))
        return self._set("launch_set_image", self._index(argument), ctypes.byref(given))

    def object_bytes(self, argument: int | str, data: Buffer) -> Launch:
        """The bytes of an image or sampler object as the caller's driver makes them (OpenCL 2.0, code objects)."""
        raw = frozen(data, "data")
        return self._set("launch_set_object", self._index(argument), raw, len(raw))

    def environment(self, **values: int) -> Launch:
        """Where the memory of the launch is and what it runs on (OpenCL 2.0, code objects): `memory`, `kernel_object`,
        `printf_buffer`, `default_queue`, … as in amdcompat_environment. Replaces all that was given before; what is
        left out is 0."""
        given = _library.Environment()
        for name, number in values.items():
            if name not in _ENVIRONMENT:
                raise TypeError(f"there is no {name!r}; there are {', '.join(_ENVIRONMENT)}")
            setattr(given, name, uint(number, 8 * ctypes.sizeof(_ENVIRONMENT[name]), name))
        return self._set("launch_set_environment", ctypes.byref(given))

    def printf_buffer(self, address: int, size: int, dwords_per_item: int, base: int = 0) -> Launch:
        """A printf buffer of `size` bytes in all (OpenCL 1.x)."""
        given = _library.PrintfBuffer()
        given.address = uint(address, 64, "address")
        given.base = uint(base, 64, "base")
        given.byte_count = uint(size, 64, "size")
        given.dwords_per_item = uint(dwords_per_item, 32, "dwords_per_item")
        return self._set("launch_set_printf", ctypes.byref(given))

    def data_segment(self, address: int, size: int = 0, base: int = 0) -> Launch:
        """Where the global data segment lies (OpenCL 1.x)."""
        return self._set("launch_set_data_segment", ctypes.byref(_buffer(address, size, base)))

    def constant_data(self, number: int, address: int, size: int = 0) -> Launch:
        """Where the data segment of constant buffer `number`, 2 or more, lies."""
        number = uint(number, 32, "number")
        return self._set("launch_set_constant_data", number, ctypes.byref(_buffer(address, size, 0)))

    def build(self) -> dict[str, bytes]:
        """The bytes of every area of `layout` by its name. Raises `Refused` when a value is missing."""
        lib = _library.library()
        with self._lock, self._handle.use() as pointer:
            self._set("launch_build")
            self._built = True
            layout = layout_of(pointer, self._kernel)
            if self._kernel.family not in _PARTS:
                return {name: sized_bytes(lib.launch_image, pointer, int(name[2:])) for name in layout}
            memory = filled(_library.Memory, lib.launch_memory, pointer)
            whole = copied(memory.bytes, memory.byte_count)
            return {area.name: whole[area.offset : area.offset + area.size] for area in layout.areas}

    @property
    def local_bytes(self) -> int:
        """Local memory of a work-group in all, after a build."""
        with self._lock, self._handle.use() as pointer:
            return int(_library.library().launch_local_bytes(pointer))

    @property
    def local_size(self) -> tuple[int, int, int]:
        """Work-items of a group in each dimension, after a build."""
        sizes = (ctypes.c_uint32 * 3)()
        with self._lock, self._handle.use() as pointer:
            _library.library().launch_local_size(pointer, sizes)
        return (sizes[0], sizes[1], sizes[2])

    def close(self) -> None:
        """Frees the launch. Nothing happens when it is closed already."""
        self._handle.close()

    def __enter__(self) -> Launch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _index(self, argument: int | str) -> int:
        if isinstance(argument, str):
            return self._kernel.argument(argument).index
        index = uint(argument, 32, "argument")
        if index >= len(self._kernel.arguments):
            raise NotFound(f"kernel {self._kernel.name!r} has no argument {index}")
        return index

    def _set(self, function: str, *arguments: object) -> Launch:
        lib = _library.library()
        with self._lock, self._handle.use() as pointer:
            lib.launch_clear_diagnostics(pointer)
            good = check(getattr(lib, function)(pointer, *arguments))
            found = diagnostics_of(lib.launch_diagnostics(pointer), self._file)
            if not good:
                raise Refused(found)
            self._found_since = found if self._built else self._found_since + found
            self._built = False
        return self


def _triple(value: SupportsIndex | Sequence[SupportsIndex], bits: int, what: str) -> list[int]:
    parts = list(value) if isinstance(value, Sequence) else [value]
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{what} has one to three dimensions, not {len(parts)}")
    return [uint(part, bits, what) for part in parts]


def _buffer(address: int, size: int, base: int) -> ctypes.Structure:
    given: ctypes.Structure = _library.Buffer()
    given.address = uint(address, 64, "address")
    given.byte_count = uint(size, 64, "size")
    given.base = uint(base, 64, "base")
    return given


PROFILES = ("amd", "spec")
ARGUMENTS = ("amd", "safe")
IMAGES = ("r8xx", "r7xx")


def create(
    file: int, kernel: Kernel, name: str, profile: str, arguments: str, images: str, strict: bool
) -> tuple[Handle, tuple[Diagnostic, ...]]:
    """A launch of a kernel of a file, and what was found. Raises `Refused`."""
    lib = _library.library()
    options = _library.LaunchOptions()
    options.flags = _library.flags(STRICT=strict)
    options.profile = choice(profile, PROFILES, "profile")
    options.arguments = choice(arguments, ARGUMENTS, "arguments")
    options.image_layout = choice(images, IMAGES, "images")
    out = ctypes.c_void_p()
    good = check(lib.launch_create(file, kernel.index, ctypes.byref(options), ctypes.byref(out)))
    handle = Handle(out.value or 0, lib.launch_free, "the launch")
    found = diagnostics_of(lib.launch_diagnostics(out.value), name)
    if not good:
        handle.close()
        raise Refused(found)
    return handle, found

