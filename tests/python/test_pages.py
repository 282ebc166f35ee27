"""docs/python.md prints what it shows, and the scripts in examples/ run on the samples."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from support import SAMPLES, SOURCE, main, samples

support.need_numpy()


class Pages(unittest.TestCase):
    def test_python_page_prints_what_it_shows(self) -> None:
        page = (SOURCE / "docs/python.md").read_text()
        blocks = re.findall(r"^```(python|text)\n(.*?)^```$", page, re.S | re.M)
        self.assertGreater(sum(kind == "python" for kind, _ in blocks), 4)
        names: dict[str, object] = {"__name__": "page"}
        before = pathlib.Path.cwd()
        with tempfile.TemporaryDirectory() as directory:
            for path in samples():
                shutil.copy(path, directory)
            os.chdir(directory)
            try:
                printed = ""
                for kind, text in blocks:
                    if kind == "text":
                        self.assertEqual(printed, text)
                        continue
                    out = io.StringIO()
                    with contextlib.redirect_stdout(out):
                        exec(compile(text, "docs/python.md", "exec"), names)  # noqa: S102
                    printed = out.getvalue()
            finally:
                os.chdir(before)

    def run_example(self, name: str, *arguments: object) -> str:
        done = subprocess.run(
            [sys.executable, "-B", "-W", "error", SOURCE / "examples" / name, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_vault_lists_every_kernel_and_its_ways(self) -> None:
        printed = self.run_example("vault.py", SAMPLES)
        for path in samples():
            self.assertIn(path.name, printed)
        self.assertRegex(printed, r"(?m)^pitcairn-scale-64\.clo +scale +converted +work-item +described$")
        self.assertRegex(printed, r"(?m)^  \+16 +factor +uint +value$")
        self.assertRegex(printed, r"(?m)^AC\w+\.bin +refused: AC\d{4}$")
        self.assertRegex(printed, r"(?m)^\d+ kernels; in place: \d+, lift: \d+$")

    def test_the_bytes_of_a_kernel_are_equal_on_both_ways(self) -> None:
        printed = self.run_example("kernel_bytes.py", SAMPLES / "bin/pitcairn-scale-64.clo")
        self.assertEqual(printed.count("equal: True"), 3)
        self.assertIn("data[gid_x] = data[gid_x] * factor;", printed)

    def test_examples_are_scripts_in_cells(self) -> None:
        for name in ("vault.py", "kernel_bytes.py"):
            text = (SOURCE / "examples" / name).read_text()
            self.assertTrue(text.startswith("# %% [markdown]\n# # "))
            self.assertGreater(len(re.findall(r"(?m)^# %%$", text)), 4)


if __name__ == "__main__":
    main()
