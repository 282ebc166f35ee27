"""Judges launch files: one JSON document a line on standard input, one verdict a line on standard output.

  launch_schema.py SCHEMA    prints "valid", or where and why not
"""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for line in sys.stdin:
    try:
        error = next(validator.iter_errors(json.loads(line)), None)
        verdict = "valid" if error is None else f"{error.json_path}: {error.message}".replace("\n", " ")
    except json.JSONDecodeError as wrong:
        verdict = f"not JSON: {wrong}"
    print(verdict)
