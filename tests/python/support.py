"""What the tests of the Python package share: the samples of the build, and its tool to hold results against."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest
from typing import Any

SAMPLES = pathlib.Path(os.environ["AMDCOMPAT_SAMPLES"])
SOURCE = pathlib.Path(os.environ["AMDCOMPAT_SOURCE"])
TOOL = os.environ["AMDCOMPAT_TOOL"]

SKIPPED = 77  # what ctest takes for a skipped test


def samples(*endings: str) -> list[pathlib.Path]:
    """Every sample that opens, or those of these endings."""
    found = sorted(path for path in (SAMPLES / "bin").iterdir() if not endings or path.name.endswith(endings))
    assert found, f"no samples in {SAMPLES}"
    return found


def tool(*arguments: object, status: int | None = 0) -> bytes:
    """What the tool prints on standard output."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, check=False)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def tool_json(*arguments: object, status: int | None = 0) -> Any:
    return json.loads(tool(*arguments, "--format", "json", status=status))


def main() -> None:
    unittest.main(module="__main__", verbosity=1, argv=sys.argv)


def need_numpy() -> None:
    """Ends the program as skipped where NumPy is missing."""
    if importlib.util.find_spec("numpy") is None:
        print("no numpy (Debian package python3-numpy): layouts as dtypes are not tested")
        sys.exit(SKIPPED)
