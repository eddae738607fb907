"""bench compare: what it says and how it exits."""

import csv
import json
import shutil

from harness import *

QUICK = ["--duration", "100ms", "--work", "0"]


class CompareTest(BenchTest):
    def measure(self, name, *arguments):
        folder = self.folder / name
        done = self.run_bench("latt", "--out", folder, "--min-wait", "0ms", "--max-wait", "1ms", "--quiet",
                              *QUICK, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(folder.iterdir())

    def compare(self, *arguments):
        """A shared machine may starve one cell of half its samples; that is not what is tested here."""
        return self.run_bench("compare", *arguments, "--allow", "sample-counts")

    def scaled(self, bundle, name, factor):
        """A copy whose wake-ups took `factor` times as long."""
        copy = self.folder / name
        shutil.copytree(bundle, copy)
        with open(copy / "summary.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            if row["metric"] == "wakeup":
                for figure in ("mean", "stdev", "min", "p50", "p90", "p95", "p99", "p999", "max"):
                    if row[figure]:
                        row[figure] = str(round(float(row[figure]) * factor))
        with open(copy / "summary.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return copy

    def test_much_worse_is_a_regression_and_the_other_way_round_is_none(self):
        base = self.measure("base", "--clients", "1,2", "--reps", "8")
        worse = self.scaled(base, "worse", 1000)
        done = self.compare(base, worse, "--metric", "wakeup")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        first = done.stdout.splitlines()[0]
        self.assertIn("against", first)
        self.assertIn("wakeup p50 worse by", first)
        better = self.compare(worse, base, "--metric", "wakeup")
        self.assertEqual(better.returncode, 0, better.stdout + better.stderr)
        self.assertIn("wakeup p50 better by", better.stdout)

    def test_json_says_the_same(self):
        base = self.measure("base", "--clients", "1", "--reps", "8")
        worse = self.scaled(base, "worse", 1000)
        done = self.compare(base, worse, "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        study = json.loads(done.stdout)
        self.assertEqual((study["answer"], study["exit"]), ("regression", 1))
        self.assertEqual(study["findings"][0]["verdict"], "regressed")
        self.assertEqual(len(study["findings"][0]["base"]), 8)

    def test_too_few_runs_are_inconclusive_unless_that_passes(self):
        base = self.measure("base", "--clients", "1", "--reps", "3")
        worse = self.scaled(base, "worse", 1000)
        done = self.compare(base, worse)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("needs at least", done.stdout.splitlines()[0])
        self.assertEqual(self.compare(base, worse, "--inconclusive", "pass").returncode, 0)

    def test_missing_cells_forbid_a_comparison_unless_allowed(self):
        base = self.measure("base", "--clients", "1,2", "--reps", "6")
        fewer = self.measure("fewer", "--clients", "1", "--reps", "6")
        done = self.compare(base, fewer)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("2 clients", done.stdout.splitlines()[0])
        allowed = self.compare(base, fewer, "--allow", "missing-cells")
        self.assertNotEqual(allowed.returncode, 4, allowed.stdout)

    def test_a_folder_without_bundles_is_not_comparable(self):
        empty = self.folder / "empty"
        empty.mkdir()
        done = self.run_bench("compare", empty, empty)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("neither a bundle", done.stderr)

    def test_every_cause_is_documented(self):
        done = self.run_bench("compare", ".", ".", "--allow", "everything")
        names = done.stderr.split("is not one of ")[1].split(" (see")[0].split(", ")
        self.assertGreater(len(names), 10)
        manual = (SOURCE / "docs" / "comparison.md").read_text(encoding="utf-8")
        for name in names:
            self.assertIn(f"`{name}`", manual)

    def test_bad_input_is_one_line(self):
        for arguments, words in [
            (["nowhere", "nowhere"], "'nowhere' is not a folder"),
            ([".", ".", "--margin", "3"], "'3' is not a percentage"),
            ([".", ".", "--margin=-3%"], "'-3%' is not a percentage"),
            ([".", ".", "--allow", "everything"], "'everything' is not one of cpu-model,"),
            ([".", ".", "--looks", "20,10"], "'20,10' does not ascend"),
            ([".", ".", "--format", "xml"], "'xml' is not one of text, json"),
        ]:
            done = self.run_bench("compare", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
