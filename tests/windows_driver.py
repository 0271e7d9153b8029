#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows_driver.py WHEELPACK WHEELPACK.EXE FAKE-PYTHON FAKE-DRIVER: doctor and probe of the Windows program, under Wine,
with a driver and a GPU of the tests: nvcuda.dll lies in system32 and the adapter stands in the registry only meanwhile.
"""
import os
import struct
import sys

from harness import Checks, ROOT, Wine, captured, environment

sys.path.insert(0, os.path.join(ROOT, "tests/index"))
from make_wheels import metadata_text, wheel_bytes  # noqa: E402

WHEELPACK, EXE, FAKE, DRIVER = (os.path.abspath(a) for a in sys.argv[1:5])
NVCUDA = os.path.join(Wine.system32, "nvcuda.dll")
ADAPTER = r"HKLM\System\CurrentControlSet\Enum\PCI\VEN_10DE&DEV_2684&SUBSYS_00000000&REV_A1"
checks = Checks("driver under Wine")
work = checks.work
env = environment(work, WHEELPACK)
env.pop("CUDA_VISIBLE_DEVICES", None)
under_wine = checks.wine(env, FAKE, EXE)
wine, expect, put, read = under_wine.run, checks.expect, checks.put, checks.read


def driver_of(version):
    """The driver's file with another version in its resource; a driver's own version is the last five digits."""
    data = read(DRIVER)
    at = data.index(struct.pack("<II", 0xFEEF04BD, 0x10000)) + 8
    a, b, c, d = version
    return data[:at] + struct.pack("<HHHH", b, a, d, c) + data[at + 8:]


def with_driver(data):
    with open(NVCUDA, "wb") as f:
        f.write(data)


def venv_of_cuda():
    text = metadata_text("torch", "2.11.0+cu126", [], None, [])
    version = b"__version__ = '2.11.0+cu126'\ncuda = '12.6'\n"
    put("wheels/torch-2.11.0+cu126-cp312-cp312-win_amd64.whl", wheel_bytes(
        "torch", "2.11.0+cu126", "cp312-cp312-win_amd64", {"torch/__init__.py": b"", "torch/version.py": version}, text))
    put("python/python.exe", read(FAKE))
    p = captured([WHEELPACK, "bundle", "torch", "--target", "cp312-win_amd64-cu126", "--no-index", "--find-links", "wheels",
                  "-o", "torch.wpk"], cwd=work, env=env)
    expect("the bundle is made", p, 0)
    expect("the venv is made", wine(EXE, "install", "torch.wpk", "--venv", "env", "--python", "python/python.exe"), 0)


def doctor():
    ask = EXE, "doctor", "--venv", "env"
    expect("no driver, no GPU", wine(*ask), 1, "D501", "nvcuda.dll", "no NVIDIA GPU is on the PC's bus", "--cpu")
    for name, kind, value in (("Class", "REG_SZ", "Display"), ("HardwareID", "REG_MULTI_SZ", ADAPTER[-50:]),
                              ("ClassGUID", "REG_SZ", "{4D36E968-E325-11CE-BFC1-08002BE10318}")):
        wine("reg", "add", ADAPTER + r"\00000001", "/v", name, "/t", kind, "/d", value, "/f")
    expect("no driver for the GPU", wine(*ask), 1, "D501", "the PC has an NVIDIA GPU", "install NVIDIA driver 528.33 or newer")
    with_driver(driver_of((31, 0, 15, 1694)))
    expect("an old driver", wine(*ask), 1, "D503", "driver 516.94 is installed, CUDA 12.6 needs 528.33 or newer", "--cuda cu118")
    with_driver(driver_of((31, 0, 15, 2833)))
    expect("the oldest that will do", wine(*ask), 0, "driver: 528.33 runs CUDA 12.6 (which needs 528.33)")
    with_driver(read(DRIVER))
    expect("a driver", wine(*ask), 0, "driver: 560.94 runs CUDA 12.6")


def probe():
    ask = EXE, "probe"
    expect("a good GPU", wine(*ask), 0, "G611", "Fake GPU 100 (compute capability 8.6", "exact to the bit", "CUDA 13.0")
    cases = (
        ("a driver without a GPU", "D502", "system32/nvcuda.dll' reports no device", {"FAKE_CUDA_DEVICES": "0"}),
        ("a hidden GPU", "G603", "its value is '7'", {"FAKE_CUDA_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "7"}),
        ("a driver that is too old", "D504", "the driver is for CUDA 11.4",
         {"FAKE_CUDA_VERSION": "11040", "FAKE_CUDA_FAIL": "cuModuleLoadDataEx:222"}),
        ("a GPU that computes wrong", "G601", "1 of 5917 elements", {"FAKE_CUDA_WRONG": "off"}),
    )
    for what, code, why, settings in cases:
        expect(what, wine(*ask, **settings), 1, code, why)
    with_driver(read(FAKE))
    expect("another library", wine(*ask), 1, "D503", "lacks cuDriverGetVersion")
    with_driver(read(FAKE)[:1000])
    expect("a damaged driver", wine(*ask), 1, "D501", "cannot be loaded")
    os.remove(NVCUDA)
    expect("no driver", wine(*ask), 1, "D501", "'nvcuda.dll' is not there")


def main():
    try:
        venv_of_cuda()
        doctor()
        probe()
    finally:
        wine("reg", "delete", ADAPTER, "/f")
        if os.path.exists(NVCUDA):
            os.remove(NVCUDA)
        under_wine.close()
    checks.end()


main()
