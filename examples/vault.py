# %% [markdown]
# # What is in this vault?
#
# Walks a folder of old OpenCL binaries and says what each file is, which kernels it holds with which arguments, and
# what can be done with each kernel today. Run as `python3 vault.py FOLDER`, or cell by cell in an editor that knows
# `# %%`. It needs the package `amdcompat` and nothing else.

# %%
import pathlib
import sys

import amdcompat


def shown(text: str) -> str:
    """Names come from files: control characters stay out of the terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
print(f"{folder.name}, read by amdcompat {amdcompat.library_version()}")

# %% [markdown]
# ## The files
#
# `open` recognises containers by their bytes. What is none of them is refused with a code; `amdcompat explain CODE`
# has cause and remedy.

# %%
files = {}
refused = {}
for path in sorted(path for path in folder.rglob("*") if path.is_file()):
    try:
        files[path] = amdcompat.open(path)
    except amdcompat.Refused as problem:
        refused[path] = problem
    except OSError as problem:
        print(f"{path}: {problem.strerror}")

print(f"\n{'file':<28} {'what it is':<20} {'device':<10} {'target':<16} kernels")
for path, file in files.items():
    program = file.program
    print(
        f"{shown(path.name):<28} {program.kind:<20} {program.device or '-':<10} {program.target or '-':<16} "
        f"{len(program.kernels)}"
    )
for path, problem in refused.items():
    print(f"{shown(path.name):<28} refused: {problem.code}")

# %% [markdown]
# ## The kernels and their arguments
#
# Offsets are bytes: into constant buffer 1 in OpenCL 1.x, into the argument block in OpenCL 2.0, into the kernarg
# segment in code objects. Arguments that the compiler added are left out.

# %%
for path, file in files.items():
    for kernel in file.kernels:
        limits = f"{kernel.address_bits} bits, groups of at most {kernel.max_group_size}"
        print(f"\n{shown(path.name)}: {shown(kernel.name)}, {limits}")
        for argument in kernel.arguments:
            if argument.hidden:
                continue
            offset = argument.offset if argument.kernarg_offset is None else argument.kernarg_offset
            name, source = shown(argument.name), shown(argument.type_name)
            print(f"  +{offset:<5} {name:<16} {source:<16} {argument.kind} {argument.memory}".rstrip())

# %% [markdown]
# ## What can run where
#
# Three ways lead to a runtime of today. *In place*: the old machine code, behind a prologue, on the device it was
# made for. *Lift*: the machine code as OpenCL C, on every device that compiles OpenCL C. *Natural*: metadata for a
# kernel that is compiled again from its source. A code says why a way is closed.


# %%
def state(outcome: str, reason: str) -> str:
    return reason if outcome == "refused" else outcome


ways: dict[str, int] = {}
print(f"\n{'file':<28} {'kernel':<20} {'in place':<12} {'lift':<12} natural")
for path, file in files.items():
    in_place = file.convert(layout="in-place").kernels
    natural = file.convert(layout="natural").kernels
    lifted = file.lift().kernels
    for old, lift, described in zip(in_place, lifted, natural, strict=True):
        ways["in place"] = ways.get("in place", 0) + (old.outcome != "refused")
        ways["lift"] = ways.get("lift", 0) + (lift.outcome != "refused")
        print(
            f"{shown(path.name):<28} {shown(old.name):<20.20} {state(old.outcome, old.reason):<12} "
            f"{lift.form or lift.reason:<12} {state(described.outcome, described.reason)}"
        )
total = sum(len(file.kernels) for file in files.values())
print(f"\n{total} kernels; " + ", ".join(f"{way}: {count}" for way, count in ways.items()))

# %% [markdown]
# ## What was found on the way
#
# Warnings and errors of opening, by code.

# %%
counts: dict[str, int] = {}
for file in files.values():
    for finding in file.diagnostics:
        if finding.severity != "note":
            counts[finding.code] = counts.get(finding.code, 0) + 1
for code, count in sorted(counts.items()):
    print(f"{code}: {count}")
