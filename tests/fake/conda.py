#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conda.py DIR: what an environment of conda looks like to an installer, made of the Python that runs this: an interpreter
of its own in bin, its standard library, conda-meta, a program, a link python3.1, and one distribution that conda installed,
of which a file is not as RECORD has it, because conda writes some anew. No conda is needed, and none would take it for its
own."""
import os
import shutil
import sys
import sysconfig

to, lib = sys.argv[1], sysconfig.get_path("stdlib")
name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
site = f"{to}/lib/{name}/site-packages"
info = site + "/filelock-3.0.dist-info"


def put(path, text=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


put(f"{to}/conda-meta/history")
put(f"{to}/bin/openssl", "#!/bin/sh\n")
shutil.copy(os.path.realpath(sys.executable), f"{to}/bin/{name}")
os.symlink(name, f"{to}/bin/python")
put(site + "/filelock.py", "x = 1\n")
put(info + "/METADATA", "Metadata-Version: 2.1\nName: filelock\nVersion: 3.0\n")
put(info + "/INSTALLER", "conda\n")
put(info + "/RECORD", f"filelock.py,sha256={'A' * 43},6\nfilelock-3.0.dist-info/METADATA,,\n"
    "filelock-3.0.dist-info/INSTALLER,,\nfilelock-3.0.dist-info/RECORD,,\n")
for entry in os.listdir(lib):
    if entry not in ("site-packages", "dist-packages", "EXTERNALLY-MANAGED"):
        os.symlink(os.path.join(lib, entry), f"{to}/lib/{name}/{entry}")
os.symlink(name, f"{to}/lib/python3.1")
