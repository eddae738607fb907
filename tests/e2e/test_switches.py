"""Scheduler switches of the whole machine: set for their cells, recorded, and put back whatever happens."""

from harness import *

KNOB = "kernel.sched_cfs_bandwidth_slice_us"
KNOB_FILE = pathlib.Path("/proc/sys/kernel/sched_cfs_bandwidth_slice_us")
AUTOGROUP = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")


def writable(path):
    try:
        path.write_text(path.read_text())
        return True
    except OSError:
        return False


class SysctlTest(BenchTest):
    def setUp(self):
        super().setUp()
        if not writable(KNOB_FILE):
            self.skipTest(f"{KNOB_FILE} is not ours to write")
        self.before = KNOB_FILE.read_text()
        self.other = str(int(self.before) + 1000)
        self.addCleanup(lambda: KNOB_FILE.write_text(self.before))

    def test_it_is_an_axis_and_put_back(self):
        done = self.sweep("-c", "1", "-t", "100ms", "--work", "0", "--order", "sequential", "--sysctl", "none",
                          "--sysctl", f"{KNOB}={self.other}")
        self.assertEqual(done.returncode, 0, done.stderr)
        plain, switched = self.bundle().run["cells"]
        self.assertNotIn("sysctl", plain["variant"])
        self.assertNotIn("switches", plain)
        self.assertIn(f"sysctl.{KNOB}={self.other}", switched["variant"])
        self.assertEqual(switched["switches"]["sysctls"][KNOB],
                         {"asked": self.other, "before": self.before.strip(), "read_back": self.other})
        self.assertEqual(KNOB_FILE.read_text(), self.before)
        self.assert_nothing_left()

    def test_it_is_put_back_after_every_way_to_die(self):
        ways = {"kill -9": lambda pid: os.kill(pid, signal.SIGKILL),
                "kill -9 of the group": lambda pid: os.killpg(pid, signal.SIGKILL),
                "Ctrl-C": lambda pid: os.killpg(pid, signal.SIGINT),
                "kill -9 of the cell": lambda pid: [os.kill(cell, signal.SIGKILL) for cell in self.cells_of(pid)]}
        for way, end in ways.items():
            with self.subTest(way=way):
                process = self.start("latt", "--out", self.out / way, "-c", "1", "-t", "60s", "-q", "--sysctl",
                                     f"{KNOB}={self.other}", start_new_session=True)
                self.addCleanup(process.kill)
                self.wait_for(lambda: KNOB_FILE.read_text().strip() == self.other, "the knob set")
                self.wait_for(lambda: clients_of(process.pid), "a client")
                end(process.pid)
                process.communicate(timeout=PATIENCE)
                self.wait_for(lambda: KNOB_FILE.read_text() == self.before, "the knob put back after " + way)
                self.assert_nothing_left()

    def cells_of(self, pid):
        return [child for child in children_of(pid)
                if b"\0exec\0" in pathlib.Path("/proc", str(child), "cmdline").read_bytes()
                and pathlib.Path("/proc", str(child), "comm").read_text() == "bench\n"]

    def test_a_value_that_the_kernel_refuses_is_a_row_that_did_not_run(self):
        done = self.sweep("-c", "1", "-t", "100ms", "--sysctl", f"{KNOB}=tea", "--sysctl", "kernel.sched_no_such_knob=1")
        self.assertEqual(done.returncode, 5, done.stderr)
        reasons = {cell["variant"]: cell["reason"] for cell in self.bundle().run["cells"]}
        self.assertTrue(all(cell["status"] == "not-run" for cell in self.bundle().run["cells"]))
        self.assertIn("Invalid argument", next(text for key, text in reasons.items() if "tea" in key))
        self.assertIn("no_such_knob", next(text for key, text in reasons.items() if "no_such" in key))
        self.assertEqual(KNOB_FILE.read_text(), self.before)


class AutogroupTest(BenchTest):
    @unittest.skipUnless(writable(AUTOGROUP), "no autogroups to switch")
    def test_on_and_off_are_set_and_read_back(self):
        before = AUTOGROUP.read_text()
        self.addCleanup(lambda: AUTOGROUP.write_text(before))
        done = self.sweep("-c", "1", "-t", "100ms", "--work", "0", "--order", "sequential", "--autogroup", "off,on")
        self.assertEqual(done.returncode, 0, done.stderr)
        off, on = self.bundle().run["cells"]
        self.assertEqual((off["switches"]["autogroup"]["read_back"], on["switches"]["autogroup"]["read_back"]),
                         ("off", "on"))
        self.assertIn("autogroup=off", off["variant"])
        self.assertEqual(AUTOGROUP.read_text(), before)


class SchedExtTest(BenchTest):
    @unittest.skipIf(pathlib.Path("/sys/kernel/sched_ext").exists(), "this kernel has sched_ext")
    def test_a_kernel_without_it_is_a_row_that_did_not_run_and_the_others_are_measured(self):
        done = self.sweep("-c", "1", "-t", "100ms", "--work", "0", "--order", "sequential", "--scx", "none", "--scx",
                          "scx_simple")
        self.assertEqual(done.returncode, 0, done.stderr)
        plain, scx = self.bundle().run["cells"]
        self.assertIn(plain["status"], ("ok", "tainted"))
        self.assertEqual(scx["status"], "not-run")
        self.assertIn("CONFIG_SCHED_CLASS_EXT", scx["reason"])
        self.assertIn("scx=scx_simple", scx["variant"])


class SwitchRefusalTest(BenchTest):
    def test_malformed_switches_are_refused_before_anything_starts(self):
        for arguments in (["--sysctl", "kernel.x"], ["--sysctl", "=1"], ["--sysctl", "a..b=1"], ["--sysctl", ""],
                          ["--sysctl", "../../etc/passwd=1"], ["--sched-feature", "lower case"],
                          ["--autogroup", "maybe"], ["--scx", ""], ["--sysctl", "a.b=1,a.b=2"]):
            for command in (["latt"], ["exec", "latt"]):
                with self.subTest(arguments=arguments, command=command):
                    done = self.run_bench(*command, *arguments)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    self.assertIn(arguments[0], done.stderr)
                    self.assertFalse((self.folder / "results").exists())


if __name__ == "__main__":
    unittest.main()
