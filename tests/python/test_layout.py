"""Images that are filled in through NumPy are those that the tool writes for the same launch."""

from __future__ import annotations

import json
import pathlib
import random
import tempfile
import unittest
from typing import Any

import support
from support import SAMPLES, main, samples, tool, tool_json

support.need_numpy()

import numpy as np  # noqa: E402

import amdcompat  # noqa: E402

PACKET_HEADER = 0x0D02
CONSTANTS = {"0.0f": 0.0, "0.5f": 0.5, "1.0f": 1.0, "2.0f": 2.0}


def number(value: Any) -> int:
    return int(value, 0) if isinstance(value, str) else int(value)


def put(record: Any, field: amdcompat.Field, data: bytes) -> None:
    """Host bytes of a value, spread over the parts of the field."""
    if field.fields:
        at = 0
        for part in field.fields:
            put(record[field.name], part, data[at : at + part.size])
            at += part.size
    else:
        record[field.name] = np.frombuffer(data.ljust(field.size, b"\0")[: field.size], field.dtype)


class Filling:
    """What `pack` does with a launch file, done with dtypes alone; `static` bytes of local memory are the kernel's."""

    def __init__(
        self, kernel: amdcompat.Kernel, layout: amdcompat.Layout, launch: dict[str, Any], static: int
    ) -> None:
        self.kernel, self.layout, self.launch = kernel, layout, launch
        self.dimensions = launch["dim"]
        self.sizes = [launch["global"][d] if d < self.dimensions else 1 for d in range(3)]
        self.local = [launch["local"][d] if d < self.dimensions else 1 for d in range(3)]
        self.offsets = [launch["offset"][d] if d < self.dimensions else 0 for d in range(3)]
        self.local_end = static
        self.environment = launch.get("cl2") or launch.get("hsa") or {}
        source = [argument for argument in kernel.arguments if not argument.hidden and not argument.optional]
        self.values = dict(zip([argument.index for argument in source], launch["arguments"], strict=False))

    def local_offset(self, argument: amdcompat.Argument, size: int) -> int:
        align = argument.align & -argument.align or 1
        start = -(-self.local_end // align) * align
        self.local_end = start + size
        return start

    def cb0(self, record: Any) -> None:
        groups = [-(-size // local) for size, local in zip(self.sizes, self.local, strict=True)]
        for d, axis in enumerate("xyz"):
            record[f"global_size_{axis}"] = self.sizes[d]
            record[f"local_size_{axis}"] = self.local[d]
            record[f"groups_{axis}"] = groups[d]
            record[f"spawn_offset_{axis}"] = record[f"NDRange_offset_{axis}"] = self.offsets[d]
        record["work_dim"] = self.dimensions
        record["spawn_offset_flat"] = np.prod(self.offsets[: self.dimensions])
        for name, value in CONSTANTS.items():
            record[name] = value
        if "printf" in self.launch:
            record["printf_buffer"] = number(self.launch["printf"]["address"])
            record["printf_size"] = self.launch["printf"]["dwords_per_item"]
        if "data_segment" in self.launch:
            data = self.launch["data_segment"]
            record["data_segment"] = number(data["address"]) if isinstance(data, dict) else number(data)

    def argument(self, name: str, record: Any, field: amdcompat.Field) -> None:
        argument = self.kernel.arguments[field.argument]
        if argument.hidden:
            axis = {"global_offset_x": 0, "global_offset_y": 1, "global_offset_z": 2}.get(argument.hidden)
            word = {"completion_action": "aql_wrap"}.get(argument.hidden, argument.hidden)
            record[field.name] = self.offsets[axis] if axis is not None else number(self.environment.get(word, 0))
            return
        value = self.values[argument.index]
        if name == "block" and argument.element == "struct":
            objects = self.layout["objects"]  # it stands elsewhere
            record[field.name] = number(self.environment["memory"]) + objects.offset + objects[field.name].offset
        elif "bytes" in value and argument.element == "i1":
            record[field.name] = bytes.fromhex(value["bytes"])[0] & 1
        elif "bytes" in value:
            put(record, field, bytes.fromhex(value["bytes"]))
        elif "local" in value:
            record[field.name] = self.local_offset(argument, value["local"])
        elif "image" in value:
            image, target = value["image"], record[field.name]
            for name in ("width", "height", "depth"):
                target[name] = image[name]
                target[f"inverse_{name}"] = 1 / np.float32(image[name])
            target["channel_type"], target["channel_order"] = number(image["type"]), number(image["order"])
        elif "sampler" in value:
            record[field.name] = number(value["sampler"])
        elif argument.memory == "hc":
            record[field.name] = 1
        else:
            record[field.name] = number(value["buffer"]) - number(value.get("base", 0))

    def packet(self, record: Any) -> None:
        record["header"], record["setup"] = PACKET_HEADER, self.dimensions
        for d, axis in enumerate("xyz"):
            record[f"workgroup_size_{axis}"], record[f"grid_size_{axis}"] = self.local[d], self.sizes[d]
        record["private_segment_size"] = self.kernel.private_bytes
        record["group_segment_size"] = self.local_end
        record["kernel_object"] = number(self.environment.get("kernel_object", 0))
        record["kernarg_address"] = number(self.environment.get("memory", 0))

    def area(self, name: str) -> bytes:
        area = self.layout[name]
        image = np.zeros(1, area.dtype)
        record = image[0]
        if name == "cb0":
            self.cb0(record)
        elif name == "packet":
            self.packet(record)
        else:
            for field in area.fields:
                if field.name == "amdcompat.cb0":
                    self.cb0(record[field.name])
                elif field.argument is not None:
                    self.argument(name, record, field)
        return image.tobytes()


class Images(unittest.TestCase):
    def launches(self, path: pathlib.Path, kernel: amdcompat.Kernel, work: pathlib.Path) -> dict[str, Any] | None:
        """A launch file with values of its own, where the tool can make one."""
        file = work / "launch.json"
        file.unlink(missing_ok=True)
        tool("pack", "-q", "--template", "--kernel", kernel.name, "-o", file, path, status=None)
        if not file.exists():
            return None
        launch: dict[str, Any] = json.loads(file.read_text())
        generator = random.Random(kernel.name)
        if kernel.required_group_size is None:
            launch.update({"dim": 2, "global": [96, 5], "local": [32, 1], "offset": [7, 3]})
        for argument in launch["arguments"]:
            if "bytes" in argument:
                argument["bytes"] = generator.randbytes(len(argument["bytes"]) // 2).hex()
        file.write_text(json.dumps(launch))
        return launch

    def test_filled_dtypes_are_the_files_that_pack_writes(self) -> None:
        compared: dict[str, int] = {}
        for path in samples():
            with amdcompat.open(path) as file, tempfile.TemporaryDirectory() as directory:
                work = pathlib.Path(directory)
                for kernel in file.kernels:
                    launch = self.launches(path, kernel, work)
                    # Hardware descriptors of images are the driver's matter.
                    objects = any("image" in one or "sampler" in one for one in (launch or {}).get("arguments", ()))
                    if launch is None or (kernel.family in ("cl2", "hsa") and objects):
                        continue
                    packed = work / kernel.name
                    tool("pack", "-q", "--launch", work / "launch.json", "-o", packed, path, status=None)
                    if not packed.exists():
                        continue
                    with self.subTest(path.name, kernel=kernel.name):
                        self.compare(file, kernel, launch, packed)
                        compared[kernel.family] = compared.get(kernel.family, 0) + 1
        self.assertGreater(compared["text"], 12)
        self.assertGreater(compared["cl1"], 6)
        self.assertGreater(compared["cl2"], 5)
        self.assertEqual(compared["hsa"], 1)

    def compare(self, file: amdcompat.File, kernel: amdcompat.Kernel, launch: Any, packed: pathlib.Path) -> None:
        layout = file.layout(kernel)
        (said,) = (one for one in tool_json("inspect", file.name)["kernels"] if one["name"] == kernel.name)
        filling = Filling(kernel, layout, launch, said["segments"]["hwlocal"])
        made = {name: filling.area(name) for name in layout}
        if layout.memory_align == 0:
            for name, data in made.items():
                self.assertEqual(data, (packed / f"{name}.bin").read_bytes(), name)
            return
        self.assertEqual(made["packet"], (packed / "aql.bin").read_bytes())
        memory = (packed / "kernarg.bin").read_bytes()
        if kernel.family == "hsa":
            self.assertEqual(made["kernarg"][: len(memory)], memory)
        else:
            self.assertEqual(b"".join(made.values()), memory)
            whole = np.zeros(1, layout.dtype)
            for name, data in made.items():
                whole[name] = np.frombuffer(data, layout[name].dtype)
            self.assertEqual(whole.tobytes(), memory)

    def test_an_in_place_conversion_is_filled_in_the_same_way(self) -> None:
        made = amdcompat.convert(SAMPLES / "bin/pitcairn-scale-64.clo", layout="in-place").require()
        with tempfile.TemporaryDirectory() as directory, amdcompat.open(made.object) as file:
            work = pathlib.Path(directory)
            (work / "scale.hsaco").write_bytes(made.object)
            launch = self.launches(work / "scale.hsaco", file.kernels[0], work)
            tool("pack", "-q", "--launch", work / "launch.json", "-o", work / "out", work / "scale.hsaco")
            filling = Filling(file.kernels[0], file.layout(0), launch, 0)
            self.assertEqual(filling.area("kernarg")[:192], (work / "out/kernarg.bin").read_bytes())

    def test_a_launch_makes_the_same_bytes(self) -> None:
        path = SAMPLES / "bin/pitcairn-scale-64.clo"
        with tempfile.TemporaryDirectory() as directory, amdcompat.open(path) as file:
            work = pathlib.Path(directory)
            launch = self.launches(path, file.kernels[0], work)
            tool("pack", "-q", "--launch", work / "launch.json", "-o", work / "out", path)
            buffer, value = launch["arguments"]
            made = file.launch("scale").range((96, 5), (32, 1), (7, 3))
            made.buffer("data", number(buffer["buffer"]), buffer["size"]).value(1, bytes.fromhex(value["bytes"]))
            for name, data in made.build().items():
                self.assertEqual(data, (work / f"out/{name}.bin").read_bytes())
            self.assertEqual(made.local_size, (32, 1, 1))
            made.value("factor", np.uint32(9))
            image = np.frombuffer(made.build()["cb1"], made.layout["cb1"].dtype)
            self.assertEqual(image["factor"][0], 9)


class Layouts(unittest.TestCase):
    def test_dtypes_have_the_offsets_and_sizes_of_their_areas(self) -> None:
        fields = 0
        for path in samples():
            with amdcompat.open(path) as file:
                for kernel in file.kernels:
                    try:
                        layout = file.layout(kernel)
                    except amdcompat.Refused:
                        continue
                    for area in layout.areas:
                        self.assertEqual(area.dtype.itemsize, area.size)
                        self.assertEqual(area.dtype.names, tuple(one.name for one in area.fields))
                        for one in area.fields:
                            kind, offset = area.dtype.fields[one.name][:2]
                            self.assertEqual((kind.itemsize, offset), (one.size, one.offset), (path.name, one))
                            self.assertIs(area[one.name], one)
                            self.assertTrue(one.source and one.evidence)
                            fields += 1
                            if one.argument is not None and kernel.arguments[one.argument].offset is not None:
                                argument = kernel.arguments[one.argument]
                                expected = argument.kernarg_offset
                                expected = argument.offset if expected is None else expected
                                self.assertIn(area.name, ("objects",) if one.offset != expected else layout)
                    if layout.memory_align != 0:
                        self.assertEqual(layout.dtype.names, tuple(layout))
                    else:
                        self.assertRaises(ValueError, lambda layout=layout: layout.dtype)
        self.assertGreater(fields, 1000)

    def test_types_are_those_of_the_source(self) -> None:
        with amdcompat.open(SAMPLES / "bin/values-32.amdil") as file:
            dtype = file.layout(0)["cb1"].dtype
        expected = {
            "i8_1": "i1",
            "u16_1": "<u2",
            "float_1": "<f4",
            "double_2": ("<f8", (2,)),
            "i32_3": ("<i4", (4,)),
            "u64_3": ("<u8", (4,)),
            "float_16": ("<f4", (16,)),
            "pair": ("u1", (12,)),
        }
        for name, kind in expected.items():
            self.assertEqual(dtype[name], np.dtype(kind), name)
        parts = [f"elements_{4 * part}_to_{4 * part + 3}" for part in range(4)]
        self.assertEqual(list(dtype["i8_16"].names), parts)
        self.assertEqual([dtype["i8_16"].fields[part][1] for part in parts], [0, 16, 32, 48])

    def test_profiles_choose_layouts(self) -> None:
        with amdcompat.open(SAMPLES / "bin/values-32.amdil") as file:
            safe = file.layout(0, arguments="safe")["cb1"].dtype["u64_3"]
            self.assertEqual(safe.itemsize, 16, "cut off where the next argument starts")
            names = file.layout(0, profile="spec")["cb0"].dtype.names
            self.assertNotEqual(names, file.layout(0)["cb0"].dtype.names)

    def test_natural_layouts_are_those_of_the_metadata(self) -> None:
        with amdcompat.open(SAMPLES / "bin/cl2-tonga-attributes.clo") as file:
            made = file.convert(layout="natural")
            area = made.natural_layout("values")
            (kernel,) = (one for one in made.metadata["amdhsa.kernels"] if one[".name"] == "values")
        self.assertEqual(area.dtype.itemsize, kernel[".kernarg_segment_size"])
        self.assertEqual([one.offset for one in area.fields], [one[".offset"] for one in kernel[".args"]])
        self.assertEqual(area.dtype["d"], np.dtype("<f8"))
        self.assertEqual(area.dtype["v3"], np.dtype(("<f4", (4,))))
        self.assertEqual(area.dtype["s"], np.dtype(("u1", (40,))))
        self.assertIn("hidden_global_offset_x", area.dtype.names)


if __name__ == "__main__":
    main()
