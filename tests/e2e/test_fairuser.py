"""bench fairuser: users who compete, and what each gets."""

import shutil
import socket

from harness import *

# All on one CPU: there is competition on a machine of any size.
CPU = str(min(os.sched_getaffinity(0)))
TWO = ["--user", "vatsa=4", "--user", "guest=20"]


class FairUserTest(BenchTest):
    def setUp(self):
        super().setUp()
        # Users with uids of their own pass through here to their folders.
        os.chmod(self.folder, 0o755)
        os.chmod(self.temporary, 0o755)

    def fairuser(self, *arguments, **options):
        return self.run_bench("fairuser", "--out", self.out, *arguments, **options)

    def value(self, bundle, metric, subject="", variant="", column="mean"):
        row, = [row for row in bundle.rows
                if row["metric"] == metric and row["subject"] == subject and variant in row["variant"]]
        return float(row[column]) if row[column] else None

    def cell(self, bundle):
        cell, = bundle.run["cells"]
        return cell


class ShareTest(FairUserTest):
    def spin(self, group):
        done = self.fairuser(*TWO, "--workload", "spin", "--cpus", CPU, "--duration", "3s", "--group", group)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_without_grouping_whoever_starts_more_gets_more(self):
        done = self.spin("none")
        bundle = self.bundle()
        self.assertLess(self.value(bundle, "cpu_share", "vatsa"), 0.3)
        self.assertGreater(self.value(bundle, "cpu_share", "guest"), 0.7)
        self.assertLess(self.value(bundle, "jain"), 0.85)
        self.assertEqual(self.value(bundle, "efficiency"), 1, "it is its own reference")
        self.assertAlmostEqual(self.value(bundle, "fairness"),
                               self.value(bundle, "jain") * self.value(bundle, "within"))
        self.assertEqual(self.value(bundle, "expected_share", "vatsa"), 0.5)
        self.assertRegex(done.stdout, r"(?m)^group +user +command +real +share")
        self.assertRegex(done.stdout, r"(?m)^none +vatsa +4 loops ")
        self.assertIn("1 CPU split", self.cell(bundle)["fairuser"]["share_model"])
        self.assert_nothing_left()

    def assert_fair(self, group):
        done = self.spin(group)
        bundle = self.bundle()
        if self.cell(bundle)["status"] == "not-run":
            self.skipTest(self.cell(bundle)["reason"])
        self.assertEqual(done.returncode, 0)
        self.assertGreater(self.value(bundle, "cpu_share", "vatsa"), 0.4)
        self.assertLess(self.value(bundle, "cpu_share", "vatsa"), 0.6)
        self.assertGreater(self.value(bundle, "jain"), 0.95)
        self.assert_nothing_left()

    @unittest.skipUnless(can_be_root_test(), "making cgroups needs root")
    def test_with_a_cgroup_each_the_users_are_equal(self):
        self.assert_fair("cgroup")

    def test_with_a_session_each_the_users_are_equal(self):
        try:
            on = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() == "1"
        except OSError:
            on = False
        if not on:
            self.skipTest("this kernel has no autogroups, or they are off")
        self.assert_fair("autogroup")

    def test_shares_over_time_are_samples_that_sum_to_one(self):
        self.spin("none")
        over_time = self.bundle().samples_of("cpu_share_over_time")
        by_time = {}
        for sample in over_time:
            by_time.setdefault(sample["at_ns"], []).append(float(sample["value"]))
        self.assertGreater(len(by_time), 2)
        for shares in by_time.values():
            self.assertAlmostEqual(sum(shares), 1)

    def test_solo_runs_make_efficiency_and_fairness_number(self):
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--workload", "spin", "--cpus", CPU, "--duration",
                             "1s", "--solo")
        self.assertEqual(done.returncode, 0, done.stderr)
        bundle = self.bundle()
        parts = [self.value(bundle, name) for name in ("jain", "within", "efficiency")]
        self.assertNotIn(None, parts)
        jain, within, efficiency = parts
        self.assertAlmostEqual(self.value(bundle, "fairness"), jain * within * min(1, efficiency))

    def test_the_ungrouped_cell_of_the_block_is_the_reference(self):
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--workload", "spin", "--cpus", CPU, "--duration",
                             "500ms", "--group", "autogroup,none,cgroup", "--reps", "2")
        self.assertIn(done.returncode, (0, 5), done.stderr)
        bundle = self.bundle()
        cells = {cell["order"]: cell for cell in bundle.run["cells"]}
        for row in bundle.rows:
            if row["metric"] != "efficiency":
                continue
            cell = cells[int(row["order"])]
            if cell["status"] == "not-run":
                self.assertEqual(row["mean"], "")
                continue
            reference = cells[cell["reference_order"]]
            self.assertIn("group=none", reference["variant"])
            self.assertEqual(reference["repetition"], cell["repetition"])
            rates = [sum(float(one["mean"]) for one in bundle.rows
                         if one["metric"] == "work_rate" and one["order"] == str(order))
                     for order in (cell["order"], cell["reference_order"])]
            self.assertAlmostEqual(float(row["mean"]), rates[0] / rates[1])
            number, jain, within = (next(float(one["mean"]) for one in bundle.rows
                                         if one["metric"] == name and one["order"] == row["order"])
                                    for name in ("fairness", "jain", "within"))
            self.assertAlmostEqual(number, jain * within * min(1, float(row["mean"])))
        samples = bundle.samples_of("efficiency")
        self.assertEqual(len(samples), sum(cell["status"] != "not-run" for cell in cells.values()))

    def test_without_any_reference_efficiency_stays_empty(self):
        done = self.run_bench("exec", "fairuser", "--bundle", self.out / "cell", "--user", "a=1", "--user", "b=1",
                              "--workload", "spin", "--duration", "200ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(self.value(self.bundle(), "efficiency"))
        self.assertIsNone(self.value(self.bundle(), "fairness"))

    def test_group_is_an_axis(self):
        self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "spin,pipe", "--group", "none", "--duration",
                      "200ms")
        variants = {row["variant"] for row in self.bundle().rows}
        self.assertEqual(variants, {f"group=none;user_a=1;user_b=1;workload={name}" for name in ("spin", "pipe")})
        self.assertEqual({row["clients"] for row in self.bundle().rows}, {""})


class ChatTest(FairUserTest):
    def test_the_counts_of_the_classic_are_exact(self):
        done = self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "volano")
        self.assertEqual(done.returncode, 0, done.stderr)
        for user in self.cell(self.bundle())["fairuser"]["users"]:
            self.assertEqual(user["messages"], {"sent": 20_000, "received": 380_000, "total": 400_000})
        self.assertGreater(self.value(self.bundle(), "work_rate", "a"), 0)
        self.assert_nothing_left()

    def test_fifty_rooms_lose_nothing(self):
        done = self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "volano", "--rooms", "50",
                             "--messages", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for user in self.cell(self.bundle())["fairuser"]["users"]:
            self.assertEqual(user["messages"], {"sent": 2_000, "received": 38_000, "total": 40_000})

    def test_a_taken_port_is_told_and_nothing_is_measured(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "volano", "--port", port)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"127.0.0.1:{port}", self.cell(self.bundle())["reason"])
        self.assertIsNone(self.value(self.bundle(), "jain"))
        self.assert_nothing_left()


class BuildTest(FairUserTest):
    def test_both_users_build_the_same_tree(self):
        done = self.fairuser("--user", "a=1", "--user", "b=3", "--units", "4", "--cpus", CPU,
                             env=dict(self.environment, MAKEFLAGS="-n", CC="false"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(", each to the end of its work\n", done.stdout)
        bundle = self.bundle()
        for user in ("a", "b"):
            self.assertGreater(self.value(bundle, "finish_time", user), 0)
            self.assertGreater(self.value(bundle, "cpu_time", user), 0)
        self.assertEqual(self.value(bundle, "makespan"),
                         max(self.value(bundle, "finish_time", user) for user in ("a", "b")))
        self.assert_nothing_left()

    def test_work_that_fails_fails_the_row_and_its_words_are_kept(self):
        done = self.fairuser("--user", "a=1,cmd=make -j{jobs} nosuchtarget", "--user", "b=1,cmd=sleep 100",
                             "--workload", "cmd")
        self.assertEqual(done.returncode, 6, done.stdout)
        cell = self.cell(self.bundle())
        self.assertEqual(cell["status"], "failed")
        self.assertIn("nosuchtarget", cell["reason"])
        self.assertIsNone(self.value(self.bundle(), "cpu_share"))
        self.assert_nothing_left()

    def test_commands_get_their_jobs_and_their_commas(self):
        seen = self.folder / "seen"
        seen.mkdir(mode=0o777)
        os.chmod(seen, 0o777)
        done = self.fairuser("--user", f"a=3,cmd=echo '{{jobs}}, all' > {seen}/a", "--user", f"b=7,cmd=id -u > {seen}/b",
                             "--workload", "cmd")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((seen / "a").read_text(), "3, all\n")
        if os.geteuid() == 0:
            self.assertNotEqual((seen / "b").read_text(), "0\n", "users do not run as root")
            self.assertNotEqual((seen / "a").stat().st_uid, (seen / "b").stat().st_uid)

    def tools(self, *missing):
        """A PATH with what a kernel build asks for, whether this machine has it or not."""
        folder = self.folder / "tools"
        folder.mkdir()
        for name in ("make", "cc", "ld", "sh", "grep", "touch", "echo", "false", "true", "as"):
            if found := shutil.which(name):
                (folder / name).symlink_to(found)
        for name in ("flex", "bison", "bc"):
            (folder / name).write_text("#!/bin/sh\n")
            (folder / name).chmod(0o755)
        for name in missing:
            (folder / name).unlink()
        return dict(self.environment, PATH=str(folder))

    def test_a_tool_that_a_kernel_wants_is_named_before_anything_starts(self):
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--source", self.linux_tree("true"),
                             env=self.tools("flex"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("find flex", self.cell(self.bundle())["reason"])
        self.assertIn("apt-get install flex", self.cell(self.bundle())["reason"])

    def linux_tree(self, recipe):
        """What of a Linux tree a build out of tree needs, and no more."""
        tree = self.folder / "linux"
        (tree / "scripts" / "kconfig").mkdir(parents=True)
        for name in ("Kconfig", "scripts/kconfig/Makefile"):
            (tree / name).touch()
        (tree / "Makefile").write_text(
            "tinyconfig:\n\techo configured > $(O)/.config\n"
            f"bzImage:\n\tgrep -q configured $(O)/.config\n\t{recipe}\n")
        return tree

    def test_a_linux_tree_is_configured_before_and_built_beside_it(self):
        tree = self.linux_tree("touch $(O)/image")
        before = sorted(tree.rglob("*"))
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--source", tree, env=self.tools())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(self.value(self.bundle(), "finish_time", "b"), 0)
        self.assertEqual(sorted(tree.rglob("*")), before, "the source is only read")
        self.assert_nothing_left()

    def test_a_build_that_fails_keeps_its_words(self):
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--source", self.linux_tree("@echo out of luck; false"),
                             env=self.tools())
        self.assertEqual(done.returncode, 6)
        self.assertIn("out of luck", self.cell(self.bundle())["reason"])

    def test_a_configuration_there_is_not_starts_nothing(self):
        done = self.fairuser("--user", "a=1", "--user", "b=2", "--source", self.linux_tree("true"), "--config",
                             "nosuchconfig", env=self.tools())
        self.assertEqual(done.returncode, 5)
        self.assertIn("nosuchconfig", self.cell(self.bundle())["reason"])
        self.assert_nothing_left()

    def test_a_folder_that_is_no_kernel_is_not_run(self):
        done = self.fairuser("--user", "a=1", "--user", "b=1", "--source", self.folder,
                             env=self.tools())
        self.assertEqual(done.returncode, 5)
        self.assertIn("no Linux source tree", self.cell(self.bundle())["reason"])


class UsageTest(FairUserTest):
    def test_mistakes_are_one_line_that_names_the_option(self):
        for arguments, words in (([], "--user"), (["--user", "a=1"], "two or more"),
                                 (["--user", "a=x", "--user", "b=1"], "'a=x'"),
                                 ([*TWO, "--group", "session"], "none, autogroup, cgroup"),
                                 ([*TWO, "--workload", "spin", "--fixed", "work"], "--fixed"),
                                 ([*TWO, "--pin"], "--pin"),
                                 (["--user", "a=1,nice=5", "--user", "b=1", "--nice", "0,3"], "--nice"),
                                 ([*TWO, "--rooms", "3"], "--rooms"), ([*TWO, "--clients", "3"], "--clients")):
            done = self.fairuser(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(self.bundles(), [])


class PrivateFolderTest(FairUserTest):
    @unittest.skipUnless(os.geteuid() == 0, "users have uids of their own as root only")
    def test_a_folder_that_is_closed_to_the_users_is_named(self):
        os.chmod(self.temporary, 0o700)
        done = self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "spin", "--duration",
                             "200ms")
        reason = self.cell(self.bundle())["reason"]
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(f"enter {self.temporary}", reason)
        self.assertIn("TMPDIR", reason)
        self.assert_nothing_left()


class StopTest(FairUserTest):
    def running(self, group="none"):
        process = self.start("fairuser", "--out", self.out, *TWO, "--workload", "spin", "--duration", "60s",
                             "--group", group, start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        # Users' processes that are past the start have used CPU time.
        self.wait_for(lambda: len([pid for pid in self.processes() if self.is_spinning(pid)]) >= 20,
                      "users at work")
        return process

    @staticmethod
    def is_spinning(pid):
        try:
            stat = pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()
            return stat[0] == "R" and int(stat[11]) > 0
        except OSError:
            return False

    def test_nothing_is_left_after_ctrl_c(self):
        process = self.running()
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        self.assert_nothing_left()

    @unittest.skipUnless(can_be_root_test(), "making cgroups needs root")
    def test_no_cgroup_is_left_after_kill_9(self):
        process = self.running("cgroup")
        owners = {process.pid, *children_of(process.pid)}

        def groups():
            names = [path.name for path in pathlib.Path("/sys/fs/cgroup").glob("**/bench-fairuser-*")]
            return [name for name in names if int(name.split("-")[2]) in owners]
        self.assertTrue(groups(), "users at work have groups")
        process.kill()
        process.wait(PATIENCE)
        self.assert_nothing_left()
        self.wait_for(lambda: not groups(), "no cgroup left")

    def test_nothing_is_left_after_kill_9(self):
        process = self.running()
        process.kill()
        process.wait(PATIENCE)
        self.assert_nothing_left()
        done = self.fairuser("--user", "a=1", "--user", "b=1", "--workload", "spin", "--duration", "100ms")
        self.assertEqual(done.returncode, 0, done.stderr)


class ImportTest(FairUserTest):
    def test_the_runs_of_2007_become_a_bundle_with_their_fairness(self):
        data = SOURCE / "tests" / "data"
        done = self.run_bench("import", "fairuser", "--out", self.out, "--kernel", "2.6.20-rc5",
                              data / "fairuser-2007-later-vanilla.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)vatsa +make -j4 +767\.160 +0\.2266 ")
        self.assertAlmostEqual(self.value(self.bundle(), "fairness"), 0.769857, places=6)


if __name__ == "__main__":
    unittest.main()
