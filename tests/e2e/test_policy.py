"""Policy, nice, slice, slack and pinning of the workers: what is asked is what runs, and what can't be had is said."""

import re
import resource
import tempfile

from harness import *

CPUS = sorted(os.sched_getaffinity(0))
ONLINE = pathlib.Path("/sys/devices/system/cpu/online").read_text().strip()
POLICY_NUMBERS = {"other": 0, "fifo": 1, "rr": 2, "batch": 3, "idle": 5, "deadline": 6}


def nice_of(pid):
    return int(pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[16])


def comm_of(pid):
    try:
        return pathlib.Path("/proc", str(pid), "comm").read_text().strip()
    except OSError:
        return ""


def policy_of(pid):
    return int(pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[38])


class PolicyTest(BenchTest):
    def cells(self, *arguments, clients="2", **options):
        done = self.sweep("-c", clients, "-t", "200ms", "--work", "1KiB", "--order", "sequential", *arguments, **options)
        self.assertNotEqual(self.bundles(), [], done.stderr)
        return done, self.bundle().run["cells"]

    def assert_measured(self, cell):
        self.assertIn(cell["status"], ("ok", "tainted"), cell.get("reason"))

    def test_batch_idle_and_nice_are_read_back_from_each_worker(self):
        done, cells = self.cells("--policy", "other,batch", "--nice", "0,5")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = [(cell["variant"], cell["workers"][0]["policy"], cell["workers"][0]["nice"]) for cell in cells]
        self.assertEqual([(policy, nice) for _, policy, nice in seen],
                         [("other", 0), ("other", 5), ("batch", 0), ("batch", 5)])
        for (variant, policy, nice) in seen:
            self.assertIn(f"nice={nice}", variant)
            self.assertIn(f"policy={policy}", variant)
        for cell in cells:
            self.assert_measured(cell)
            self.assertEqual([group["count"] for group in cell["workers"]], [2])

    def test_every_worker_runs_under_what_was_asked_and_nobody_else(self):
        for test, comm in (("latt", "bench-client"), ("massive-intr", "bench-worker")):
            with self.subTest(test=test):
                self.check_every_worker(test, comm)

    def check_every_worker(self, test, comm):
        process = self.start(test, "--out", self.out, "-c", "4", "-t", "60s", "--cpus", CPUS[0], "--policy", "batch",
                             "--nice", "5", "-q")
        self.addCleanup(process.kill)

        def workers():
            return [pid for pid in children_of(process.pid) if comm_of(pid) == comm]

        self.wait_for(lambda: len(workers()) == 4, "four workers")
        found = workers()
        self.wait_for(lambda: all(policy_of(pid) == POLICY_NUMBERS["batch"] for pid in found), "workers under batch")
        for pid in found:
            status = pathlib.Path("/proc", str(pid), "status").read_text()
            self.assertIn(f"Cpus_allowed_list:\t{CPUS[0]}\n", status)
            self.assertEqual(nice_of(pid), 5)
        for pid in set(children_of(process.pid)) - set(found) | {process.pid}:
            self.assertEqual((policy_of(pid), nice_of(pid)), (policy_of(os.getpid()), nice_of(os.getpid())))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_pin_puts_one_worker_on_each_cpu_in_turn(self):
        done, cells = self.cells("--pin", "on,off", clients=str(2 * len(CPUS)))
        self.assertEqual(done.returncode, 0, done.stderr)
        pinned, free = cells
        self.assertEqual(sorted((group["cpus_allowed"], group["count"]) for group in pinned["workers"]),
                         sorted((str(cpu), 2) for cpu in CPUS))
        self.assertIn("pin=on", pinned["variant"])
        self.assertEqual(len(free["workers"]), 1)
        self.assertNotIn("pin", free["variant"])

    def test_pin_alone_means_on(self):
        done, cells = self.cells("--pin", "--nice", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([("pin=on" in cell["variant"]) for cell in cells], [True])

    def test_timer_slack_is_set_and_recorded(self):
        done, cells = self.cells("--timer-slack", "50us,1ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([cell["workers"][0]["timer_slack_ns"] for cell in cells], [50_000, 1_000_000])

    def test_a_custom_slice_holds_or_is_said_to_be_ignored(self):
        done, cells = self.cells("--slice", "3ms")
        if cells[0]["status"] == "not-run":
            self.assertIn("Linux 6.12", cells[0]["reason"])
            self.assertEqual(done.returncode, 5)
        else:
            self.assertEqual(cells[0]["workers"][0]["slice_ns"], 3_000_000)

    def test_an_inherited_nice_value_is_named_in_the_variant(self):
        done, cells = self.cells(preexec_fn=lambda: os.nice(7))
        self.assertEqual(done.returncode, 0, done.stderr)
        inherited = nice_of(os.getpid()) + 7
        self.assertIn(f"nice={inherited}", cells[0]["variant"].split(";"))
        self.assertIn(f"nice {inherited} was inherited", " ".join(cells[0]["notes"]))

    @unittest.skipUnless(can_be_root_test(), "real-time policies need root")
    def test_leaving_an_inherited_realtime_policy_sets_the_slack_all_the_same(self):
        fifo = lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        done, cells = self.cells("--policy", "batch", "--timer-slack", "50us", preexec_fn=fifo)
        self.assertEqual(done.returncode, 0, cells[0].get("reason"))
        self.assertEqual((cells[0]["workers"][0]["policy"], cells[0]["workers"][0]["timer_slack_ns"]), ("batch", 50_000))

    @unittest.skipUnless(can_be_root_test(), "real-time policies need root")
    def test_realtime_policies(self):
        done, cells = self.cells("--policy", "fifo:10,rr:5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([cell["workers"][0]["policy"] for cell in cells], ["fifo:10", "rr:5"])

    @unittest.skipUnless(can_be_root_test(), "real-time policies need root")
    def test_an_interrupt_ends_realtime_workers_that_leave_no_cpu_free(self):
        process = self.start("massive-intr", "--out", self.out, "-c", str(4 * len(CPUS)), "-t", "1h", "--policy", "fifo:99",
                             "--work", "50ms", "--sleep", "1us", "--loops-per-ms", "100000", "-q")
        self.addCleanup(process.kill)
        self.wait_for(lambda: [pid for pid in children_of(process.pid) if comm_of(pid) == "bench-worker" and
                               policy_of(pid) == POLICY_NUMBERS["fifo"]], "real-time workers")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assert_nothing_left()

    @unittest.skipUnless(can_be_root_test() and len(CPUS) == os.cpu_count(), "needs root and all CPUs")
    def test_deadline_admission_is_reckoned_up(self):
        many = 4 * os.cpu_count() + 1
        done, cells = self.cells("--policy", "deadline:25ms/100ms/100ms", clients=f"1,{many}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_measured(cells[0])
        self.assertEqual(cells[0]["workers"][0]["policy"], "deadline:25ms/100ms/100ms")
        self.assertEqual(cells[1]["status"], "not-run")
        told = re.search(r"(\d+) CPUs? x ([\d.]+) %.* leave ([\d.]+) %: (\d+) of 25 % each fit, (\d+) were asked for",
                         cells[1]["reason"])
        self.assertTrue(told, cells[1]["reason"])
        self.assertEqual(int(told[1]), os.cpu_count())
        self.assertEqual(int(told[4]), int(float(told[3]) // 25))
        self.assertEqual(int(told[5]), many)
        self.assertIn("1 of 2 cells not-run", done.stdout.splitlines()[-1])

    @unittest.skipUnless(can_be_root_test() and os.cpu_count() > 1, "needs root and two CPUs")
    def test_deadline_on_part_of_the_root_domain(self):
        done, cells = self.cells("--policy", "deadline:5ms/100ms/100ms", "--cpus", CPUS[0])
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(f"the affinity {CPUS[0]} is smaller than the root domain {ONLINE}", cells[0]["reason"])

    def test_a_sweep_without_the_right_measures_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            self.out = pathlib.Path(folder, "results")
            self.environment["TMPDIR"] = folder
            settings = {"user": 65534, "group": 65534, "extra_groups": []} if can_be_root_test() else {}

            def no_rights():
                resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
                resource.setrlimit(resource.RLIMIT_NICE, (0, 0))

            done, cells = self.cells("--policy", "other,batch,idle,fifo:10,rr:10,deadline:5ms/100ms/100ms",
                                     preexec_fn=no_rights, cwd=folder, **settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([cell["status"] == "not-run" for cell in cells], [False] * 3 + [True] * 3)
            for cell in cells[3:]:
                self.assertIn("CAP_SYS_NICE is missing", cell["reason"])
                self.assertNotIn("workers", cell)
            self.assertIn("RLIMIT_RTPRIO is 0", cells[3]["reason"])
            self.assertTrue(done.stdout.splitlines()[-1].startswith("3 of 6 cells not-run"), done.stdout)
            rows = [row for row in self.bundle().rows if row["status"] == "not-run"]
            self.assertTrue(rows and all(row["count"] == row["mean"] == "" for row in rows))

            self.out = pathlib.Path(folder, "strict")
            done, cells = self.cells("--policy", "other,fifo:10", "--strict", preexec_fn=no_rights, cwd=folder,
                                     **settings)
            self.assertEqual(done.returncode, 5, done.stderr)


class RealtimeBudgetTest(BenchTest):
    """Root in a cpu cgroup that has no real-time budget: for real, where the kernel has such budgets."""

    GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")

    @unittest.skipUnless(can_be_root_test() and (GROUPS / "cpu.rt_runtime_us").exists(),
                         "needs root and cgroup v1 with CONFIG_RT_GROUP_SCHED")
    def test_it_is_told_apart_from_a_missing_capability(self):
        group = self.GROUPS / ("bench-e2e-" + self.mark[-8:])
        group.mkdir()
        self.addCleanup(lambda: self.wait_for(lambda: not (group / "cgroup.procs").read_text() and not group.rmdir(),
                                              "the group empty"))
        self.assertEqual((group / "cpu.rt_runtime_us").read_text().strip(), "0")

        def enter():
            (group / "cgroup.procs").write_text("0")

        done = self.sweep("-c", "1", "-t", "200ms", "--policy", "fifo:50", preexec_fn=enter)
        self.assertEqual(done.returncode, 5, done.stderr)
        reason = self.bundle().run["cells"][0]["reason"]
        self.assertIn("CAP_SYS_NICE is there", reason)
        self.assertIn(f"real-time budget of the cpu cgroup /{group.name} is 0", reason)


class PolicyRefusalTest(BenchTest):
    def assert_refused(self, arguments, *named):
        for command in (["latt"], ["exec", "latt"]):
            done = self.run_bench(*command, *arguments)
            self.assertEqual(done.returncode, 2, (command, arguments, done.stderr))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for text in named:
                self.assertIn(text, done.stderr)
            self.assertFalse((self.folder / "results").exists())

    def test_values_outside_their_range(self):
        for value in ("fifo:0", "fifo:100", "rr:-1", "fifo", "deadline", "normal", "", "deadline:5ms/4ms/10ms"):
            with self.subTest(value=value):
                self.assert_refused([f"--policy={value}"], "--policy", f"'{value}")
        for value in ("-21", "20", "x"):
            with self.subTest(value=value):
                self.assert_refused([f"--nice={value}"], "--nice", f"'{value}'")
        self.assert_refused(["--slice", "3"], "--slice", "ms")
        self.assert_refused(["--slice", "1s"], "--slice", "100us..100ms")
        self.assert_refused(["--uclamp", "900:100"], "--uclamp", "'900:100'")
        self.assert_refused(["--timer-slack", "0"], "--timer-slack")
        self.assert_refused(["--timer-slack", "2s"], "--timer-slack", "1ns..1s")
        self.assert_refused(["--pin=maybe"], "--pin", "'maybe'")

    def test_what_can_not_hold_together_in_either_order(self):
        pairs = [(["--policy", "fifo:1"], ["--nice", "5"], "--nice"),
                 (["--policy", "deadline:1ms/2ms/2ms"], ["--slice", "3ms"], "--slice"),
                 (["--policy", "rr:3"], ["--timer-slack", "1ms"], "--timer-slack"),
                 (["--policy", "idle"], ["--nice", "5"], "--nice"),
                 (["--autogroup", "on"], ["--sysctl", "kernel.sched_autogroup_enabled=0"], "--autogroup")]
        for one, other, named in pairs:
            with self.subTest(pair=(one, other)):
                self.assert_refused(one + other, named)
                self.assert_refused(other + one, named)

    def test_one_impossible_combination_among_many(self):
        done = self.run_bench("latt", "--policy", "other,fifo:1", "--nice", "0,5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--nice", done.stderr)
        self.assertIn("fifo:1", done.stderr)

    def test_the_same_value_twice(self):
        for arguments in (["--policy", "other,other"], ["--nice", "5", "--nice", "5"], ["--slice", "1ms,1000us"],
                          ["--policy", "deadline:1ms/2ms/2ms,deadline:1000us/2ms/2ms"],
                          ["--sysctl", "kernel/x=1", "--sysctl", "kernel.x= 1"],
                          ["--sysctl", "a.b=1,c.d=2", "--sysctl", "c.d=2,a.b=1"],
                          ["--sched-feature", "A,NO_B", "--sched-feature", "NO_B,A"]):
            with self.subTest(arguments=arguments):
                done = self.run_bench("latt", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(arguments[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
