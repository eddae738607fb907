"""Too few descriptors, too few processes, CPUs that may not be used: known before measuring, with the limit's name."""

import resource

from harness import *

QUICK = ["--duration", "80ms", "--work", "0"]


def limit_descriptors(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class DescriptorLimitTest(BenchTest):
    def test_the_soft_limit_is_raised_as_far_as_needed(self):
        done = self.sweep("--clients", "100", *QUICK, preexec_fn=limit_descriptors(40, 4096))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_ran(self.bundle())

    def test_a_hard_limit_is_named_with_what_is_needed_and_allowed(self):
        done = self.sweep("--clients", "100", *QUICK, preexec_fn=limit_descriptors(40, 40))
        self.assertEqual(done.returncode, 5, done.stderr + done.stdout)
        reason = self.bundle().run["cells"][0]["reason"]
        self.assertIn("RLIMIT_NOFILE", reason)
        self.assertRegex(reason, r"\b[2-9]\d\d file descriptors needed")
        self.assertIn("40 allowed", reason)
        row = self.bundle().metric("wakeup")[0]
        self.assertEqual((row["status"], row["count"], row["mean"]), ("not-run", "", ""))
        self.assertIn("1 of 1 cells not-run", done.stdout.splitlines()[-1])
        self.assert_nothing_left()

    def test_some_rows_not_run_is_a_success_unless_strict(self):
        arguments = ["--clients", "1,100", *QUICK]
        limit = limit_descriptors(40, 40)
        done = self.sweep(*arguments, preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 2 cells not-run", done.stdout.splitlines()[-1])
        self.assertEqual(self.sweep(*arguments, "--strict", preexec_fn=limit).returncode, 5)

    def test_the_parent_leaks_no_descriptor_from_row_to_row(self):
        process = self.start("latt", "--out", self.out, "--clients", "1..4", "--reps", "10", "--duration", "50ms",
                             "--min-wait", "1ms", "--max-wait", "2ms", "--quiet",
                             preexec_fn=limit_descriptors(128, 128))
        seen = {}
        while process.poll() is None:
            try:
                seen.setdefault(self.finished_cells(), set()).add(len(os.listdir(f"/proc/{process.pid}/fd")))
            except OSError:
                pass
            time.sleep(0.02)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        counts = [min(values) for cells, values in sorted(seen.items()) if 0 < cells < 40]
        self.assertGreater(len(counts), 5)
        self.assertLessEqual(counts[-1], counts[0] + 1, seen)


@unittest.skipUnless(can_be_root_test(), "making a pids cgroup needs root")
class ProcessLimitTest(BenchTest):
    def setUp(self):
        super().setUp()
        roots = [pathlib.Path("/sys/fs/cgroup/pids"), pathlib.Path("/sys/fs/cgroup")]
        root = next((path for path in roots if (path / "cgroup.procs").exists()), None)
        if root is None:
            self.skipTest("no cgroup file system")
        self.group = root / f"bench-e2e-{os.getpid()}"
        try:
            self.group.mkdir()
        except OSError as error:
            self.skipTest(f"can't make a cgroup: {error}")
        self.addCleanup(self.group.rmdir)
        if not (self.group / "pids.max").exists():
            self.skipTest("no pids controller here")
        (self.group / "pids.max").write_text("20")

    def test_a_process_limit_is_named_and_no_child_is_left(self):
        join = f"echo $$ > {self.group}/cgroup.procs; exec \"$@\""
        done = self.run_bench("-c", join, "sh", BENCH, "latt", "--out", self.out, "--clients", "50", *QUICK,
                              program="sh")
        self.assertIn(done.returncode, (5, 6), done.stdout + done.stderr)
        reason = self.bundle().run["cells"][0]["reason"]
        self.assertIn("pids.max", reason)
        self.assertIn("20", reason)
        self.assertEqual({row["count"] for row in self.bundle().rows}, {""})
        self.assert_nothing_left()
        self.wait_for(lambda: not (self.group / "cgroup.procs").read_text(), "an empty cgroup")


class AffinityTest(BenchTest):
    def setUp(self):
        super().setUp()
        self.cpus = sorted(os.sched_getaffinity(0))
        if len(self.cpus) < 2:
            self.skipTest("needs two CPUs")

    def test_auto_counts_the_cpus_of_the_outer_mask(self):
        done = self.run_bench("-c", str(self.cpus[-1]), BENCH, "latt", "--out", self.out, "--clients", "auto", *QUICK,
                              program="taskset")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bundle().run["plan"]["clients"], [1])

    def test_workers_parent_and_load_stay_in_the_asked_set(self):
        wanted = str(self.cpus[-1])
        process = self.start("latt", "--out", self.out, "--clients", "2", "--cpus", wanted, "--duration", "1h",
                             "--load", "sleep 1000", "--quiet")
        clients = self.wait_for(lambda: len(clients_of(process.pid)) == 2 and clients_of(process.pid), "clients")
        load = self.wait_for(lambda: [pid for pid, line in self.processes().items() if line.startswith("sleep 1000")],
                             "the load")
        cell = int(pathlib.Path("/proc", str(clients[0]), "stat").read_text().rsplit(")", 1)[1].split()[1])
        for pid in [*clients, *load, cell]:
            status = pathlib.Path("/proc", str(pid), "status").read_text()
            self.assertRegex(status, rf"(?m)^Cpus_allowed_list:\s+{wanted}$")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_a_set_outside_the_outer_mask_is_refused_not_trimmed(self):
        done = self.run_bench("-c", str(self.cpus[-1]), BENCH, "latt", "--out", self.out, "--cpus",
                              f"{self.cpus[0]},{self.cpus[-1]}", *QUICK, program="taskset")
        self.assertEqual(done.returncode, 5, done.stdout)
        reason = self.bundle().run["cells"][0]["reason"]
        self.assertIn(str(self.cpus[0]), reason)
        self.assertEqual(self.bundle().metric("wakeup")[0]["status"], "not-run")

    def test_the_set_is_in_the_variant_as_the_kernel_says_it(self):
        cpu = self.cpus[0]
        self.sweep("--clients", "1", "--cpus", f"{cpu}-{cpu}", *QUICK)
        self.assertIn(f"cpus={cpu}", self.bundle().metric("wakeup")[0]["variant"].split(";"))
        workers = self.bundle().run["cells"][0]["workers"]
        self.assertEqual([group["cpus_allowed"] for group in workers], [str(cpu)])

    def test_an_absent_cpu_is_a_row_that_could_not_run(self):
        done = self.sweep("--clients", "1", "--cpus", "99999", *QUICK)
        self.assertEqual(done.returncode, 5)
        self.assertIn("99999", self.bundle().run["cells"][0]["reason"])


if __name__ == "__main__":
    unittest.main()
