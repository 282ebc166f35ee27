# %% [markdown]
# # From an old binary to the bytes a kernel needs
#
# A kernel of an OpenCL 1.x binary reads its launch from two constant buffers. Here they are filled in with NumPy,
# field by field, and held against what the library makes of the same launch; then the same kernel is converted in
# place, and its kernarg segment is filled in. Run as `python3 kernel_bytes.py pitcairn-scale-64.clo` (a sample of the
# project that its build writes: `data[i] *= factor`). It needs the packages `amdcompat` and `numpy`.

# %%
import sys

import numpy as np

import amdcompat

path = sys.argv[1] if len(sys.argv) > 1 else "pitcairn-scale-64.clo"
file = amdcompat.open(path)
kernel = file.kernel("scale")
print(kernel.name, [(argument.name, argument.type_name, argument.offset) for argument in kernel.arguments])

# %% [markdown]
# ## The layout
#
# Areas by name; each has a structured dtype. Bytes without a field are 0 in every launch, so `np.zeros` is the start.

# %%
layout = file.layout(kernel)
for area in layout.areas:
    print(f"{area.name}: {area.size} bytes, {len(area.fields)} fields")
print(layout["cb1"].dtype)

# %% [markdown]
# ## Constant buffer 1: the arguments
#
# A pointer is what the kernel adds to the base of its descriptor; with a descriptor from 0 on, the address itself.

# %%
ADDRESS, ITEMS, GROUP, FACTOR = 0x100000, 1024, 64, 3
cb1 = np.zeros(1, layout["cb1"].dtype)
cb1["data"] = ADDRESS
cb1["factor"] = FACTOR
print(cb1.tobytes().hex(" ", 4))

# %% [markdown]
# ## Constant buffer 0: the sizes
#
# Unused dimensions have the size 1; four words are constants of the math library.

# %%
cb0 = np.zeros(1, layout["cb0"].dtype)
for axis, items, group in zip("xyz", (ITEMS, 1, 1), (GROUP, 1, 1), strict=True):
    cb0[f"global_size_{axis}"] = items
    cb0[f"local_size_{axis}"] = group
    cb0[f"groups_{axis}"] = items // group
cb0["work_dim"] = 1
for constant in (0.0, 0.5, 1.0, 2.0):
    cb0[f"{constant}f"] = constant

# %% [markdown]
# ## The same launch, made by the library

# %%
launch = file.launch(kernel).range(ITEMS, GROUP)
launch.buffer("data", ADDRESS, size=4 * ITEMS).value("factor", np.uint32(FACTOR))
made = launch.build()
print("cb0 equal:", made["cb0"] == cb0.tobytes())
print("cb1 equal:", made["cb1"] == cb1.tobytes())
assert made == {"cb0": cb0.tobytes(), "cb1": cb1.tobytes()}

# %% [markdown]
# ## The kernel converted in place
#
# The old machine code behind a prologue; both are run here, on an interpreter, before the object is handed out. A
# loader of today gives it one kernarg segment, in which constant buffer 0 is an argument of its own.

# %%
conversion = file.convert(layout="in-place", prove=True).require()
print([(one.name, one.outcome, one.launches) for one in conversion.kernels], len(conversion.object), "bytes")

with amdcompat.open(conversion.object, name="scale.hsaco") as new:
    segment = new.layout("scale")["kernarg"]
    kernarg = np.zeros(1, segment.dtype)
    kernarg["data"] = ADDRESS
    kernarg["factor"] = FACTOR
    kernarg["amdcompat.cb0"] = cb0.astype(kernarg.dtype["amdcompat.cb0"])
    launch = new.launch("scale").range(ITEMS, GROUP)
    launch.buffer("data", ADDRESS, size=4 * ITEMS).value("factor", np.uint32(FACTOR))
    print("kernarg equal:", launch.build()["kernarg"] == kernarg.tobytes())
    assert launch.build()["kernarg"] == kernarg.tobytes()

# %% [markdown]
# ## Without the old machine code
#
# A kernel that is compiled again has arguments without gaps for constant buffers.

# %%
natural = file.convert(layout="natural").natural_layout("scale")
print(natural.dtype)
print(file.lift("scale").source)
