"""What a file holds and what became of it, as plain frozen dataclasses: no handle, no library behind them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from ._errors import NotFound, Refused
from ._layout import Area, natural_area


class Severity(enum.StrEnum):
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Family(enum.StrEnum):
    """Of a program: bare text metadata, an OpenCL 1.x or 2.0 container of Catalyst, or an HSA code object."""

    TEXT = "text"
    CL1 = "cl1"
    CL2 = "cl2"
    HSA = "hsa"
    OTHER = "other"  # of a library that is newer than this package


class ArgumentKind(enum.StrEnum):
    """What an argument is, and so which method of `Launch` gives it a value."""

    VALUE = "value"
    GLOBAL_POINTER = "global_pointer"
    CONSTANT_POINTER = "constant_pointer"
    LOCAL_POINTER = "local_pointer"
    IMAGE = "image"
    SAMPLER = "sampler"
    COUNTER = "counter"
    SEMAPHORE = "semaphore"
    OTHER = "other"  # of a kind that needs no value, or that cannot be launched
    QUEUE = "queue"
    PIPE = "pipe"


@dataclass(frozen=True)
class Diagnostic:
    """A finding. Its code is stable: docs/diagnostics.md has cause and remedy, as has `amdcompat explain CODE`."""

    code: str  # "AC1002"
    severity: Severity
    message: str
    file: str  # as `open` was told; "" for bytes without a name
    offset: int  # bytes into the file
    length: int  # bytes; 0: a position
    line: int | None = None  # from 1 on, in bare text
    column: int | None = None  # characters, from 1 on
    block: str = ""  # metadata block
    path: str = ""  # place in a structure, such as "arguments[2]"
    kernel: str = ""  # that it is about
    argument: str = ""

    def __str__(self) -> str:
        place = f":+{self.offset:#x}" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file or '<bytes>'}{place}: {self.severity}[{self.code}]: {self.message}"


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel, hidden ones of the compiler included."""

    index: int
    name: str
    type_name: str  # of the source, such as "float4*"; "": the metadata has none
    kind: ArgumentKind
    element: str  # values: type of an element ("float", "u32", "struct"); pointers: of what they point to
    elements: int  # values: 1, 2, 3, 4, 8 or 16; structures: bytes
    memory: str  # pointers, queues: kind of memory as text metadata spells it ("uav", "hl")
    dimension: str  # images: "2D", …
    access: str  # pointers, images, pipes: "RO", "WO", "RW"
    hidden: str  # what the compiler added, such as "global_offset_x"; "": it is the source's
    id: int  # number of the buffer in its class, or of the image, sampler, counter or semaphore
    value_bytes: int  # values: bytes that a launch takes, three elements counted as four
    align: int  # pointers: of the addresses, bytes
    constant_buffer: int | None  # that it lies in (OpenCL 1.x, text; in OpenCL 2.0 a virtual one that no code reads)
    offset: int | None  # bytes into it
    kernarg_offset: int | None  # bytes into the argument block or kernarg segment (OpenCL 2.0, code objects)
    kernarg_bytes: int | None  # that it has there
    is_const: bool = False
    is_volatile: bool = False
    is_restrict: bool = False
    optional: bool = False  # a launch fills it unless it is given: what conversion in place added


@dataclass(frozen=True)
class Kernel:
    index: int  # in its program
    name: str
    device: str  # Catalyst's name, lower case
    family: Family
    address_bits: int  # 32 or 64
    arguments: tuple[Argument, ...]
    complete: bool  # False: its metadata was not wholly understood, and nothing can be launched
    uses_printf: bool
    needs_data_segment: bool
    uses_images: bool
    private_ring: bool  # compiled to write to a dummy page
    enqueues: bool
    required_group_size: tuple[int, int, int] | None  # work-items
    max_group_size: int  # work-items of a group
    local_bytes: int  # static local memory of a work-group
    private_bytes: int  # of a work-item
    hidden_arguments: int  # OpenCL 2.0: the first so many are the compiler's

    def argument(self, name: str) -> Argument:
        """The first argument of that name. Raises `NotFound`."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        raise NotFound(f"kernel {self.name!r} has no argument {name!r}")


@dataclass(frozen=True)
class DataSegment:
    """Constants of a program."""

    constant_buffer: int  # number of the constant buffer; 0: the global data segment
    section: str  # OpenCL 2.0: name of the section it is
    data: bytes
    zero_bytes: int  # zeros that follow


@dataclass(frozen=True)
class Program:
    """What a file holds."""

    kind: str  # "CL1 GPU container", "AMDIL text", "HSA code object V5", …
    family: Family
    device: str  # Catalyst's name, lower case; "" when unknown
    target: str  # LLVM's name of what the machine code is for ("gfx601", "gfx906:xnack-"); "": not known
    driver: str  # as the container names it
    compile_options: str
    kernels: tuple[Kernel, ...]
    data_segments: tuple[DataSegment, ...]
    refused_kernels: int  # that the container names but which could not be read at all

    def kernel(self, name: str) -> Kernel:
        """The first kernel of that name. Raises `NotFound`."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise NotFound(f"no kernel {name!r}")


@dataclass(frozen=True)
class KernelOutcome:
    """What became of a kernel in a conversion (docs/results.md)."""

    name: str
    outcome: str  # "refused", "described", "converted", "proved" or "as it is"
    reason: str  # code of why it is not in the object, such as "AC4303"; "": none
    reason_text: str
    kernarg_bytes: int  # of its kernarg segment
    proof: str  # "none", "proved", "unproved", "not executable" or "differs"
    proof_text: str
    launches: int  # that a proof compared
    reached: int  # instructions of the old code, over these launches,
    instructions: int  # of so many


@dataclass(frozen=True)
class Conversion:
    """A converted file. What could be made is here even where something else was refused."""

    complete: bool  # all that was asked for is made
    object: bytes | None = field(repr=False)  # code object of the converted kernels, an ELF file; None: there is none
    yaml: str = field(repr=False)  # metadata of the described kernels; "": there is none
    msgpack: bytes = field(repr=False)  # the same
    kernels: tuple[KernelOutcome, ...]
    diagnostics: tuple[Diagnostic, ...]

    def require(self) -> Conversion:
        """Itself, if it is complete; else raises `Refused`."""
        if not self.complete:
            raise Refused(self.diagnostics)
        return self

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata of the described kernels as dictionaries; {}: there is none."""
        from ._msgpack import unpack

        found = unpack(self.msgpack) if self.msgpack else {}
        return found if isinstance(found, dict) else {}

    def natural_layout(self, kernel: str) -> Area:
        """Kernarg segment that a described kernel has when it is compiled again. Raises `NotFound`."""
        entries = self.metadata.get("amdhsa.kernels")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get(".name") == kernel:
                return natural_area(entry)
        raise NotFound(f"no described kernel {kernel!r}")


@dataclass(frozen=True)
class LiftOutcome:
    """What became of a kernel that was to be lifted (docs/lift.md)."""

    name: str
    outcome: str  # "refused", "lifted" or "proved"
    form: str  # "work-item" or "wave"; "": not lifted
    reason: str  # code of why it is not lifted, such as "AC4406"; "": none
    reason_text: str
    statements: int
    proof: str  # "none", "proved", "unproved", "not executable" or "differs"
    proof_text: str
    device: str  # OpenCL device that the source ran on
    launches: int  # that a proof compared
    reached: int  # instructions of the machine code, over these launches,
    instructions: int  # of so many
    approximate: bool  # the machine code has instructions whose results are approximations
    denormals: bool  # results depend on whether denormal floats are kept
    alone: bool  # some launches had work-groups of one work-item, or one: others race
    error: float  # of approximations: largest difference, as part of the largest number in its buffer


@dataclass(frozen=True)
class Lifted:
    """Machine code as OpenCL C. The source of what could be lifted is here even where a kernel was refused."""

    complete: bool  # all that was asked for is made
    source: str = field(repr=False)  # one OpenCL C 1.2 translation unit; "": no kernel is in it
    kernels: tuple[LiftOutcome, ...]
    diagnostics: tuple[Diagnostic, ...]

    def require(self) -> Lifted:
        """Itself, if it is complete; else raises `Refused`."""
        if not self.complete:
            raise Refused(self.diagnostics)
        return self


@dataclass(frozen=True)
class Verification:
    """Whether a file runs as another one does."""

    same: bool
    kernels: tuple[KernelOutcome, ...]  # that both files have, where they were run
    diagnostics: tuple[Diagnostic, ...]
