#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_compile.py [CACHE-TAG]: two versions of a wheel whose sources compile, or don't, or bring bytecode of their own.
Needs tests/index in PYTHONPATH."""
import sys

from make_wheels import metadata_text, wheel_bytes

tag = sys.argv[1] if len(sys.argv) > 1 else sys.implementation.cache_tag
for version in "1.0", "2.0":
    # The order of such a set depends on the seed of the hashes.
    good = f"def f():\n    return {version} if __name__ in {{'a', 'b', 'comp.good', 'd'}} else 0\n"
    files = {"comp/__init__.py": b"", "comp/good.py": good.encode()}
    if version == "1.0":
        files.update({"comp/old.py": b"import os\n", "comp/bad.py": b"print 'two'\n", "comp/template.py": b"{{ name }} = \0\n",
                      "comp/own.py": b"", f"comp/__pycache__/own.{tag}.pyc": b"brought by the wheel"})
    with open(f"comp-{version}-py3-none-any.whl", "wb") as out:
        out.write(wheel_bytes("comp", version, "py3-none-any", files, metadata_text("comp", version, (), None, ())))
