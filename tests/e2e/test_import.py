"""Classic outputs become ordinary bundles that claim nothing of this machine."""

import fcntl
import json
import pty
import struct
import termios

from harness import *

OUTPUT = """
Parameters: min_wait=100ms, max_wait=500ms, clients={clients}
Entries logged: 176

Wakeup averages
-------------------------------------
\tMax\t\t   {max} usec
\tAvg\t\t   14512 usec
\tStdev\t\t   11915 usec
\tStdev mean\t     898 usec

Work averages
-------------------------------------
\tMax\t\t  150000 usec
\tAvg\t\t   20000 usec
\tStdev\t\t    5000 usec
\tStdev mean\t     377 usec
"""


class ImportTest(BenchTest):
    def file(self, name, text=None, clients=8, worst=43974):
        path = self.folder / name
        path.write_text(text if text is not None else OUTPUT.format(clients=clients, max=worst))
        return path

    def imported(self, *arguments, **options):
        done = self.run_bench("import", "latt", "--out", self.out, *arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_the_figures_of_the_output_and_no_others_are_in_the_bundle(self):
        shown = self.imported(self.file("old.txt"), "--kernel", "2.6.31", "--scheduler", "CFS", "--label", "from 2009")
        bundle = self.bundle()
        self.assertRegex(bundle.folder.name, r"^\d{8}T\d{6}Z-latt-2\.6\.31$")
        self.assertEqual([row["metric"] for row in bundle.rows], ["wakeup", "work"])
        row = bundle.rows[0]
        self.assertEqual({key: value for key, value in row.items() if value}, {
            "test": "latt", "kernel": "2.6.31", "scheduler": "CFS", "clients": "8", "repetition": "1",
            "metric": "wakeup", "unit": "ns", "better": "lower", "status": "ok", "count": "176", "mean": "14512000",
            "stdev": "11915000", "max": "43974000"})
        self.assertEqual(bundle.samples, [])
        run = bundle.run
        self.assertEqual((run["status"], run["imported"], run["label"]), ("complete", True, "from 2009"))
        self.assertEqual((run["environments"], run["boots"]), ([], []))
        self.assertEqual(run["cells"][0]["latt"]["wakeup_stdev_mean_ns"], 898000)
        self.assertTrue(run["cells"][0]["imported_from"].endswith("old.txt"))
        self.assertTrue(shown.startswith("latt on 2.6.31 (CFS), imported\n"), shown)
        self.assertRegex(shown, r"\n +8 +n/a +n/a +43\.974 +14\.512 +11\.915 +20\.000 +176\n")
        self.assertIn(f"results in {bundle.folder}\n", shown)

    def test_what_is_not_told_is_empty_and_never_this_machines(self):
        self.imported(self.file("old.txt"))
        bundle = self.bundle()
        self.assertRegex(bundle.folder.name, r"^\d{8}T\d{6}Z-latt$")
        for column in ("kernel", "scheduler", "variant", "boot", "order", "seed", "min", "p50", "p99"):
            self.assertEqual(bundle.rows[0][column], "", column)
        self.assertNotIn(os.uname().release, (bundle.folder / "run.json").read_text())

    def test_standard_input(self):
        with open(self.file("old.txt"), encoding="utf-8") as text:
            self.imported("-", stdin=text)
        self.assertEqual(self.bundle().run["cells"][0]["imported_from"], "standard input")

    def test_what_the_classic_prints_here_can_be_imported(self):
        link = self.folder / "latt"
        link.symlink_to(BENCH)
        printed = self.run_bench("-c2", "-s1", "-S3", "-x0", "echo the load speaks; sleep 0.2", program=link)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.imported(self.file("now.txt", printed.stdout))
        row = self.bundle().metric("wakeup")[0]
        self.assertEqual((row["clients"], row["variant"]), ("2", "max_wait=3ms;min_wait=1ms;work=0B"))
        self.assertIn(f"Entries logged: {row['count']}\n", printed.stdout)
        self.assertEqual(self.bundle().metric("work"), [])

    def test_files_alike_are_repetitions_and_others_cells_of_their_own(self):
        shown = self.imported(self.file("a", clients=8), self.file("b", clients=16), self.file("c", worst=99999),
                              "--variant", "load=make;j", "--variant", "cpus=0,2")
        bundle = self.bundle()
        rows = bundle.metric("wakeup")
        self.assertEqual([(row["clients"], row["repetition"], row["max"]) for row in rows],
                         [("8", "1", "43974000"), ("16", "1", "43974000"), ("8", "2", "99999000")])
        self.assertEqual({row["variant"] for row in rows}, {"cpus=0,2;load=make%3Bj"})
        self.assertIn("medians of 2 repetitions", shown)

    def test_json(self):
        told = json.loads(self.imported(self.file("old.txt"), "--json"))
        self.assertEqual(told["counts"]["ok"], 1)
        self.assertIsNone(told["rows"][0]["p50"])

    def test_a_narrow_terminal_gets_a_table_that_does_not_wrap(self):
        file = self.file("old.txt")
        for width, wraps in ((60, True), (80, False)):
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
            self.imported(file, stdout=slave)
            os.close(slave)
            shown = os.read(master, 1 << 16).decode()
            os.close(master)
            self.assertEqual("left out of this narrow table: avg, stdev" in shown, wraps, shown)
            self.assertTrue(all(len(line.strip()) <= width for line in shown.splitlines()
                                if line.startswith((" ", "clients"))), shown)

    def assert_refused(self, *arguments, naming):
        done = self.run_bench("import", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in naming:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.folder / "results").exists(), "a refused command left files")

    def test_what_can_not_be_read_is_refused_with_file_and_line(self):
        good = self.file("good.txt")
        text = good.read_text()
        self.assert_refused("latt", "gone.txt", naming=["gone.txt", "No such file"])
        self.assert_refused("latt", self.folder, naming=[str(self.folder), "directory"])
        self.assert_refused("latt", "/dev/zero", naming=["/dev/zero", "64MiB"])
        self.assert_refused("latt", "-", naming=["standard input line 1"])
        self.assert_refused("latt", good, self.file("comma", text.replace("14512 ", "14512,5 ")),
                            naming=["comma line 8", "14512,5"])
        self.assert_refused("latt", self.file("twice", text + text), naming=["twice line 19", "second output"])
        self.assert_refused("latt", self.file("cut", text[:150]), naming=["cut line", "ends"])

    def test_a_refusal_is_one_short_line_without_codes_for_the_terminal(self):
        text = self.file("good.txt").read_text()
        for bad in (text.replace("14512", "\x1b[31m1"), text.replace("14512", "9" * 100000)):
            done = self.run_bench("import", "latt", self.file("odd\nname", bad))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertLess(len(done.stderr), 400)
            self.assertNotIn("\x1b", done.stderr)

    def test_words_that_can_not_be_understood(self):
        good = self.file("good.txt")
        self.assert_refused("latt", naming=["FILE"])
        self.assert_refused("tbench", good, naming=["'tbench'", "latt"])
        self.assert_refused("latt", good, good, naming=["FILE", "twice"])
        for value in ("load", "=x", "="):
            self.assert_refused("latt", good, f"--variant={value}", naming=["--variant", f"'{value}'", "KEY=VALUE"])
        self.assert_refused("latt", good, "--variant", "a=1", "--variant", "a=2", naming=["--variant", "'a'", "twice"])
        other = self.file("other.txt", good.read_text().replace("min_wait=100ms", "min_wait=1ms"))
        self.assert_refused("latt", other, "--variant", "min_wait=2ms", naming=["other.txt", "min_wait=2ms", "1ms"])

    def test_a_kernel_with_an_odd_name_makes_one_folder(self):
        self.imported(self.file("old.txt"), "--kernel", "../x\ny")
        self.assertTrue(self.bundle().folder.name.endswith("-latt-.._x_y"), self.bundle().folder)
        self.assertEqual(self.bundle().rows[0]["kernel"], "../x\ny")


@unittest.skipUnless((BUILD / "bench-with-fake").exists(), "bench-with-fake is not built")
class AnyTestTest(BenchTest):
    def test_a_test_with_samples_and_a_doubt_imports_through_the_same_command(self):
        for name, text in (("one", "answer 126"), ("two", "answer 0")):
            (self.folder / name).write_text(text)
        done = self.run_bench("import", "fake-test", "one", "two", "--out", self.out, program=BUILD / "bench-with-fake")
        self.assertEqual(done.returncode, 0, done.stderr)
        bundle = self.bundle()
        self.assertEqual([sample["value"] for sample in bundle.samples], ["126", "0"])
        self.assertEqual([row["status"] for row in bundle.rows], ["ok", "tainted"])
        self.assertIn("tainted: an answer of nothing", done.stdout)


if __name__ == "__main__":
    unittest.main()
