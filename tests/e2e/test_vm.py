"""Guests: the same kernel twice gives the same bytes, and a guest that breaks says how and leaves nothing."""

import json

from guests import *


class GuestTest(GuestCase):
    def test_two_kernels_twice_give_the_same_bytes(self):
        bundles = []
        for launch in ("one", "two"):
            ran = self.guest("--clients", "4", "--kernel", CFS, "--kernel", EEVDF, out=self.folder / launch)
            self.assertEqual(ran.returncode, 0, (ran.stdout, ran.stderr))
            bundles.append(Bundle(next((self.folder / launch).iterdir())))
        for file in ("summary.csv", "samples.csv.gz"):
            one, two = [(bundle.folder / file).read_bytes() for bundle in bundles]
            self.assertEqual(one, two, file)
        one, two = bundles
        self.assertEqual(one.run["cells"], two.run["cells"])
        self.assertEqual(one.run["environments"], two.run["environments"])
        self.assertEqual(one.run["guests"], two.run["guests"])
        seen = {row["kernel"].split(".")[1]: row["scheduler"] for row in one.rows}
        self.assertEqual(seen, {"1": "CFS", "12": "EEVDF"})
        self.assertEqual({row["status"] for row in one.rows}, {"ok"})
        self.assertEqual({row["variant"] for row in one.rows}, {"time=virtual;vcpus=1"})
        means = {row["kernel"]: row["mean"] for row in one.metric("wakeup")}
        self.assertEqual(len(set(means.values())), 2, "two schedulers that behave alike")
        self.assertEqual({kernel["release"] for kernel in one.run["guests"]["kernels"]}, set(means))
        self.assertIn("QEMU", one.run["guests"]["qemu"])
        for cell in one.run["cells"]:
            self.assertRegex(cell["guest"]["image_sha256"], "^[0-9a-f]{64}$")
        self.assert_nothing_left()

    def broken(self, *arguments, **options):
        ran = self.guest("--clients", "1", "--kernel", EEVDF, *arguments, **options)
        bundle = self.bundle()
        self.assertEqual({row["status"] for row in bundle.rows}, {"not-run"}, ran.stdout)
        self.assertEqual({row["mean"] for row in bundle.rows}, {""})
        self.assertTrue(all(row["kernel"].startswith("6.12.") for row in bundle.rows))
        self.assert_nothing_left()
        return ran, bundle.run["cells"][0]

    def test_a_panic_is_a_row_with_the_kernels_words(self):
        ran, cell = self.broken("--append", "rdinit=/nonexistent", "--strict")
        self.assertEqual(ran.returncode, 5)
        self.assertIn("Kernel panic", cell["reason"])
        self.assertIn("Kernel panic", cell["guest"]["console"])
        self.assertEqual(cell["variant"], "append=rdinit=/nonexistent;time=virtual;vcpus=1")

    def test_too_little_memory_is_named(self):
        _, cell = self.broken("--memory", "40MiB")
        self.assertIn("--memory", cell["reason"])
        self.assertEqual(cell["variant"], "memory=40MiB;time=virtual;vcpus=1")

    def test_a_guest_that_does_not_come_up_is_given_up(self):
        _, cell = self.broken("--boot-timeout", "10ms")
        self.assertIn("--boot-timeout", cell["reason"])

    def test_qemu_that_dies_says_its_last_words(self):
        broken = self.folder / "qemu,broken"
        broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo QEMU of a test && exit\necho cannot >&2\nexit 3\n')
        broken.chmod(0o755)
        _, cell = self.broken(qemu=broken)
        self.assertIn("exit status 3", cell["reason"])
        self.assertIn("cannot", cell["reason"])

    def test_a_killed_qemu_is_a_row_and_the_run_ends(self):
        process = self.start("latt", "--out", self.out, "--qemu", QEMU, "--kernel", CFS, "--vm-seeds", "1", "--duration",
                             "1h", "--quiet")
        pid = self.wait_for(lambda: next((pid for pid, line in self.processes().items() if "-icount" in line), None),
                            "a guest")
        os.kill(pid, signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 5, (out, err))
        self.assertIn("SIGKILL", self.bundle().run["cells"][0]["reason"])
        self.assert_nothing_left()

    def test_commas_and_blanks_reach_the_guest_whole(self):
        odd = self.folder / "k,6.9 a"
        odd.mkdir()
        self.environment["TMPDIR"] = str(odd)
        named = self.folder / "6.9,test dirty+.deb"
        named.symlink_to(EEVDF)
        append = 'foo="a b" isolcpus=2,3'
        ran = self.guest("--clients", "1", "--kernel", named, "--append", append)
        self.assertEqual(ran.returncode, 0, (ran.stdout, ran.stderr))
        environment = self.bundle().run["environments"][0]
        self.assertIn(append, json.dumps(environment, ensure_ascii=False).replace('\\"', '"'))
        self.assertEqual(list(odd.iterdir()), [])

    def test_nothing_outlives_a_killed_parent(self):
        process = self.start("latt", "--out", self.out, "--qemu", QEMU, "--kernel", CFS, "--duration", "1h",
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: any("-icount" in line for line in self.processes().values()), "a guest")
        process.kill()
        process.wait()
        self.assert_nothing_left()

    def test_an_interrupt_ends_the_guest_at_once(self):
        process = self.start("latt", "--out", self.out, "--qemu", QEMU, "--kernel", CFS, "--vm-seeds", "1", "--duration",
                             "1h", "--quiet")
        self.wait_for(lambda: any("-icount" in line for line in self.processes().values()), "a guest")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assert_nothing_left()


class RefusalTest(BenchTest):
    """One line and exit 2, before anything is started."""

    def refused(self, *arguments):
        ran = self.run_bench("latt", "--out", self.out, *arguments)
        self.assertEqual(ran.returncode, 2, (ran.stdout, ran.stderr))
        self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
        self.assertFalse(self.out.exists())
        return ran.stderr

    def test_what_is_no_kernel(self):
        text = self.folder / "text"
        text.write_text("#!/bin/sh\n")
        self.assertIn("not a kernel image", self.refused("--kernel", text))
        self.assertIn("no such file", self.refused("--kernel", self.folder / "missing"))
        self.assertIn("not a built kernel tree", self.refused("--kernel", self.folder))

    def test_options_that_can_not_hold_together(self):
        self.assertIn("--kernel", self.refused("--time", "virtual"))
        self.assertIn("--kernel", self.refused("--append", "quiet", "--kernel", "host"))
        self.assertIn("--vcpus", self.refused("--vcpus", "0", "--kernel", "x"))
        self.assertIn("--vcpus", self.refused("--vcpus", "64", "--kernel", "x", "--time", "real"))
        self.assertIn("--vm-seeds", self.refused("--reps", "3", "--kernel", "x"))
        self.assertIn("--reps", self.refused("--vm-seeds", "3", "--kernel", "x", "--time", "real"))
        self.assertIn("--reps", self.refused("--vm-seeds", "3", "--kernel", "x", "--kernel", "host"))
        self.assertIn("virtual time", self.refused("--verify-determinism", "--kernel", "x", "--time", "real"))
        self.assertIn("per-cell, per-repetition, twice, once", self.refused("--boots", "never", "--kernel", "x"))
        self.assertIn("virtual, real", self.refused("--time", "fast", "--kernel", "x"))
        self.assertIn("given twice", self.refused("--kernel", "x", "--kernel", "x"))

    def test_the_running_kernel_needs_no_guest(self):
        ran = self.sweep("--kernel", "host", "--duration", "100ms", "--work", "0")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual({row["kernel"] for row in self.bundle().rows}, {os.uname().release})
        self.assertNotIn("guests", self.bundle().run)


if __name__ == "__main__":
    unittest.main()
