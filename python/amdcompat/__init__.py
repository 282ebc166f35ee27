"""Kernels of AMD's discontinued Catalyst OpenCL compilers: open, inspect, convert, lift, and fill in their launches.

    import amdcompat

    with amdcompat.open("kernels.bin") as file:
        for kernel in file.kernels:
            print(kernel.name, [argument.type_name for argument in kernel.arguments])
        print(file.lift().source)

A thin shell around the C interface of libamdcompat.so.0, loaded when it is first needed; AMDCOMPAT_LIBRARY names
another one. The standard library is all it needs; NumPy is imported for dtypes of layouts only. docs/python.md is a
walk through it.
"""

from __future__ import annotations

import os
from typing import Any

from ._errors import BadCall, Defect, Error, LibraryError, NotFound, Refused
from ._file import File, open
from ._launch import Launch
from ._layout import Area, Field, Layout
from ._library import library as _load
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
    Severity,
    Verification,
)

__version__ = "0.1.0"


def library_version() -> str:
    """Version of the shared library that is loaded."""
    return (_load().library_version() or b"").decode()


def inspect(source: str | os.PathLike[str] | Any, **options: Any) -> Program:
    """What a file holds; options are those of `open`."""
    with open(source, **options) as file:
        return file.program


def convert(source: str | os.PathLike[str] | Any, target: str | None = None, **options: Any) -> Conversion:
    """Converts a file; options are those of `File.convert`."""
    with open(source) as file:
        return file.convert(target, **options)


def lift(source: str | os.PathLike[str] | Any, kernel: str | None = None, **options: Any) -> Lifted:
    """Lifts a file; options are those of `File.lift`."""
    with open(source) as file:
        return file.lift(kernel, **options)


__all__ = [
    "Area",
    "Argument",
    "ArgumentKind",
    "BadCall",
    "Conversion",
    "DataSegment",
    "Defect",
    "Diagnostic",
    "Error",
    "Family",
    "Field",
    "File",
    "Kernel",
    "KernelOutcome",
    "Launch",
    "Layout",
    "LibraryError",
    "LiftOutcome",
    "Lifted",
    "NotFound",
    "Program",
    "Refused",
    "Severity",
    "Verification",
    "convert",
    "inspect",
    "library_version",
    "lift",
    "open",
]
