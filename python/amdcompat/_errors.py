"""What is raised. Every exception of this package is an `Error`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Diagnostic


class Error(Exception):
    """Of this package. `code` is that of the finding behind it, such as "AC2001" (docs/diagnostics.md), or ""."""

    code: str = ""


class Refused(Error):
    """An input or a value is wrong. `diagnostics` say in what, and `code` is that of the first error among them."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        errors = [finding for finding in diagnostics if finding.severity == "error"] or list(diagnostics)
        super().__init__(str(errors[0]) if errors else "refused")
        self.diagnostics = diagnostics
        self.code = errors[0].code if errors else ""

    def __reduce__(self) -> tuple[type[Refused], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class NotFound(Error, LookupError):
    """There is nothing of that name."""


class BadCall(Error, ValueError):
    """The library takes no such value here."""


class LibraryError(Error, ImportError):
    """The shared library cannot be loaded, or is too old."""


class Defect(Error):
    """An error of the library itself; please report it."""
