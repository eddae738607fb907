"""What guests do to cells: seeds, shared boots, policies, kernels that misbehave."""

from guests import *


class SeedsTest(GuestCase):
    def test_seeds_are_the_repetitions_and_share_two_boots(self):
        bundle = self.ok("--clients", "1,2", "--kernel", CFS, "--vm-seeds", "3")
        rows = bundle.metric("wakeup")
        self.assertEqual(len(rows), 6)
        self.assertEqual(len({row["seed"] for row in rows}), 3)
        boots = {repetition: {row["boot"] for row in rows if row["repetition"] == repetition} for repetition in "123"}
        self.assertEqual(boots, {"1": {"1"}, "2": {"1"}, "3": {"2"}})
        self.assertEqual([row["order"] for row in rows], [str(i + 1) for i in range(6)])
        when = {cell: [line["at_ns"] for line in bundle.samples_of("wakeup") if line["cell"] == str(cell)]
                for cell in range(1, 7)}
        self.assertEqual(len(set(map(tuple, when.values()))), 6, "a seed that changed nothing")
        self.assertTrue(all(when.values()))
        self.assert_nothing_left()

    def test_a_kernel_has_the_same_figures_whoever_is_beside_it(self):
        arguments = ("--clients", "2", "--vm-seeds", "2", "--boots", "once")
        alone = self.ok(*arguments, "--kernel", EEVDF, out=self.folder / "alone")
        both = self.ok(*arguments, "--kernel", CFS, "--kernel", EEVDF, out=self.folder / "both")
        figures = [[(row["seed"], row["mean"], row["max"]) for row in bundle.metric("wakeup")
                    if row["kernel"].startswith("6.12")] for bundle in (alone, both)]
        self.assertEqual(*figures)
        self.assertEqual({row["boot"] for row in both.rows}, {"1", "2"})

    def test_cells_run_twice_when_determinism_is_to_be_verified(self):
        bundle = self.ok("--clients", "1", "--kernel", EEVDF, "--verify-determinism")
        self.assertEqual([cell["determinism"] for cell in bundle.run["cells"]], [{"runs": 2, "agreeing": 2}])


class TroubleTest(GuestCase):
    def cell(self):
        return self.bundle().run["cells"][0]

    def test_a_guest_that_hangs_before_its_first_process(self):
        stopped = self.folder / "stopped"
        stopped.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {QEMU} --version\nexec {QEMU} -S "$@"\n')
        stopped.chmod(0o755)
        ran = self.guest("--kernel", EEVDF, "--boot-timeout", "2s", "--strict", qemu=stopped)
        self.assertEqual(ran.returncode, 5, (ran.stdout, ran.stderr))
        self.assertIn("did not come up in time", self.cell()["reason"])
        self.assertEqual({row["status"] for row in self.bundle().rows}, {"not-run"})
        self.assert_nothing_left()

    def test_a_panic_that_does_not_end_is_given_up(self):
        self.guest("--kernel", EEVDF, "--append", "rdinit=/nonexistent panic=0", "--boot-timeout", "20s")
        self.assertIn("Kernel panic", self.cell()["reason"])
        self.assert_nothing_left()

    def test_a_guest_that_hangs_in_a_cell(self):
        process = self.start("latt", "--out", self.out, "--qemu", QEMU, "--kernel", CFS, "--duration", "1h", "--quiet",
                             "--vm-seeds", "1")
        qemu = self.wait_for(lambda: next((pid for pid, line in self.processes().items() if "-icount" in line), None),
                             "a guest")
        channel = self.wait_for(lambda: next((descriptor for descriptor in pathlib.Path(f"/proc/{qemu}/fd").iterdir()
                                              if os.readlink(descriptor).endswith("/channel")), None), "its channel")

        def beats():
            with open(channel, "rb") as memory:
                return int.from_bytes(memory.read(24)[16:], "little")

        self.wait_for(lambda: beats() > 8, "a cell")
        os.kill(qemu, signal.SIGSTOP)
        out, err = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 6, (out, err))
        self.assertIn("no sign of life", self.cell()["reason"])
        self.assertEqual({row["status"] for row in self.bundle().rows}, {"failed"})
        self.assert_nothing_left()

    def test_messages_every_10_ms_do_not_harm_the_results(self):
        for kernel in (CFS, EEVDF):
            bundle = self.ok("--kernel", kernel, "--append", "loglevel=8 BENCH_TRIAL_NOISE=10",
                             out=self.folder / kernel.name)
            self.assertEqual({row["status"] for row in bundle.rows}, {"ok"})
            self.assertIn("noise for a trial", bundle.run["cells"][0]["guest"]["console"])

    def test_a_cell_without_the_memory_it_needs_is_not_run(self):
        ran = self.guest("--kernel", EEVDF, "--memory", "128MiB", "--clients", "8", "--work", "64MiB", "--strict")
        self.assertEqual(ran.returncode, 5, (ran.stdout, ran.stderr))
        self.assertIn("memory", self.cell()["reason"])

    def test_without_high_resolution_timers_the_rows_say_so(self):
        bundle = self.ok("--kernel", EEVDF, "--clients", "2", "--append", "highres=off", test="massive-intr")
        self.assertEqual({row["status"] for row in bundle.rows}, {"tainted"})
        self.assertIn("no high-resolution timers", " ".join(bundle.run["cells"][0]["taints"]))

    def test_a_clock_that_is_set_changes_no_figure(self):
        for test in ("latt", "massive-intr"):
            folder = self.folder / test
            bundle = self.ok("--kernel", CFS, "--clients", "2", "--append", "BENCH_TRIAL_CLOCK=3600", "--append",
                             "BENCH_TRIAL_CLOCK=0000", test=test, out=folder)
            cells = bundle.run["cells"]
            self.assertIn("the clock was set", cells[0]["guest"]["console"])
            self.assertNotIn("the clock was set", cells[1]["guest"]["console"])
            spans = [cell["elapsed_ns"] for cell in cells]
            self.assertLess(max(spans), 3_600_000_000_000 / 60)
            for row in bundle.rows:
                self.assertIn(row["status"], ("ok", "tainted"), row)
                for figure in ("min", "max"):
                    if row["unit"] == "ns" and row[figure]:
                        self.assertLess(float(row[figure]), 60e9, row)
                        self.assertGreaterEqual(float(row[figure]), 0, row)

    def test_nothing_of_a_cell_is_left_in_its_guest(self):
        """The first process reaps what is orphaned and turns the machine off; the next cell finds an empty guest."""
        bundle = self.ok("--kernel", EEVDF, "--user", "a=2", "--user", "b=2", "--workload", "spin", "--vm-seeds", "2",
                         "--boots", "once", test="fairuser")
        self.assertEqual({row["boot"] for row in bundle.rows}, {"1"})
        tasks = [cell["state_before"].get("processes") for cell in bundle.run["cells"]]
        self.assertEqual(tasks[0], tasks[1])


class TestsInGuests(GuestCase):
    def test_policies(self):
        bundle = self.ok("--kernel", CFS, "--kernel", EEVDF, "--clients", "2", "--policy",
                         "other,batch,idle,fifo:10,rr:10,deadline:2ms/10ms/10ms", "--boots", "once", test="massive-intr")
        self.assertEqual(len(bundle.run["cells"]), 12)
        for cell in bundle.run["cells"]:
            self.assertIn(cell["status"], ("ok", "tainted"), cell.get("reason"))
            self.assertEqual({worker["policy"].split(":")[0] for worker in cell["workers"]},
                             {dict(pair.split("=") for pair in cell["variant"].split(";"))["policy"].split(":")[0]})


if __name__ == "__main__":
    unittest.main()
