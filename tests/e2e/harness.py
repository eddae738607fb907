"""What the end-to-end tests share: running the built command, reading its bundles, looking for what it left behind."""

import csv
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

BENCH = os.environ["BENCH"]
SOURCE = pathlib.Path(os.environ["BENCH_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["BENCH_BUILD_DIR"])

# Bounds how long a step may take before it counts as hung; no test measures against it.
PATIENCE = 120


class BenchTest(unittest.TestCase):
    """A test with a temporary folder, which is also the TMPDIR of what it runs, and a mark in the environment by which
    every process that comes from it is known."""

    def shortDescription(self):
        """None: a skipped test is listed by its name, not by what is told of it."""
        return None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.out = self.folder / "results"
        self.mark = "BENCH_E2E_MARK=" + uuid.uuid4().hex
        name, value = self.mark.split("=")
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), **{name: value})

    def start(self, *arguments, program=BENCH, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("env", self.environment)
        options.setdefault("cwd", self.folder)
        options.setdefault("text", True)
        return subprocess.Popen([program, *map(str, arguments)], **options)

    def run_bench(self, *arguments, patience=PATIENCE, **options):
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def sweep(self, *arguments, **options):
        """`bench latt` with quick cells into self.out."""
        return self.run_bench("latt", "--out", self.out, "--min-wait", "1ms", "--max-wait", "3ms",
                              *arguments, **options)

    def bundles(self):
        return sorted(self.out.iterdir()) if self.out.exists() else []

    def young_bundle(self):
        """The only bundle of a run that may have just begun; None before it is there. Its files are replaced whole, so
        they can be read at any moment."""
        try:
            return Bundle(self.bundles()[0])
        except (IndexError, FileNotFoundError):
            return None

    def finished_cells(self):
        bundle = self.young_bundle()
        return len(bundle.run["cells"]) if bundle else 0

    def assert_ran(self, bundle):
        """Every row was measured, and nothing speaks against it but what a shared machine does by itself."""
        for cell in bundle.run["cells"]:
            own = [taint for taint in cell.get("taints", []) if "hypervisor" not in taint]
            self.assertEqual((own, cell.get("reason", "")), ([], ""), cell["status"])
            self.assertIn(cell["status"], ("ok", "tainted"))

    def bundle(self):
        bundles = self.bundles()
        self.assertEqual(len(bundles), 1, bundles)
        return Bundle(bundles[0])

    def processes(self):
        """Every living process that carries the mark: {pid: command line}. Zombies are not living."""
        mark = self.mark.encode()
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                if mark in pathlib.Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                    found[int(entry)] = (pathlib.Path("/proc", entry, "cmdline").read_bytes()
                                         .replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass
        return found

    def wait_for(self, condition, what, patience=PATIENCE):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        self.fail("did not see in time: " + what)
        return None

    def assert_nothing_left(self, within=PATIENCE):
        self.wait_for(lambda: not self.processes(), f"no process left, but: {self.processes()}",
                      within)
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files left")


class Bundle:
    """A result bundle read with nothing but Python's standard library."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        text = (self.folder / "run.json").read_text(encoding="utf-8")
        self.run = json.loads(text, parse_constant=lambda name: 1 / 0)
        with open(self.folder / "summary.csv", encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file, strict=True))
        with gzip.open(self.folder / "samples.csv.gz", "rt", encoding="utf-8", newline="") as file:
            self.samples = list(csv.DictReader(file, strict=True))

    def metric(self, name):
        return [row for row in self.rows if row["metric"] == name and row["subject"] == ""]

    def samples_of(self, name):
        return [row for row in self.samples if row["metric"] == name]


def children_of(pid):
    """Pids of all living descendants."""
    found = []
    pending = [pid]
    while pending:
        parent = pending.pop()
        for task in pathlib.Path("/proc", str(parent), "task").glob("*/children"):
            try:
                for child in map(int, task.read_text().split()):
                    found.append(child)
                    pending.append(child)
            except OSError:
                pass
    return found


def clients_of(pid):
    """The latt clients below a running bench: leaves of its tree that are bench itself and hold a wake pipe."""
    leaves = []
    for child in children_of(pid):
        try:
            name = pathlib.Path("/proc", str(child), "comm").read_text().strip()
        except OSError:
            continue
        if name.startswith("bench-client"):
            leaves.append(child)
    return leaves


def can_be_root_test():
    return os.geteuid() == 0


__all__ = ["BENCH", "BUILD", "SOURCE", "PATIENCE", "BenchTest", "Bundle", "children_of", "clients_of",
           "can_be_root_test", "os", "pathlib", "signal", "subprocess", "time", "unittest"]
