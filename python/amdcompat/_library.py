"""The shared library as ctypes sees it: structures and functions of <amdcompat/amdcompat.h>, and who frees what.

Structures have no padding and start with their size, so they are declared member by member. ctypes cuts numbers off
without a word; whatever comes from a caller goes through `uint` and `text` first.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, SupportsIndex, TypeVar

from ._errors import BadCall, Defect, LibraryError, NotFound

SONAME = "libamdcompat.so.0"
VARIABLE = "AMDCOMPAT_LIBRARY"
NEEDED_VERSION = 4  # of the C interface

OK, REFUSED, NOT_FOUND, BAD_CALL, NO_MEMORY, DEFECT = range(6)

# Bits of `flags` members and parameters, by the header's names without AMDCOMPAT_; a test holds them against it.
STRICT = 1
KERNEL_COMPLETE = 1
KERNEL_PRINTF = 2
KERNEL_DATA_SEGMENT = 4
KERNEL_IMAGES = 8
KERNEL_PRIVATE_RING = 16
KERNEL_ENQUEUES = 32
ARGUMENT_CONST = 1
ARGUMENT_VOLATILE = 2
ARGUMENT_RESTRICT = 4
ARGUMENT_KERNARG = 8
ARGUMENT_OPTIONAL = 32
RANGE_TASK = 1
CONVERT_PROVE = 1
CONVERT_UNVERIFIED = 2
VERIFY_EXECUTE = 1
LIFT_PROVE = 1
LIFT_EXACT = 2
LIFT_ANNOTATE = 4
LIFT_APPROXIMATE = 1
LIFT_DENORMALS = 2
LIFT_ALONE = 4


def flags(**bits: object) -> int:
    """The sum of those bits that are asked for, by name."""
    return sum(globals()[name] for name, wanted in bits.items() if wanted)


class Sized(ctypes.Structure):
    """A structure whose first member is its size."""

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(self)


def _structure(name: str, *members: tuple[str, Any]) -> Any:
    return type(name, (Sized,), {"_fields_": [("size", c_size_t), *members]})


Diagnostic = _structure(
    "Diagnostic",
    ("code", c_uint32),
    ("severity", c_uint32),
    ("offset", c_uint64),
    ("length", c_uint64),
    ("block", c_char_p),
    ("path", c_char_p),
    ("message", c_char_p),
    ("kernel", c_char_p),
    ("argument", c_char_p),
)
Program = _structure(
    "Program",
    ("kind", c_char_p),
    ("device", c_char_p),
    ("target", c_char_p),
    ("driver", c_char_p),
    ("compile_options", c_char_p),
    ("refused", c_uint64),
    ("family", c_uint32),
    ("reserved", c_uint32),
)
Kernel = _structure(
    "Kernel",
    ("name", c_char_p),
    ("device", c_char_p),
    ("family", c_uint32),
    ("address_bits", c_uint32),
    ("flags", c_uint32),
    ("argument_count", c_uint32),
    ("required_group", c_uint32 * 3),
    ("max_group", c_uint32),
    ("local_bytes", c_uint64),
    ("private_bytes", c_uint64),
    ("hidden_arguments", c_uint32),
    ("reserved", c_uint32),
)
Argument = _structure(
    "Argument",
    ("name", c_char_p),
    ("type_name", c_char_p),
    ("kind", c_uint32),
    ("flags", c_uint32),
    ("value_bytes", c_uint32),
    ("align", c_uint32),
    ("buffer", c_uint32),
    ("offset", c_uint32),
    ("kernarg_offset", c_uint64),
    ("kernarg_bytes", c_uint64),
    ("element", c_char_p),
    ("memory", c_char_p),
    ("dimension", c_char_p),
    ("access", c_char_p),
    ("hidden", c_char_p),
    ("elements", c_uint32),
    ("id", c_uint32),
)
DataSegment = _structure(
    "DataSegment",
    ("section", c_char_p),
    ("bytes", c_void_p),
    ("byte_count", c_uint64),
    ("zero_bytes", c_uint64),
    ("constant_buffer", c_uint32),
    ("reserved", c_uint32),
)
LaunchOptions = _structure(
    "LaunchOptions",
    ("flags", c_uint32),
    ("profile", c_uint32),
    ("arguments", c_uint32),
    ("image_layout", c_uint32),
    ("max_constant_buffer", c_uint32),
    ("max_local_bytes", c_uint32),
    ("max_block_bytes", c_uint32),
    ("max_memory_bytes", c_uint32),
    ("packet_header", c_uint32),
    ("reserved", c_uint32),
)
Range = _structure(
    "Range",
    ("dimensions", c_uint32),
    ("flags", c_uint32),
    ("global_size", c_uint64 * 3),
    ("offset", c_uint64 * 3),
    ("local_size", c_uint32 * 3),
    ("split_group_offset", c_uint32 * 3),
    ("split_global", c_uint64 * 3),
    ("split_offset", c_uint64 * 3),
)
Buffer = _structure("Buffer", ("address", c_uint64), ("base", c_uint64), ("byte_count", c_uint64))
Image = _structure(
    "Image",
    ("address", c_uint64),
    ("width", c_uint32),
    ("height", c_uint32),
    ("depth", c_uint32),
    ("channel_order", c_uint32),
    ("channel_type", c_uint32),
    ("row_pitch", c_uint32),
    ("slice_pitch", c_uint32),
    ("array_size", c_uint32),
    ("offset", c_uint32),
    ("reserved", c_uint32),
)
PrintfBuffer = _structure(
    "PrintfBuffer",
    ("address", c_uint64),
    ("base", c_uint64),
    ("byte_count", c_uint64),
    ("dwords_per_item", c_uint32),
    ("reserved", c_uint32),
)
Environment = _structure(
    "Environment",
    ("memory", c_uint64),
    ("printf_buffer", c_uint64),
    ("default_queue", c_uint64),
    ("aql_wrap", c_uint64),
    ("kernel_object", c_uint64),
    ("completion_signal", c_uint64),
    ("queue", c_uint64),
    ("scratch", c_uint64),
    ("local_aperture", c_uint32),
    ("scratch_aperture", c_uint32),
    ("scratch_bytes", c_uint32),
    ("scratch_offset", c_uint32),
    ("hostcall_buffer", c_uint64),
    ("multigrid_sync", c_uint64),
    ("heap", c_uint64),
)
Memory = _structure(
    "Memory",
    ("bytes", c_void_p),
    ("byte_count", c_uint64),
    ("block_bytes", c_uint64),
    ("changed_begin", c_uint64),
    ("changed_end", c_uint64),
    ("align", c_uint32),
    ("packet_header", c_uint32),
)
MapEntry = _structure(
    "MapEntry",
    ("name", c_char_p),
    ("part", c_char_p),
    ("what", c_char_p),
    ("value", c_char_p),
    ("evidence", c_char_p),
    ("source", c_char_p),
    ("argument", c_int64),
    ("buffer", c_uint32),
    ("offset", c_uint32),
    ("byte_count", c_uint32),
    ("reserved_bytes", c_uint32),
)
ConvertOptions = _structure(
    "ConvertOptions",
    ("target", c_char_p),
    ("layout", c_uint32),
    ("code_object", c_uint32),
    ("flags", c_uint32),
    ("seed", c_uint32),
    ("launches", c_uint32),
    ("attempts", c_uint32),
)
KernelOutcome = _structure(
    "KernelOutcome",
    ("name", c_char_p),
    ("reason_text", c_char_p),
    ("proof_text", c_char_p),
    ("kernarg_bytes", c_uint64),
    ("outcome", c_uint32),
    ("reason", c_uint32),
    ("proof", c_uint32),
    ("launches", c_uint32),
    ("reached", c_uint32),
    ("instructions", c_uint32),
)
VerifyOptions = _structure(
    "VerifyOptions", ("flags", c_uint32), ("seed", c_uint32), ("launches", c_uint32), ("attempts", c_uint32)
)
LiftOptions = _structure(
    "LiftOptions",
    ("kernel", c_char_p),
    ("file", c_char_p),
    ("device", c_char_p),
    ("form", c_uint32),
    ("flags", c_uint32),
    ("seed", c_uint32),
    ("launches", c_uint32),
    ("attempts", c_uint32),
    ("reserved", c_uint32),
)
LiftOutcome = _structure(
    "LiftOutcome",
    ("name", c_char_p),
    ("reason_text", c_char_p),
    ("proof_text", c_char_p),
    ("device", c_char_p),
    ("outcome", c_uint32),
    ("form", c_uint32),
    ("reason", c_uint32),
    ("statements", c_uint32),
    ("proof", c_uint32),
    ("launches", c_uint32),
    ("reached", c_uint32),
    ("instructions", c_uint32),
    ("flags", c_uint32),
    ("error", c_uint32),
)

_HANDLE = c_void_p
_OUT = POINTER(c_void_p)
_SIZE_OUT = POINTER(c_size_t)

# Result and parameters of each function that is called here; without its `amdcompat_`.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "c_version": (c_uint32, ()),
    "library_version": (c_char_p, ()),
    "status_text": (c_char_p, (c_int32,)),
    "diagnostics_count": (c_size_t, (_HANDLE,)),
    "diagnostics_get": (c_int32, (_HANDLE, c_size_t, POINTER(Diagnostic))),
    "open_entry": (c_int32, (c_char_p, c_size_t, c_uint32, c_char_p, _OUT)),
    "file_free": (None, (_HANDLE,)),
    "file_diagnostics": (c_void_p, (_HANDLE,)),
    "program_get": (c_int32, (_HANDLE, POINTER(Program))),
    "kernel_count": (c_size_t, (_HANDLE,)),
    "kernel_get": (c_int32, (_HANDLE, c_size_t, POINTER(Kernel))),
    "argument_get": (c_int32, (_HANDLE, c_size_t, c_size_t, POINTER(Argument))),
    "data_segment_count": (c_size_t, (_HANDLE,)),
    "data_segment_get": (c_int32, (_HANDLE, c_size_t, POINTER(DataSegment))),
    "launch_create": (c_int32, (_HANDLE, c_size_t, POINTER(LaunchOptions), _OUT)),
    "launch_free": (None, (_HANDLE,)),
    "launch_diagnostics": (c_void_p, (_HANDLE,)),
    "launch_clear_diagnostics": (None, (_HANDLE,)),
    "launch_set_range": (c_int32, (_HANDLE, POINTER(Range))),
    "launch_set_bytes": (c_int32, (_HANDLE, c_size_t, c_char_p, c_size_t)),
    "launch_set_buffer": (c_int32, (_HANDLE, c_size_t, POINTER(Buffer))),
    "launch_set_null": (c_int32, (_HANDLE, c_size_t)),
    "launch_set_local": (c_int32, (_HANDLE, c_size_t, c_uint64)),
    "launch_set_image": (c_int32, (_HANDLE, c_size_t, POINTER(Image))),
    "launch_set_sampler": (c_int32, (_HANDLE, c_size_t, c_uint32)),
    "launch_set_object": (c_int32, (_HANDLE, c_size_t, c_char_p, c_size_t)),
    "launch_set_environment": (c_int32, (_HANDLE, POINTER(Environment))),
    "launch_set_printf": (c_int32, (_HANDLE, POINTER(PrintfBuffer))),
    "launch_set_data_segment": (c_int32, (_HANDLE, POINTER(Buffer))),
    "launch_set_constant_data": (c_int32, (_HANDLE, c_uint32, POINTER(Buffer))),
    "launch_build": (c_int32, (_HANDLE,)),
    "launch_image": (c_void_p, (_HANDLE, c_uint32, _SIZE_OUT)),
    "launch_memory": (c_int32, (_HANDLE, POINTER(Memory))),
    "launch_map": (c_int32, (_HANDLE, _SIZE_OUT)),
    "launch_map_get": (c_int32, (_HANDLE, c_size_t, POINTER(MapEntry))),
    "launch_local_bytes": (c_uint64, (_HANDLE,)),
    "launch_local_size": (None, (_HANDLE, POINTER(c_uint32))),
    "convert": (c_int32, (_HANDLE, POINTER(ConvertOptions), _OUT)),
    "verify": (c_int32, (_HANDLE, _HANDLE, POINTER(VerifyOptions), _OUT)),
    "conversion_free": (None, (_HANDLE,)),
    "conversion_diagnostics": (c_void_p, (_HANDLE,)),
    "conversion_object": (c_void_p, (_HANDLE, _SIZE_OUT)),
    "conversion_metadata": (c_void_p, (_HANDLE, c_uint32, _SIZE_OUT)),
    "conversion_kernel_count": (c_size_t, (_HANDLE,)),
    "conversion_kernel": (c_int32, (_HANDLE, c_size_t, POINTER(KernelOutcome))),
    "lift": (c_int32, (_HANDLE, POINTER(LiftOptions), _OUT)),
    "lifted_free": (None, (_HANDLE,)),
    "lifted_diagnostics": (c_void_p, (_HANDLE,)),
    "lifted_source": (c_void_p, (_HANDLE, _SIZE_OUT)),
    "lifted_kernel_count": (c_size_t, (_HANDLE,)),
    "lifted_kernel": (c_int32, (_HANDLE, c_size_t, POINTER(LiftOutcome))),
}


class Library:
    """The loaded library; its functions are attributes without `amdcompat_`."""

    def __init__(self, path: str) -> None:
        try:
            loaded = ctypes.CDLL(path)
        except OSError as problem:
            raise LibraryError(
                f"cannot load {path}: {problem}. It is in the package libamdcompat0; {VARIABLE} names another place"
            ) from problem
        self.path = path
        try:
            loaded.amdcompat_c_version.restype = c_uint32
            version = loaded.amdcompat_c_version()
        except AttributeError as problem:
            raise LibraryError(f"{path} is no library of amdcompat") from problem
        if version < NEEDED_VERSION:
            raise LibraryError(f"{path} has version {version} of the C interface; {NEEDED_VERSION} is needed")
        for name, (result, parameters) in _FUNCTIONS.items():
            function = getattr(loaded, "amdcompat_" + name)
            function.restype = result
            function.argtypes = parameters
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise AttributeError(name)  # here for type checkers: the functions are set by __init__


@functools.cache
def library() -> Library:
    """Loads the library when it is first needed: what AMDCOMPAT_LIBRARY names, else the loader's."""
    return Library(os.environ.get(VARIABLE) or SONAME)


def check(status: int) -> bool:
    """True for OK, False for REFUSED, whose reasons the caller has; anything else is raised."""
    if status in (OK, REFUSED):
        return status == OK
    if status == NO_MEMORY:
        raise MemoryError("amdcompat is out of memory")
    words = (library().status_text(status) or b"").decode()
    if status == NOT_FOUND:
        raise NotFound(words)
    raise (BadCall if status == BAD_CALL else Defect)(words)


def uint(value: SupportsIndex, bits: int, what: str) -> int:
    """`value` as a number that fits `bits` bits without a sign."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{what} is {number}, which does not fit {bits} bits without a sign")
    return number


def text(value: str | None, what: str) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{what} is a {type(value).__name__}, not a str")
    if "\0" in value:
        raise ValueError(f"{what} has a NUL in it")
    return value.encode("utf-8", "surrogateescape")


def choice(value: str, choices: tuple[str, ...], what: str) -> int:
    if value not in choices:
        raise ValueError(f"{what} is {value!r}; it can be {', '.join(choices)}")
    return choices.index(value)


def decoded(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def copied(address: int | None, count: int) -> bytes:
    return b"" if not address or not count else ctypes.string_at(address, count)


T = TypeVar("T", bound=Sized)


def filled(structure: type[T], function: Callable[..., int], *arguments: Any) -> T:
    """What a function of the form `get(…, out)` gives."""
    out = structure()
    check(function(*arguments, byref(out)))
    return out


def sized_bytes(function: Callable[..., int | None], *arguments: Any) -> bytes:
    """A copy of what a function of the form `bytes(…, size_t* count)` gives."""
    count = c_size_t()
    return copied(function(*arguments, byref(count)), count.value)


class Handle:
    """A handle of the library. Freed once: by `close`, with its last reference, or when the interpreter ends; and never
    while a call of another thread uses it."""

    def __init__(self, pointer: int, free: Callable[[int], None], what: str) -> None:
        self._pointer = pointer
        self._what = what
        self._lock = threading.Lock()
        self._users = 0
        self._closed = False
        self._free = weakref.finalize(self, free, pointer)

    @property
    def closed(self) -> bool:
        return self._closed

    @contextlib.contextmanager
    def use(self) -> Iterator[int]:
        with self._lock:
            if self._closed:
                raise ValueError(f"{self._what} is closed")
            self._users += 1
        try:
            yield self._pointer
        finally:
            with self._lock:
                self._users -= 1
                last = self._closed and self._users == 0
            if last:
                self._free()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle = self._users == 0
        if idle:
            self._free()
