# SPDX-License-Identifier: MIT
"""harness.py: what the test programs in Python share: a place to work, the index server, checks that are counted."""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def environment(work, wheelpack):
    """The caller's environment without settings of pip and of certificates, with HOME and cache below work."""
    own = "PIP_", "WHEELPACK_", "VIRTUAL_ENV", "XDG_", "SSL_CERT_"
    env = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    env.update(HOME=work, XDG_CACHE_HOME=work + "/.cache", PIP_CONFIG_FILE="/dev/null", LC_ALL="C.UTF-8",
               PATH=os.path.dirname(wheelpack) + os.pathsep + env.get("PATH", ""))
    return env


def captured(command, timeout=120, given=b"", **more):
    """Run and wait for the program alone: its output goes to files, because services that Wine starts beside a program
    would hold pipes open long after it. A program that takes too long is killed and has the exit code -9."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        process = subprocess.Popen(command, stdin=source, stdout=out, stderr=err, **more)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        texts = []
        for stream in out, err:
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return subprocess.CompletedProcess(command, process.returncode, *texts)


def snapshot(path):
    """Every path below a directory with its kind, mode and contents; None where there is nothing."""
    if not os.path.lexists(path):
        return None
    if not os.path.isdir(path):
        return hashlib.sha256(open(path, "rb").read()).hexdigest()
    found = {}
    for folder, dirs, files in os.walk(path):
        for name in dirs + files:
            full = os.path.join(folder, name)
            key = os.path.relpath(full, path)
            if os.path.islink(full):
                found[key] = ("link", os.readlink(full))
            elif os.path.isdir(full):
                found[key] = ("dir",)
            else:
                digest = hashlib.sha256(open(full, "rb").read()).hexdigest()
                found[key] = ("file", os.stat(full).st_mode & 0o111, digest)
    return found


class Wine:
    """Windows programs, in the prefix of tests/wine.sh. One program waits until close(): with none, Wine would start up
    anew for each run."""
    program = next((w for w in ("/usr/lib/wine/wine64", "/usr/bin/wine64") if os.path.exists(w)), None)
    prefix = os.path.join(ROOT, "build/wineprefix")
    system32 = os.path.join(prefix, "drive_c/windows/system32")

    def __init__(self, work, env, fake):
        self.work = work
        self.env = {k: v for k, v in env.items() if k != "DISPLAY"}
        self.env.update(WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=", WINEPREFIX=self.prefix)
        subprocess.run(["sh", os.path.join(ROOT, "tests/wine.sh"), fake], timeout=300, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)  # makes the prefix
        self.waits = subprocess.Popen([self.program, fake, "stdin=1"], env=self.env, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.waits.stdout.readline()

    def path(self, name):
        return "Z:" + os.path.join(self.work, name).replace("/", "\\")

    def run(self, *args, given=b"", **settings):
        """On a busy machine Wine fails now and then, once in a thousand, to start the program that ours starts."""
        for _ in range(2):
            p = captured([self.program, *args], given=given, cwd=self.work, env={**self.env, **settings})
            if "it cannot be started: Internal error" not in p.stderr:
                break
            print("Wine could not start a program")
        return p

    def close(self):
        self.waits.stdin.close()
        self.waits.wait()


class Server:
    def __init__(self, *options):
        command = [sys.executable, os.path.join(ROOT, "tests/index/server.py"), "--port", "0", "--stdin", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.base = self.process.stdout.readline().split()[0].rstrip("/")

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


class Checks:
    """Counts; the totals go to the file that COUNTS names, as tests/run.sh wants them."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, 0
        self.work = tempfile.mkdtemp(prefix="wheelpack-test-")

    def check(self, condition, what, detail=""):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {self.name}: {what}\n{detail}")
        return condition

    def expect(self, what, p, code, *said):
        """The completed process p has this exit code and says all of that."""
        text = p.stdout + p.stderr
        return self.check(p.returncode == code and all(s in text for s in said), what,
                          f"wanted exit {code}, {said}\n{p.returncode}\n{text}")

    def put(self, name, data):
        """A file below work; its path."""
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def read(self, name):
        with open(os.path.join(self.work, name), "rb") as f:
            return f.read()

    def remove(self, *names):
        """What of these is there."""
        for name in names:
            path = os.path.join(self.work, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.unlink(path)

    def wine(self, env, fake, *programs):
        """Wine, for these programs. Where it or one of them is missing all is skipped, and this is the end."""
        if not Wine.program or not all(map(os.path.exists, (fake, *programs))):
            self.skip(self.name, " or ".join(["no wine64", fake, *programs]))
            self.end()
        return Wine(self.work, env, fake)

    def skip(self, what, why):
        self.skipped += 1
        print(f"skipped: {what}: {why}")

    def end(self):
        shutil.rmtree(self.work, ignore_errors=True)
        if os.environ.get("COUNTS"):
            with open(os.environ["COUNTS"], "w", encoding="ascii") as out:
                print(self.passed, self.failed, self.skipped, file=out)
        print(f"{self.name}: {self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(self.failed != 0)
