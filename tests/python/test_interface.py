"""The Python package says what the tool says, and nothing that is given to it harms it."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gc
import json
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
import zipfile

import amdcompat
from amdcompat import _file, _layout, _library
from support import SAMPLES, SOURCE, main, samples, tool, tool_json

HEADER = (SOURCE / "include/amdcompat/amdcompat.h").read_text()


def is_other(argument: dict) -> bool:
    """Of a kind that the C interface does not tell apart: nothing can be given for it."""
    emulated = argument["kind"] == "local_pointer" and argument["memory"] == "l" and "kernarg" not in argument
    return emulated or argument["kind"] in ("region_pointer", "private_pointer", "hidden")


class Samples(unittest.TestCase):
    def test_every_sample_holds_what_inspect_prints(self) -> None:
        kinds = set()
        for path in samples():
            expected = tool_json("inspect", path)
            with self.subTest(path.name), amdcompat.open(path) as file:
                program = file.program
                self.assertEqual(program.kind, expected["kind"])
                self.assertEqual(program.device, expected["device"])
                self.assertEqual(program.driver, expected["driver"])
                self.assertEqual(program.compile_options, expected["compile_options"])
                self.assertEqual(len(program.kernels), len(expected["kernels"]))
                for kernel, one in zip(program.kernels, expected["kernels"], strict=True):
                    self.kernel(kernel, one)
                    kinds |= {argument.kind for argument in kernel.arguments}
                self.assertEqual(len(program.data_segments), len(expected["data"]))
                for segment, one in zip(program.data_segments, expected["data"], strict=True):
                    self.assertEqual(segment.data.hex(), one["bytes"])
                    self.assertEqual(segment.constant_buffer, one.get("constant_buffer", 0))
                    self.assertEqual(segment.section, one.get("section", ""))
                    self.assertEqual(segment.zero_bytes, one.get("zero_bytes", 0))
                if "code_object" in expected and "target" in expected["code_object"]:
                    self.assertTrue(expected["code_object"]["target"].endswith("--" + program.target))
        self.assertEqual(kinds, set(amdcompat.ArgumentKind))

    def kernel(self, kernel: amdcompat.Kernel, expected: dict) -> None:
        self.assertEqual(kernel.name, expected["name"])
        self.assertEqual(kernel.device, expected["device"])
        self.assertEqual(kernel.address_bits, expected["address_bits"])
        self.assertEqual(kernel.complete, expected["complete"])
        self.assertEqual(kernel.max_group_size, expected["max_flat_group_size"])
        self.assertEqual(kernel.required_group_size, tuple(expected.get("required_group_size", ())) or None)
        flags = expected["flags"]
        self.assertEqual(kernel.uses_printf, flags["printf"])
        self.assertEqual(kernel.needs_data_segment, flags["data_segment"])
        self.assertEqual(kernel.private_ring, flags["compiler_write"])
        self.assertEqual(kernel.uses_images, flags["images"])
        self.assertEqual(kernel.enqueues, flags["device_enqueue"])
        segments = expected["segments"]
        self.assertEqual(kernel.local_bytes, segments["local"] + segments["hwlocal"])
        self.assertEqual(kernel.private_bytes, segments["private"] + segments["hwprivate"] + segments["uavprivate"])
        self.assertEqual(kernel.hidden_arguments, expected.get("cl2", {}).get("hidden_arguments", 0))
        self.assertEqual(len(kernel.arguments), len(expected["arguments"]))
        for index, (argument, one) in enumerate(zip(kernel.arguments, expected["arguments"], strict=True)):
            self.assertEqual(argument.index, index)
            self.assertEqual(argument.name, one["name"])
            self.assertEqual(argument.type_name, one["type_name"])
            self.assertEqual(argument.kind, "other" if is_other(one) else one["kind"], argument)
            self.assertEqual(argument.element, one.get("type", one.get("pointee", "")))
            self.assertEqual(argument.elements, one.get("elements", 0))
            self.assertEqual(argument.memory, one.get("memory", ""))
            self.assertEqual(argument.dimension, one.get("dimension", ""))
            self.assertEqual(argument.access, one.get("access", ""))
            self.assertEqual(argument.hidden, one.get("what", ""))
            self.assertEqual(argument.id, one.get("buffer", one.get("id", 0)))
            self.assertEqual(argument.constant_buffer, one.get("constant_buffer"))
            self.assertEqual(argument.offset, one.get("offset"))
            if "kernarg" in one:
                self.assertEqual(argument.kernarg_offset, one["kernarg"]["offset"])
                self.assertEqual(argument.kernarg_bytes, one["kernarg"]["size"])
            self.assertEqual(argument.is_const, one.get("const", False))
            self.assertEqual(argument.is_volatile, one.get("volatile", False))
            self.assertEqual(argument.is_restrict, one.get("restrict", False))

    def test_findings_are_those_of_check_with_their_places(self) -> None:
        lines = 0
        for path in samples() + sorted((SAMPLES / "refused").iterdir()):
            printed = tool("check", "--format", "json", path, status=None).decode().splitlines()
            expected = [json.loads(line) for line in printed]
            keys = [(e["code"], e["severity"], e["offset"], e["message"]) for e in expected]
            with self.subTest(path.name), amdcompat.open(path) as file:
                for found in file.diagnostics:
                    key = (found.code, found.severity, found.offset, found.message)
                    self.assertIn(key, keys)
                    same = expected[keys.index(key)]
                    self.assertEqual(found.length, same["size"])
                    self.assertEqual(found.kernel, same.get("kernel", ""))
                    self.assertEqual(found.argument, same.get("argument", ""))
                    self.assertEqual(found.path, same.get("path", ""))
                    if file.program.family == "text":
                        self.assertEqual((found.line, found.column), (same["line"], same["column"]))
                        lines += 1
                    self.assertTrue(str(found).startswith(f"{path}:"))
        self.assertGreater(lines, 10)

    def test_conversions_have_the_bytes_that_the_tool_writes(self) -> None:
        objects = 0
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            for path in samples(".clo", ".hsaco", ".amdil", ".hsail"):
                with self.subTest(path.name), amdcompat.open(path) as file:
                    natural = file.convert(layout="natural")
                    for form, text in (("yaml", natural.yaml.encode()), ("msgpack", natural.msgpack)):
                        out.unlink(missing_ok=True)
                        tool("convert", "--layout", "natural", "--to", form, "-o", out, path, status=None)
                        if natural.complete and file.kernels:
                            self.assertEqual(out.read_bytes(), text)
                    in_place = file.convert(layout="in-place")
                    out.unlink(missing_ok=True)
                    tool("convert", "--layout", "in-place", "--to", "elf", "-o", out, path, status=None)
                    if in_place.complete and in_place.object is not None:
                        objects += 1
                        self.assertEqual(out.read_bytes(), in_place.object)
                        self.assertEqual({k.outcome for k in in_place.kernels} - {"converted", "as it is"}, set())
                    elif not in_place.complete:
                        self.assertTrue(any(kernel.reason for kernel in in_place.kernels) or not file.kernels)
                        with self.assertRaises(amdcompat.Refused) as raised:
                            in_place.require()
                        self.assertRegex(raised.exception.code, r"^AC\d{4}$")
        self.assertGreater(objects, 5)

    def test_a_conversion_takes_target_version_and_proof(self) -> None:
        path = SAMPLES / "bin/pitcairn-scale-64.clo"
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            options = ["--layout", "in-place", "--target", "gfx600", "--code-object", "3", "--prove"]
            tool("convert", *options, "--to", "elf", "-o", out, path)
            made = amdcompat.convert(path, "gfx600", layout="in-place", code_object=3, prove=True).require()
            self.assertEqual(out.read_bytes(), made.object)
        (kernel,) = made.kernels
        self.assertEqual((kernel.outcome, kernel.proof, kernel.launches), ("proved", "proved", 3))
        self.assertEqual(kernel.reached, kernel.instructions)
        with amdcompat.open(path) as old, amdcompat.open(made.object) as new:
            self.assertEqual(new.program.target, "gfx600")
            self.assertTrue(old.verify(new, execute=True).same)
            self.assertFalse(new.verify(amdcompat.open(SAMPLES / "bin/object-gfx906.hsaco")).same)

    def test_lifts_are_those_of_the_tool(self) -> None:
        lifted = refused = 0
        for path in samples(".clo", ".hsaco", ".amdil"):
            expected = tool_json("lift", "-q", path, status=None)
            with self.subTest(path.name), amdcompat.open(path) as file:
                unit = file.lift()
                self.assertEqual(unit.source, expected["source"])
                self.assertEqual(len(unit.kernels), len(expected["kernels"]))
                for kernel, one in zip(unit.kernels, expected["kernels"], strict=True):
                    self.assertEqual(kernel.name, one["name"])
                    self.assertEqual(kernel.outcome, one["result"])
                    self.assertEqual(kernel.form, one.get("form", ""))
                    self.assertEqual(kernel.reason, one.get("refusal", {}).get("code", ""))
                    self.assertEqual(bool(kernel.reason_text), "refusal" in one)
                    self.assertEqual(kernel.statements, one.get("statements", 0))
                    lifted += kernel.outcome == "lifted"
                    refused += kernel.outcome == "refused"
                self.assertEqual(unit.complete, all(one["result"] == "lifted" for one in expected["kernels"]))
        self.assertGreater(lifted, 5)
        self.assertGreater(refused, 0)
        with amdcompat.open(SAMPLES / "bin/pitcairn-scale-64.clo") as file:
            self.assertIn("get_global_id", file.lift("scale", form="work-item", annotate=True).source)
            with self.assertRaises(amdcompat.NotFound):
                file.lift("nobody")

    def test_functions_of_the_module_are_short_for_those_of_files(self) -> None:
        path = SAMPLES / "bin/pitcairn-scale-64.clo"
        with amdcompat.open(path) as file:
            self.assertEqual(amdcompat.inspect(path), file.program)
            self.assertEqual(amdcompat.lift(path, "scale"), file.lift("scale"))
            self.assertEqual(amdcompat.convert(path, layout="natural"), file.convert(layout="natural"))
        self.assertEqual(amdcompat.library_version(), amdcompat.__version__)

    def test_an_entry_of_a_bundle_is_opened(self) -> None:
        code = (SAMPLES / "bin/object-gfx906.hsaco").read_bytes()
        head, body = b"__CLANG_OFFLOAD_BUNDLE__" + (2).to_bytes(8, "little"), b""
        for number, name in enumerate((b"hip-amdgcn-amd-amdhsa--gfx906", b"hip-amdgcn-amd-amdhsa--gfx803")):
            for word in (4096 + number * len(code), len(code), len(name)):
                head += word.to_bytes(8, "little")
            head += name
            body += code
        bundle = head.ljust(4096, b"\0") + body
        with amdcompat.open(bundle, entry="gfx906", name="of.bundle") as file:
            self.assertEqual([kernel.name for kernel in file.kernels], ["k"])
        with self.assertRaises(amdcompat.Refused) as raised:
            amdcompat.open(bundle)
        self.assertRegex(raised.exception.code, r"^AC\d{4}$")


class BadInput(unittest.TestCase):
    def test_broken_files_are_refused_with_a_code_of_the_tool_or_opened(self) -> None:
        refused = 0
        for path in sorted((SAMPLES / "broken").glob("*.bin")):
            with self.subTest(path.name):
                try:
                    file = amdcompat.open(path)
                except amdcompat.Refused as problem:
                    refused += 1
                    self.assertIn(problem.code.encode(), tool("check", "--format", "json", path, status=None))
                    self.assertTrue(problem.diagnostics)
                    self.assertEqual(problem.diagnostics[0].file, str(path))
                else:
                    self.use(file)
        self.assertGreater(refused, 5)

    def test_mutated_samples_never_end_the_interpreter(self) -> None:
        generator = random.Random(20)
        for path in samples(".clo", ".hsaco", ".amdil"):
            whole = path.read_bytes()
            for _ in range(6):
                data = bytearray(whole)
                for _ in range(generator.choice((1, 4, 40))):
                    data[generator.randrange(len(data))] = generator.randrange(256)
                if generator.random() < 0.3:
                    del data[generator.randrange(len(data)) :]
                before = bytes(data)
                with self.subTest(path.name):
                    try:
                        file = amdcompat.open(data)
                    except amdcompat.Refused:
                        continue
                    self.use(file)
                    self.assertEqual(data, before)

    def use(self, file: amdcompat.File) -> None:
        with file:
            file.lift()
            natural = file.convert(layout="natural")
            for kernel in natural.kernels[:4]:
                with contextlib.suppress(amdcompat.NotFound):
                    area = natural.natural_layout(kernel.name)
                    self.assertTrue(all(one.offset + one.size <= area.size for one in area.fields))
            for kernel in file.kernels[:4]:
                try:
                    file.layout(kernel)
                except amdcompat.Refused as problem:
                    self.assertTrue(problem.code)

    def test_what_is_no_file_is_refused_by_type_name_or_code(self) -> None:
        for source in (3, None, 1.5, ["a"], object()):
            with self.assertRaises(TypeError):
                amdcompat.open(source)
        with self.assertRaises(FileNotFoundError):
            amdcompat.open("/no/such/file")
        with self.assertRaises(IsADirectoryError):
            amdcompat.open(SAMPLES)
        for data in (b"", b"\0", b"hello", bytes(5000)):
            with self.assertRaises(amdcompat.Refused) as raised:
                amdcompat.open(data, name="some bytes")
            self.assertRegex(raised.exception.code, r"^AC\d{4}$")
            self.assertIn("some bytes", str(raised.exception))

    def test_arguments_without_a_place_have_no_field(self) -> None:
        argument = {".name": "n", ".offset": 8, ".size": 4, ".value_kind": "by_value", ".type_name": "int"}
        odd = [{}, {**argument, ".offset": -1}, {**argument, ".offset": "8"}, {**argument, ".size": 1 << 40}]
        odd += [3, {**argument, ".offset": 14}]
        area = _layout.natural_area({".args": [*odd, argument], ".kernarg_segment_size": 16})
        self.assertEqual([(one.name, one.offset, one.format) for one in area.fields], [("n", 8, "<i4")])
        self.assertEqual(_layout.natural_area({}).size, 0)

    def test_bytes_of_every_kind_are_taken_and_left_as_they_are(self) -> None:
        data = (SAMPLES / "bin/tahiti-923.clo").read_bytes()
        expected = amdcompat.inspect(data)
        changing = bytearray(data)
        for source in (changing, memoryview(data), memoryview(bytes(2 * len(data)))[::2]):
            if bytes(source[:4]) == data[:4]:
                self.assertEqual(amdcompat.inspect(source), expected)
            else:
                with self.assertRaises(amdcompat.Refused):
                    amdcompat.open(source)
        with amdcompat.open(changing) as file:
            changing[:] = bytes(len(changing))  # the library has its own copy
            self.assertEqual(file.program, expected)
            self.assertTrue(file.lift().kernels)

    def test_wrong_values_are_python_errors_and_change_nothing(self) -> None:
        with amdcompat.open(SAMPLES / "bin/pitcairn-scale-64.clo") as file:
            for call in (
                lambda: file.convert(layout="sideways"),
                lambda: file.convert("gfx601\0"),
                lambda: file.convert(code_object=-1),
                lambda: file.convert(seed=1 << 32),
                lambda: file.convert(code_object=77),
                lambda: file.lift(form="round"),
                lambda: file.launch("scale", profile="none"),
                lambda: file.launch(0).range(-1),
                lambda: file.launch(0).range((1, 1, 1, 1)),
                lambda: file.launch(0).range((64, 64), 8),
                lambda: file.launch(0).buffer("data", 1 << 64),
            ):
                with self.subTest(line=call.__code__.co_firstlineno), self.assertRaises(ValueError):
                    call()
            for call in (
                lambda: file.convert(3),
                lambda: file.lift(kernel=b"scale"),
                lambda: file.convert(seed=1.5),
                lambda: file.launch(0).environment(weather=1),
                lambda: file.launch(0).value("factor", 3),
            ):
                with self.assertRaises(TypeError):
                    call()
            for call in (
                lambda: file.kernel("nobody"),
                lambda: file.kernel(1),
                lambda: file.launch("scale").null("nothing"),
                lambda: file.launch("scale").null(2),
                lambda: file.program.kernels[0].argument("nothing"),
                lambda: file.convert(layout="natural").natural_layout("nobody"),
            ):
                with self.assertRaises(amdcompat.NotFound):
                    call()
            launch = file.launch("scale")
            with self.assertRaises(amdcompat.Refused) as raised:
                launch.build()
            self.assertRegex(raised.exception.code, r"^AC30\d\d$")
            with self.assertRaises(amdcompat.Refused) as raised:
                launch.value("factor", b"abcde")
            self.assertEqual(raised.exception.diagnostics[-1].severity, "error")
            self.assertIn("factor", str(raised.exception))
            self.assertTrue(file.lift().complete)
            self.assertFalse(file.convert("gfx01").complete)


class Warnings(unittest.TestCase):
    def test_of_a_launch_are_those_since_the_build_before(self) -> None:
        with amdcompat.open(SAMPLES / "bin/printf.amdil") as file:
            launch = file.launch("trace")
            at_first = launch.diagnostics
            for argument in launch.kernel.arguments:
                if argument.kind == amdcompat.ArgumentKind.VALUE:
                    launch.value(argument.name, bytes(argument.value_bytes))
                else:
                    launch.null(argument.name)
            launch.range(64, 64).build()
            (missing,) = [found for found in launch.diagnostics if found.code == "AC3029"]
            self.assertEqual(missing.severity, amdcompat.Severity.WARNING)
            self.assertIn("no printf buffer", missing.message)
            launch.printf_buffer(0x1000, 0x10000, 64)
            self.assertEqual(launch.diagnostics, at_first, "a value after a build starts anew")
            launch.build()
            self.assertNotIn("AC3029", [found.code for found in launch.diagnostics])


class Ownership(unittest.TestCase):
    PATH = SAMPLES / "bin/pitcairn-scale-64.clo"

    def test_a_closed_file_raises_and_what_it_gave_out_lives_on(self) -> None:
        with amdcompat.open(self.PATH) as file:
            launch = file.launch(0)
            kernel = file.kernels[0]
        self.assertTrue(file.closed)
        file.close()
        for call in (file.convert, file.lift, lambda: file.launch(0), lambda: file.layout(0)):
            with self.assertRaises(ValueError):
                call()
        self.assertEqual(file.kernels[0].name, "scale")
        launch.range(64).buffer("data", 4096).value("factor", bytes(4))
        self.assertEqual(len(launch.build()["cb0"]), 160)
        launch.close()
        with self.assertRaises(ValueError):
            launch.build()
        self.assertEqual(pickle.loads(pickle.dumps(kernel)), kernel)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            kernel.name = "other"  # type: ignore[misc]
        self.assertIn("closed", repr(file))

    def test_every_handle_is_freed_once(self) -> None:
        freed: list[int] = []
        handle = _library.Handle(7, freed.append, "it")
        with handle.use():
            handle.close()
            self.assertEqual(freed, [], "it is in use")
            with self.assertRaises(ValueError), handle.use():
                pass
        handle.close()
        self.assertEqual(freed, [7])
        del handle
        gc.collect()
        self.assertEqual(freed, [7])
        lost = _library.Handle(8, freed.append, "it")
        gone = weakref.ref(lost)
        del lost
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(freed, [7, 8])

    def test_threads_share_a_file_while_another_closes_it(self) -> None:
        for _ in range(5):
            file = amdcompat.open(self.PATH)
            sources: set[str] = set()
            closed = 0

            def work(file: amdcompat.File = file) -> None:
                nonlocal closed
                try:
                    for _ in range(20):
                        sources.add(file.lift().source)
                except ValueError:
                    closed += 1

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            file.close()
            for thread in threads:
                thread.join()
            self.assertLessEqual(len(sources), 1)

    def test_memory_does_not_grow_with_files_opened(self) -> None:
        data = (SAMPLES / "bin/pitcairn-1702.clo").read_bytes()

        def once() -> None:
            with amdcompat.open(data) as file:
                file.lift()
                file.convert(layout="natural")
                file.layout(0)

        def resident() -> int:
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

        for _ in range(30):
            once()
        gc.collect()
        before = resident()
        for _ in range(200):
            once()
        gc.collect()
        self.assertLess(resident() - before, 200 * len(data), "a part of what was opened was not freed")


class Binding(unittest.TestCase):
    """The declarations are those of the header."""

    TYPES = {
        "uint32_t": ctypes.c_uint32,
        "uint64_t": ctypes.c_uint64,
        "int64_t": ctypes.c_int64,
        "size_t": ctypes.c_size_t,
        "const char*": ctypes.c_char_p,
        "const void*": ctypes.c_void_p,
    }
    RENAMED = {"global_size": "global", "local_size": "local"}

    def test_structures_have_the_members_of_the_header(self) -> None:
        plain = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)
        checked = 0
        for match in re.finditer(r"typedef struct amdcompat_(\w+) \{(.*?)\}", plain, re.S):
            structure = getattr(_library, "".join(word.title() for word in match[1].split("_")), None)
            if structure is None:
                continue
            checked += 1
            members = []
            for line in match[2].split(";"):
                found = re.fullmatch(r"\s*(const \w+\*|\w+) (\w+)(?:\[(\d+)\])?\s*", line)
                if found is None:
                    self.assertEqual(line.strip(), "")
                    continue
                kind = self.TYPES[found[1]]
                members.append((found[2], kind * int(found[3]) if found[3] else kind))
            ours = [(self.RENAMED.get(name, name), kind) for name, kind in structure._fields_]
            self.assertEqual(ours, members, match[1])
        declared = [v for v in vars(_library).values() if isinstance(v, type) and issubclass(v, _library.Sized)]
        self.assertEqual(checked, len(declared) - 1, "of all but the base")

    def test_functions_have_the_parameters_of_the_header(self) -> None:
        plain = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)
        declared = {
            match[1]: 0 if match[2] == "void" else match[2].count(",") + 1
            for match in re.finditer(r"AMDCOMPAT_API [\w* ]+?\bamdcompat_(\w+)\(([^)]*)\);", plain)
        }
        for name, (_, parameters) in _library._FUNCTIONS.items():
            self.assertEqual(declared.get(name), len(parameters), name)

    def test_numbers_mean_what_the_header_says(self) -> None:
        def numbers(*names: str) -> list[int]:
            return [int(re.search(rf"\bAMDCOMPAT_{name} = (\d+)", HEADER)[1]) for name in names]

        kinds = [kind.name for kind in amdcompat.ArgumentKind]
        self.assertEqual(numbers(*kinds), list(range(len(kinds))))
        for prefix, words in (
            ("FAMILY_", [family.value for family in _file._FAMILIES]),
            ("LAYOUT_", _file._LAYOUTS),
            ("OUTCOME_", _file._OUTCOMES),
            ("PROOF_", _file._PROOFS),
            ("FORM_", _file._FORMS),
            ("LIFT_", _file._LIFT_OUTCOMES),
        ):
            names = [prefix + re.sub("[- ]", "_", word.upper()) for word in words]
            self.assertEqual(numbers(*names), list(range(len(names))))
        statuses = ("OK", "REFUSED", "NOT_FOUND", "BAD_CALL", "NO_MEMORY", "DEFECT")
        self.assertEqual(numbers(*statuses), [getattr(_library, name) for name in statuses])
        version = int(re.search(r"#define AMDCOMPAT_C_VERSION (\d+)u", HEADER)[1])
        self.assertLessEqual(_library.NEEDED_VERSION, version, "a later library does")

    def test_flags_have_the_numbers_of_the_header(self) -> None:
        flags = {name: int(bit) for name, bit in re.findall(r"#define AMDCOMPAT_(\w+) (\d+)u", HEADER)}
        ours = {name for name in vars(_library) if name in flags}
        self.assertGreaterEqual(len(ours), 21)
        for name in ours:
            self.assertEqual(getattr(_library, name), flags[name], name)
        for path in (SOURCE / "python/amdcompat").glob("*.py"):
            code = path.read_text()
            for name in re.findall(r"_library\.([A-Z]+_[A-Z_]+)", code) + re.findall(r"\b([A-Z_]+)=(?:not )?[a-z]", code):
                self.assertTrue(hasattr(_library, name), f"{path.name}: {name}")
            self.assertIsNone(re.search(r"flags (?:&|=|\|) *\d", code), f"{path.name}: a flag without a name")

    def test_a_family_of_a_later_library_is_other(self) -> None:
        self.assertEqual(_file._family(1), amdcompat.Family.CL1)
        self.assertEqual(_file._family(99), amdcompat.Family.OTHER)

    def test_a_missing_or_foreign_library_is_named(self) -> None:
        program = (
            "import amdcompat\n"
            "try: amdcompat.library_version()\n"
            "except amdcompat.LibraryError as problem: print(isinstance(problem, ImportError), problem)\n"
        )
        for path, words in (("/no/lib.so", "AMDCOMPAT_LIBRARY names another place"), ("libc.so.6", "no library of")):
            done = subprocess.run(
                [sys.executable, "-B", "-c", program],
                env={**os.environ, "AMDCOMPAT_LIBRARY": path},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertTrue(done.stdout.startswith("True"), done.stdout)
            self.assertIn(words, done.stdout)

    def test_the_package_loads_no_numpy(self) -> None:
        program = "import sys, amdcompat; amdcompat.library_version(); sys.exit('numpy' in sys.modules)"
        subprocess.run([sys.executable, "-B", "-c", program], check=True)


class Packaging(unittest.TestCase):
    def test_a_wheel_is_made_without_a_network(self) -> None:
        program = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
        found = subprocess.run([sys.executable, "-c", "import setuptools, wheel"], capture_output=True, check=False)
        if found.returncode != 0:
            self.skipTest("no setuptools and wheel (Debian packages python3-setuptools, python3-wheel)")
        with tempfile.TemporaryDirectory() as directory:
            tree = pathlib.Path(directory) / "python"
            shutil.copytree(SOURCE / "python", tree, ignore=shutil.ignore_patterns("__pycache__"))
            done = subprocess.run(
                [sys.executable, "-B", "-c", program, directory], cwd=tree, capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            (made,) = pathlib.Path(directory).glob("*.whl")
            self.assertEqual(made.name, f"amdcompat-{amdcompat.__version__}-py3-none-any.whl")
            names = zipfile.ZipFile(made).namelist()
        sources = {f"amdcompat/{path.name}" for path in (SOURCE / "python/amdcompat").glob("*.py")}
        self.assertLessEqual(sources | {"amdcompat/py.typed"}, set(names))


if __name__ == "__main__":
    main()
