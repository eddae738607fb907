"""What the build gives: the static executable, an installed tree, a registry made from a list, layers that hold."""

import stat

from harness import *

STATIC = BUILD / "bench-static"


@unittest.skipUnless(STATIC.exists(), "this build has no bench-static")
class StaticExecutableTest(BenchTest):
    def test_it_needs_no_library_and_is_small(self):
        headers = subprocess.run(["readelf", "-ld", STATIC], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("NEEDED", headers)
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, STATIC], check=True)
        self.assertLess(stripped.stat().st_size, 10_000_000)

    def test_it_has_exec_list_and_version_and_every_test(self):
        names = lambda program: [line.split()[0] for line in self.run_bench("list", program=program).stdout.splitlines()
                                 if not line.startswith(" ")]
        self.assertEqual(names(STATIC), names(BENCH))
        self.assertEqual(self.run_bench("version", program=STATIC).stdout, self.run_bench("version").stdout)
        self.assertEqual(self.run_bench("latt", program=STATIC).returncode, 2)

    def test_it_runs_a_cell_without_a_shell_or_any_other_file(self):
        root = self.folder / "root"
        (root / "tmp").mkdir(parents=True)
        (root / "bench").write_bytes(STATIC.read_bytes())
        (root / "bench").chmod(0o755)
        if not can_be_root_test():
            self.skipTest("chroot needs root")
        (root / "proc").mkdir()
        (root / "dev").mkdir()
        os.mknod(root / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", root / "proc"], check=False)
        done = self.run_bench(root, "/bench", "exec", "latt", "-c", "2", "-t", "100ms", "--min-wait", "1ms", "--max-wait",
                              "2ms", "--load", "spin:1", "--bundle", "/cell", program="chroot",
                              env={**self.environment, "TMPDIR": "/tmp"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_ran(Bundle(root / "cell"))


class RegistryTest(BenchTest):
    """bench-with-fake is built from the same list with one word more, and a folder of the test tree."""

    WITH_FAKE = str(BUILD / "bench-with-fake")

    def test_one_word_in_the_list_makes_a_test(self):
        listed = self.run_bench("list", program=self.WITH_FAKE).stdout
        self.assertIn("fake-test  ", listed)
        self.assertIn("latt  ", listed)
        self.assertNotIn("fake-test", self.run_bench("list").stdout)

    def test_it_sweeps_like_any_other(self):
        done = self.run_bench("fake-test", "--out", self.out, "--clients", "1..3", "--duration", "10ms", "--answer",
                              "7", "--quiet", program=self.WITH_FAKE)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = sorted(self.bundle().metric("answer"), key=lambda row: int(row["clients"]))
        self.assertEqual([row["mean"] for row in rows], ["7", "14", "21"])
        self.assertEqual({row["variant"] for row in rows}, {"answer=7"})
        self.assertRegex(done.stdout, r"(?m)^ +3 +21")

    def test_its_own_refusals_and_failures_come_through(self):
        refused = self.run_bench("fake-test", "--answer", "x", program=self.WITH_FAKE)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--answer", refused.stderr)
        failed = self.run_bench("fake-test", "--out", self.out, "--answer", "0", "--duration", "10ms",
                                program=self.WITH_FAKE)
        self.assertEqual(failed.returncode, 6)
        self.assertIn("nothing to answer", failed.stdout)


class InstallTest(BenchTest):
    def test_an_installed_tree_has_the_command_and_the_classic_links(self):
        prefix = self.folder / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        for classic in ("latt", "massive_intr"):
            self.assertEqual(os.readlink(prefix / "bin" / classic), "bench")
        done = self.run_bench("-c2", "-s1", "-S2", "-x0", "true", program=prefix / "bin" / "latt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Parameters: min_wait=1ms, max_wait=2ms, clients=2", done.stdout)


class LayersTest(BenchTest):
    CHECK = SOURCE / "scripts" / "check-layers"

    def test_this_tree_is_clean(self):
        done = subprocess.run([self.CHECK], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_forbidden_include_is_found_with_its_place(self):
        cases = {"common/a.h": "runner/plan.h", "latt/a.cpp": "runner/plan.h", "runner/a.cpp": "latt/latt.h",
                 "massive_intr/a.cpp": "latt/latt.h", "analysis/a.cpp": "runner/runner.h", "vm/a.h": "app/registry.h"}
        for number, (file, include) in enumerate(cases.items()):
            with self.subTest(file=file):
                root = self.folder / str(number)
                path = root / "src" / file
                path.parent.mkdir(parents=True)
                path.write_text(f'#include "common/x.h"\n#include "{include}"\n')
                done = subprocess.run([self.CHECK, "--root", root], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"src/{file}:2:", done.stdout)
                path.write_text('#include "common/x.h"\n')
                self.assertEqual(subprocess.run([self.CHECK, "--root", root], capture_output=True,
                                                check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
