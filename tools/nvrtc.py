# SPDX-License-Identifier: MIT
"""nvrtc.py LIBRARY SOURCE ARCH: compile CUDA C to PTX with an NVRTC library; the PTX goes to standard output."""
import ctypes
import os
import sys


def call(nvrtc, name, *args):
    rc = getattr(nvrtc, name)(*args)
    if rc:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(f"{name}: {nvrtc.nvrtcGetErrorString(rc).decode()}")


def text(nvrtc, what, program):
    size = ctypes.c_size_t()
    call(nvrtc, f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buf = ctypes.create_string_buffer(size.value)
    call(nvrtc, f"nvrtcGet{what}", program, buf)
    return buf.value.decode()


def main():
    library, source, arch = sys.argv[1:]
    nvrtc = ctypes.CDLL(os.path.abspath(library))
    program = ctypes.c_void_p()
    with open(source, "rb") as f:
        code = f.read()
    name = os.path.basename(source).encode()
    call(nvrtc, "nvrtcCreateProgram", ctypes.byref(program), code, name, 0, None, None)
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture={arch}".encode())
    if nvrtc.nvrtcCompileProgram(program, 1, options):
        sys.exit(text(nvrtc, "ProgramLog", program))
    sys.stdout.write(text(nvrtc, "PTX", program))


main()
