"""Output that can't be written, odd names, text once and not once per child."""

import csv
import io
import json
import tempfile

from harness import *

QUICK = ["--duration", "60ms", "--work", "0"]


class UnwritableTest(BenchTest):
    def test_a_place_that_can_not_be_made_is_known_before_anything_starts(self):
        marker = self.folder / "started"
        for place in ("/proc/nowhere", "/dev/null/x"):
            done = self.run_bench("latt", "--out", place, "--load", f"touch {marker}; sleep 5", *QUICK)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(str(pathlib.Path(place).parent), done.stderr)
            self.assertFalse(marker.exists(), "the load ran")
        self.assert_nothing_left()

    def test_a_full_standard_output_is_a_failure_with_its_reason(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.sweep("--clients", "1", *QUICK, stdout=full)
        self.assertEqual(done.returncode, 6)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(self.bundle().run["status"], "complete")

    @unittest.skipUnless(can_be_root_test(), "mounting a small tmpfs needs root")
    def test_a_full_disk_keeps_what_was_there_and_says_so(self):
        small = self.folder / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", small], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=False)
        self.out = small
        done = self.run_bench("latt", "--out", small, "--clients", "1..200", "--order", "sequential", "--min-wait",
                              "0ms", "--max-wait", "0ms", "--duration", "30ms", "--work", "0", "--quiet")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        bundle = self.bundle()
        cells = {cell["cell"] for cell in bundle.run["cells"]}
        self.assertGreater(len(cells), 0)
        self.assertEqual({int(row["order"]) for row in bundle.rows}, cells)
        self.assertEqual({int(sample["cell"]) for sample in bundle.samples}, cells)
        self.assert_nothing_left()

    def test_closed_standard_files_cost_no_cell(self):
        for closed in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
            with self.subTest(closed=closed):
                close = " ".join(f"{fd}>&-" for fd in closed)
                out = self.folder / ("closed" + "".join(map(str, closed)))
                done = self.run_bench("-c", f'"$@" {close}', "shell", BENCH, "latt", "--out", out, "--clients", "1..3",
                                      "--min-wait", "1ms", "--max-wait", "3ms", *QUICK, program="bash")
                self.assertEqual(done.returncode, 6 if 1 in closed else 0, done.stderr)
                if 1 in closed and 2 not in closed:
                    self.assertIn("Bad file descriptor", done.stderr)
                bundle = Bundle(next(out.iterdir()))
                self.assertEqual(len(bundle.run["cells"]), 3)
                self.assert_ran(bundle)
        self.assert_nothing_left()

    def test_a_folder_that_is_gone_is_an_error_with_words(self):
        done = self.run_bench("-c", 'mkdir gone && cd gone && rmdir ../gone && "$@"', "shell", BENCH, "latt", *QUICK,
                              program="bash")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("current folder", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_limit_on_file_size_is_an_error_with_words(self):
        done = self.run_bench("-c", 'ulimit -f 1 && "$@"', "shell", BENCH, "latt", "--out", self.out, "--quiet", *QUICK,
                              program="bash")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("File too large", done.stderr + done.stdout)
        self.assert_nothing_left()

    def test_runs_begun_in_one_second_have_a_bundle_each(self):
        runs = [self.start("latt", "--out", self.out, "--clients", "1", "--quiet", *QUICK) for _ in range(8)]
        for run in runs:
            _, err = run.communicate(timeout=PATIENCE)
            self.assertEqual(run.returncode, 0, err)
        self.assertEqual(len(self.bundles()), 8)

    def test_a_reader_that_leaves_is_no_success_and_leaves_nothing(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.sweep("--clients", "1", *QUICK, stdout=writer)
        os.close(writer)
        self.assertEqual(done.returncode, 6)
        self.assertEqual(done.stderr.count("\n"), 1, "only the progress line: " + done.stderr)
        self.assert_nothing_left()


class ControlCharactersTest(BenchTest):
    def test_a_reason_sends_the_terminal_no_codes(self):
        done = self.sweep("--load", "video:/no\x1b[31m\nx", "--clients", "1", *QUICK)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("/no?[31m?x", done.stdout)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class OddNamesTest(BenchTest):
    NAMES = ["</title><script>alert(1)</script>", 'a"b,c', "two\nlines", "\x1b[31mred", "=1+1", "@x", "+y", "-z",
             "'quoted", "100%;more=1", "ü, ☃"]

    def test_labels_come_back_unchanged(self):
        for name in self.NAMES:
            self.run_bench("latt", "--out", self.out, f"--label={name}", "--duration", "10ms", "--quiet")
        labels = [Bundle(folder).run["label"] for folder in self.bundles()]
        self.assertEqual(sorted(labels), sorted(self.NAMES))

    def test_a_load_with_odd_text_comes_back_from_csv_and_json(self):
        for number, name in enumerate(self.NAMES):
            self.out = self.folder / str(number)
            load = "exec sleep 100 #" + name.replace("\n", "\n#")
            self.run_bench("latt", "--out", self.out, "--load", load, "--duration", "30ms", "--quiet")
            bundle = self.bundle()
            variants = {row["variant"] for row in bundle.rows}
            self.assertEqual(len(variants), 1)
            pairs = dict(pair.split("=", 1) for pair in variants.pop().split(";"))
            self.assertEqual(pairs["load"].replace("%3B", ";").replace("%25", "%"), load)
            self.assertEqual(bundle.run["cells"][0]["load"]["load"], load)
        self.assert_nothing_left()

    def test_numbers_are_never_quoted(self):
        self.sweep("--clients", "1", *QUICK)
        for line in (self.bundle().folder / "summary.csv").read_text().splitlines()[1:]:
            self.assertNotIn('"', line)

    def test_a_scheduler_name_that_looks_like_a_formula_is_neutralised(self):
        self.sweep("--clients", "1", "--scheduler", "=cmd|' /C calc'!A0", *QUICK)
        text = (self.bundle().folder / "summary.csv").read_text()
        fields = list(csv.reader(io.StringIO(text)))[1]
        self.assertEqual(fields[2], "'=cmd|' /C calc'!A0")


class TextOnceTest(BenchTest):
    def test_the_header_line_occurs_once_however_many_clients(self):
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            self.sweep("--clients", "25", *QUICK, stdout=out, stderr=err)
            out.seek(0)
            err.seek(0)
            lines = out.read().splitlines()
            self.assertEqual(sum("clients" in line for line in lines), 1, lines)
            self.assertEqual(sum(line.startswith("[1/1]") for line in err.read().splitlines()), 1)

    def test_a_terminal_gets_as_many_lines_as_a_file(self):
        plain = self.sweep("--clients", "5", *QUICK).stdout
        command = " ".join([BENCH, "latt", "--out", str(self.out), "--min-wait", "1ms", "--max-wait", "3ms",
                            "--clients", "5", *QUICK])
        shown = subprocess.run(["script", "-qec", command, "/dev/null"], env=dict(self.environment, TERM="xterm"),
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=True)
        self.assertEqual(shown.stdout.count(b"\n"), plain.count("\n"), shown.stdout)

    def test_a_pipe_gets_the_whole_text(self):
        done = self.sweep("--clients", "3", *QUICK)
        self.assertTrue(done.stdout.endswith("\n"))
        self.assertIn("results in", done.stdout)

    def test_quiet_says_nothing_on_the_way(self):
        done = self.sweep("--clients", "1,2", "--quiet", *QUICK)
        self.assertEqual(done.stderr, "")


class NoSamplesTest(BenchTest):
    def test_a_cell_without_a_single_wakeup_has_empty_figures_and_no_nan(self):
        done = self.run_bench("latt", "--out", self.out, "--clients", "2", "--duration", "20ms", "--min-wait", "10s",
                              "--max-wait", "10s", "--json")
        bundle = self.bundle()
        row = bundle.metric("wakeup")[0]
        for column in ("mean", "stdev", "min", "p50", "p99", "max"):
            self.assertEqual(row[column], "")
        json.loads(done.stdout, parse_constant=lambda name: 1 / 0)
        for name in ("summary.csv", "run.json"):
            text = (bundle.folder / name).read_text().lower()
            for bad in ("nan,", ":nan", "inf,", "92233720368547", "18446744073709"):
                self.assertNotIn(bad, text)

    def test_one_sample_has_no_deviation(self):
        self.run_bench("latt", "--out", self.out, "--clients", "1", "--duration", "60ms", "--min-wait", "50ms",
                       "--max-wait", "50ms")
        row = self.bundle().metric("wakeup")[0]
        if row["count"] == "1":
            self.assertEqual(row["stdev"], "")
        self.assertEqual(self.bundle().metric("rounds")[0]["stdev"], "", "a single figure has no deviation")


if __name__ == "__main__":
    unittest.main()
