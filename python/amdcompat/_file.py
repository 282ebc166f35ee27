"""Opened files."""

from __future__ import annotations

import builtins
import ctypes
import os

from . import _launch, _library
from ._errors import NotFound, Refused
from ._file_tools import Buffer, Lines, code_text, diagnostics_of, frozen
from ._launch import Launch
from ._layout import Layout
from ._library import Handle, check, choice, copied, decoded, filled, library, sized_bytes, text, uint
from ._model import (
    Argument,
    ArgumentKind,
    Conversion,
    DataSegment,
    Diagnostic,
    Family,
    Kernel,
    KernelOutcome,
    Lifted,
    LiftOutcome,
    Program,
    Verification,
)

MOST_BYTES = 1 << 30  # more the library does not take

_FAMILIES = (Family.TEXT, Family.CL1, Family.CL2, Family.HSA)
_KINDS = tuple(ArgumentKind)  # in the order of the C interface
_LAYOUTS = ("auto", "in-place", "natural")
_OUTCOMES = ("refused", "described", "converted", "proved", "as it is")
_PROOFS = ("none", "proved", "unproved", "not executable", "differs")
_FORMS = ("auto", "work-item", "wave")
_LIFT_OUTCOMES = ("refused", "lifted", "proved")


def _family(index: int) -> Family:
    return _FAMILIES[index] if index < len(_FAMILIES) else Family.OTHER


def _word(words: tuple[str, ...], index: int) -> str:
    return words[index] if index < len(words) else str(index)  # a later library may have more


class File:
    """An opened file. Closed by `close`, at the end of a `with` block, or with its last reference.

    What it hands out are copies, which outlive it. Several threads may use it at a time."""

    def __init__(self, handle: Handle, name: str, lines: Lines | None) -> None:
        """Not for callers: `amdcompat.open` makes files."""
        self._handle = handle
        self._name = name
        with handle.use() as pointer:
            self._program = _read_program(pointer)
            if self._program.family != Family.TEXT:
                lines = None
            self._diagnostics = diagnostics_of(library().file_diagnostics(pointer), name, lines)

    @property
    def name(self) -> str:
        """As `open` was told, or the path."""
        return self._name

    @property
    def program(self) -> Program:
        """Everything that the file says of itself and its kernels."""
        return self._program

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        return self._program.kernels

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What opening found; a file that opens may have errors too, of kernels that cannot be used."""
        return self._diagnostics

    def kernel(self, kernel: int | str | Kernel) -> Kernel:
        """By name (the first one), by number, or itself. Raises `NotFound`."""
        if isinstance(kernel, str):
            return self._program.kernel(kernel)
        index = kernel.index if isinstance(kernel, Kernel) else uint(kernel, 64, "kernel")
        if index >= len(self.kernels):
            raise NotFound(f"no kernel {index}; there are {len(self.kernels)}")
        return self.kernels[index]

    def convert(
        self,
        target: str | None = None,
        *,
        layout: str = "auto",
        code_object: int = 0,
        prove: bool = False,
        verify: bool = True,
        seed: int = 0,
        launches: int = 0,
        attempts: int = 0,
    ) -> Conversion:
        """Converts the file to a code object and metadata.

        `target`: LLVM's name ("gfx601"); the file's own without. `layout`: "in-place" for code objects with the old
        machine code, "natural" for metadata of code that is compiled again, "auto" for the one where possible and the
        other for what is left. `code_object`: version 3 to 6; 0: what loaders of the target take. `prove` runs old and
        new code on `launches` launches of at most `attempts`, made from `seed` (0: the library's own numbers), and
        leaves out what differs. Without `verify` the object is not checked.

        Nothing is raised for what cannot be converted: `complete` is False then (see `Conversion.require`)."""
        options = _library.ConvertOptions()
        options.target = text(target, "target")
        options.layout = choice(layout, _LAYOUTS, "layout")
        options.code_object = uint(code_object, 32, "code_object")
        options.flags = _library.flags(CONVERT_PROVE=prove, CONVERT_UNVERIFIED=not verify)
        _proof_options(options, seed, launches, attempts)
        lib = library()
        out = ctypes.c_void_p()
        with self._handle.use() as pointer:
            complete = check(lib.convert(pointer, ctypes.byref(options), ctypes.byref(out)))
        with _owned(out, lib.conversion_free) as made:
            return Conversion(
                complete,
                sized_bytes(lib.conversion_object, made) or None,
                sized_bytes(lib.conversion_metadata, made, 0).decode("utf-8", "replace"),
                sized_bytes(lib.conversion_metadata, made, 1),
                _outcomes(made),
                diagnostics_of(lib.conversion_diagnostics(made), self._name),
            )

    def verify(
        self, after: File, *, execute: bool = False, seed: int = 0, launches: int = 0, attempts: int = 0
    ) -> Verification:
        """Whether `after` runs as this file does; with `execute` both are run."""
        options = _library.VerifyOptions()
        options.flags = _library.flags(VERIFY_EXECUTE=execute)
        _proof_options(options, seed, launches, attempts)
        lib = library()
        out = ctypes.c_void_p()
        with self._handle.use() as one, after._handle.use() as other:
            same = check(lib.verify(one, other, ctypes.byref(options), ctypes.byref(out)))
        with _owned(out, lib.conversion_free) as made:
            return Verification(same, _outcomes(made), diagnostics_of(lib.conversion_diagnostics(made), after._name))

    def lift(
        self,
        kernel: str | None = None,
        *,
        form: str = "auto",
        prove: bool = False,
        exact: bool = False,
        annotate: bool = False,
        device: str | None = None,
        seed: int = 0,
        launches: int = 0,
        attempts: int = 0,
    ) -> Lifted:
        """Machine code as OpenCL C.

        `kernel`: only those of that name (`NotFound` without any). `form`: "work-item", "wave" or "auto". `exact` has
        denormal floats as zeros where the machine code has them so, `annotate` puts offsets of the machine code in
        comments. `prove` runs machine code and source on an OpenCL device, part of whose name is `device`, and leaves
        out what differs.

        Nothing is raised for what cannot be lifted: `complete` is False then (see `Lifted.require`)."""
        if isinstance(kernel, str):
            self.kernel(kernel)  # to say which one there is not
        options = _library.LiftOptions()
        options.kernel = text(kernel, "kernel")
        options.file = text(os.path.basename(self._name) or None, "name")
        options.device = text(device, "device")
        options.form = choice(form, _FORMS, "form")
        options.flags = _library.flags(LIFT_PROVE=prove, LIFT_EXACT=exact, LIFT_ANNOTATE=annotate)
        _proof_options(options, seed, launches, attempts)
        lib = library()
        out = ctypes.c_void_p()
        with self._handle.use() as pointer:
            complete = check(lib.lift(pointer, ctypes.byref(options), ctypes.byref(out)))
        with _owned(out, lib.lifted_free) as made:
            kernels = tuple(
                _lift_outcome(filled(_library.LiftOutcome, lib.lifted_kernel, made, index))
                for index in range(lib.lifted_kernel_count(made))
            )
            source = sized_bytes(lib.lifted_source, made).decode("utf-8", "replace")
            return Lifted(complete, source, kernels, diagnostics_of(lib.lifted_diagnostics(made), self._name))

    def launch(
        self,
        kernel: int | str | Kernel,
        *,
        profile: str = "amd",
        arguments: str = "amd",
        images: str = "r8xx",
        strict: bool = False,
    ) -> Launch:
        """A launch of a kernel, to be given values. `profile` ("amd", "spec"), `arguments` ("amd", "safe") and `images`
        ("r8xx", "r7xx") choose among what OpenCL 1.x runtimes did (docs/launch-image.md). Raises `Refused`."""
        chosen = self.kernel(kernel)
        with self._handle.use() as pointer:
            handle, found = _launch.create(pointer, chosen, self._name, profile, arguments, images, strict)
        return Launch(handle, chosen, self._name, found)

    def layout(
        self, kernel: int | str | Kernel, *, profile: str = "amd", arguments: str = "amd", images: str = "r8xx"
    ) -> Layout:
        """Where every value of a kernel's launch lies; options as in `launch`. Raises `Refused`."""
        with self.launch(kernel, profile=profile, arguments=arguments, images=images) as launch:
            return launch.layout

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Frees the file. Nothing happens when it is closed already."""
        self._handle.close()

    def __enter__(self) -> File:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        what = "closed" if self.closed else f"{self._program.kind}, {len(self.kernels)} kernels"
        return f"<amdcompat.File {self._name or 'of bytes'}: {what}>"


def open(
    source: str | os.PathLike[str] | Buffer, *, name: str | None = None, strict: bool = False, entry: str | None = None
) -> File:
    """Opens text metadata, an OpenCL 1.x or 2.0 binary of Catalyst, a code object, or a bundle of these.

    `source`: a path (str or os.PathLike), or the bytes themselves. `name` stands in findings and lifted sources (the
    path without). `strict`: what AMD's own runtime tolerated is an error too. `entry`: of a bundle with several code
    objects the processor ("gfx906").

    Raises `Refused` for a file that is none of these, `OSError` for one that cannot be read."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source) if name is None else name
        data = _read(source)
    else:
        data = frozen(source, "source")
    lib = library()
    out = ctypes.c_void_p()
    flags = _library.flags(STRICT=strict)
    good = check(lib.open_entry(data, len(data), flags, text(entry, "entry"), ctypes.byref(out)))
    handle = Handle(out.value or 0, lib.file_free, "the file")
    lines = Lines(data) if b"\0" not in data[:4096] else None
    if not good:
        with handle.use() as pointer:
            found = diagnostics_of(lib.file_diagnostics(pointer), name or "")
        handle.close()
        raise Refused(found)
    return File(handle, name or "", lines)


def _read(path: str | os.PathLike[str]) -> bytes:
    """As much as the library takes and a byte to be refused for, in pieces: the size of a pipe is not known."""
    with builtins.open(path, "rb", buffering=0) as stream:
        pieces, size = [], 0
        while size <= MOST_BYTES and (piece := stream.read(1 << 20)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)


class _owned:  # noqa: N801
    """A handle of the library inside a `with` block."""

    def __init__(self, out: ctypes.c_void_p, free: object) -> None:
        self._pointer = out.value or 0
        self._free = free

    def __enter__(self) -> int:
        return self._pointer

    def __exit__(self, *exception: object) -> None:
        self._free(self._pointer)  # type: ignore[operator]


def _proof_options(options: ctypes.Structure, seed: int, launches: int, attempts: int) -> None:
    options.seed = uint(seed, 32, "seed")
    options.launches = uint(launches, 32, "launches")
    options.attempts = uint(attempts, 32, "attempts")


def _read_program(file: int) -> Program:
    lib = library()
    program = filled(_library.Program, lib.program_get, file)
    kernels = tuple(_read_kernel(file, index) for index in range(lib.kernel_count(file)))
    segments = []
    for index in range(lib.data_segment_count(file)):
        one = filled(_library.DataSegment, lib.data_segment_get, file, index)
        data = copied(one.bytes, one.byte_count)
        segments.append(DataSegment(one.constant_buffer, decoded(one.section), data, one.zero_bytes))
    return Program(
        decoded(program.kind),
        _family(program.family),
        decoded(program.device),
        decoded(program.target),
        decoded(program.driver),
        decoded(program.compile_options),
        kernels,
        tuple(segments),
        program.refused,
    )


def _read_kernel(file: int, index: int) -> Kernel:
    lib = library()
    kernel = filled(_library.Kernel, lib.kernel_get, file, index)
    family = _family(kernel.family)
    group = (kernel.required_group[0], kernel.required_group[1], kernel.required_group[2])
    return Kernel(
        index=index,
        name=decoded(kernel.name),
        device=decoded(kernel.device),
        family=family,
        address_bits=kernel.address_bits,
        arguments=tuple(
            _read_argument(filled(_library.Argument, lib.argument_get, file, index, at), at, family)
            for at in range(kernel.argument_count)
        ),
        complete=bool(kernel.flags & _library.KERNEL_COMPLETE),
        uses_printf=bool(kernel.flags & _library.KERNEL_PRINTF),
        needs_data_segment=bool(kernel.flags & _library.KERNEL_DATA_SEGMENT),
        uses_images=bool(kernel.flags & _library.KERNEL_IMAGES),
        private_ring=bool(kernel.flags & _library.KERNEL_PRIVATE_RING),
        enqueues=bool(kernel.flags & _library.KERNEL_ENQUEUES),
        required_group_size=group if any(group) else None,
        max_group_size=kernel.max_group,
        local_bytes=kernel.local_bytes,
        private_bytes=kernel.private_bytes,
        hidden_arguments=kernel.hidden_arguments,
    )


def _read_argument(argument: ctypes.Structure, index: int, family: Family) -> Argument:
    in_kernarg = bool(argument.flags & _library.ARGUMENT_KERNARG)
    return Argument(
        index=index,
        name=decoded(argument.name),
        type_name=decoded(argument.type_name),
        kind=_KINDS[argument.kind] if argument.kind < len(_KINDS) else ArgumentKind.OTHER,
        element=decoded(argument.element),
        elements=argument.elements,
        memory=decoded(argument.memory),
        dimension=decoded(argument.dimension),
        access=decoded(argument.access),
        hidden=decoded(argument.hidden),
        id=argument.id,
        value_bytes=argument.value_bytes,
        align=argument.align,
        constant_buffer=None if family == Family.HSA else argument.buffer,
        offset=None if family == Family.HSA else argument.offset,
        kernarg_offset=argument.kernarg_offset if in_kernarg else None,
        kernarg_bytes=argument.kernarg_bytes if in_kernarg else None,
        is_const=bool(argument.flags & _library.ARGUMENT_CONST),
        is_volatile=bool(argument.flags & _library.ARGUMENT_VOLATILE),
        is_restrict=bool(argument.flags & _library.ARGUMENT_RESTRICT),
        optional=bool(argument.flags & _library.ARGUMENT_OPTIONAL),
    )


def _outcomes(conversion: int) -> tuple[KernelOutcome, ...]:
    lib = library()
    out = []
    for index in range(lib.conversion_kernel_count(conversion)):
        one = filled(_library.KernelOutcome, lib.conversion_kernel, conversion, index)
        out.append(
            KernelOutcome(
                decoded(one.name),
                _word(_OUTCOMES, one.outcome),
                code_text(one.reason),
                decoded(one.reason_text),
                one.kernarg_bytes,
                _word(_PROOFS, one.proof),
                decoded(one.proof_text),
                one.launches,
                one.reached,
                one.instructions,
            )
        )
    return tuple(out)


def _lift_outcome(one: ctypes.Structure) -> LiftOutcome:
    return LiftOutcome(
        name=decoded(one.name),
        outcome=_word(_LIFT_OUTCOMES, one.outcome),
        form=_word(_FORMS, one.form) if one.form else "",
        reason=code_text(one.reason),
        reason_text=decoded(one.reason_text),
        statements=one.statements,
        proof=_word(_PROOFS, one.proof),
        proof_text=decoded(one.proof_text),
        device=decoded(one.device),
        launches=one.launches,
        reached=one.reached,
        instructions=one.instructions,
        approximate=bool(one.flags & _library.LIFT_APPROXIMATE),
        denormals=bool(one.flags & _library.LIFT_DENORMALS),
        alone=bool(one.flags & _library.LIFT_ALONE),
        error=one.error * 1e-9,
    )
