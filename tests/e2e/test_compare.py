"""bench compare: what it says and how it exits."""

import csv
import json
import shutil
import xml.etree.ElementTree

from harness import *

FAKE = str(pathlib.Path(BENCH).parent / "bench-with-fake")
QUICK = ["--duration", "100ms", "--work", "0"]


class CompareTest(BenchTest):
    def measure(self, name, *arguments):
        folder = self.folder / name
        done = self.run_bench("latt", "--out", folder, "--min-wait", "0ms", "--max-wait", "1ms", "--quiet",
                              *QUICK, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(folder.iterdir())

    def made_up(self, name, answers, reps=8, label=None):
        """A bundle whose figures are exact: the smallest test answers its option times its clients."""
        folder = self.folder / name
        arguments = [word for answer in answers for word in ("--answer", answer)]
        done = self.run_bench("fake-test", "--out", folder, "--quiet", "--reps", reps, "--label", label or name,
                              *arguments, program=FAKE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(folder.iterdir())

    def pair_of_answers(self, label=None):
        """126 against 42: better is higher, so the second is a regression."""
        return self.made_up("high", [126], label=label), self.made_up("low", [42], label=label)

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

    def test_a_metric_that_nobody_measured_is_a_slip_of_the_pen(self):
        base, new = self.pair_of_answers()
        done = self.compare(base, new, "--metric", "wakeupp")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("--metric", done.stderr)
        self.assertIn("'wakeupp' is not among", done.stderr)

    def test_other_loops_a_millisecond_are_other_work(self):
        base = self.folder / "base"
        done = self.run_bench("massive-intr", "-c", "1", "-t", "50ms", "--reps", "6", "--loops-per-ms", "100000",
                              "--out", base)
        self.assertEqual(done.returncode, 0, done.stderr)
        new = self.folder / "new"
        shutil.copytree(base, new)
        for run in new.glob("*/run.json"):
            run.write_text(run.read_text().replace('"loops_per_ms": 100000', '"loops_per_ms": 80000'))
        done = self.compare(base, new, "--format", "json")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("calibration", [obstacle["id"] for obstacle in json.loads(done.stdout)["not_comparable"]])

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
            ([".", ".", "--format", "xml"], "'xml' is not one of text, json, csv, markdown, junit, ktap, gbench"),
            ([".", ".", "--format", "json", "--explain"], "--explain: it goes with '--format text'"),
            (["."], "NEW: it is missing"),
            ([".", ".", "--by", "kernel"], "--by: it compares parts of one place"),
            ([".", "--by", "load"], "'load' is not one of kernel, scheduler, variant, side"),
            ([".", "--by", "kernel=6.1"], "'kernel=6.1' does not name two values"),
        ]:
            done = self.run_bench("compare", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)

    def test_every_format_can_be_read_and_says_the_same(self):
        high, low = self.pair_of_answers(label='a"b,c<&>|#')
        outputs = {}
        for format in ("csv", "markdown", "junit", "ktap", "gbench"):
            done = self.run_bench("compare", high, low, "--format", format)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            outputs[format] = done.stdout
        row = next(csv.DictReader(outputs["csv"].splitlines(), strict=True))
        self.assertEqual((row["metric"], row["verdict"], row["decides"]), ("answer", "regressed", "yes"))
        self.assertEqual((float(row["base"]), float(row["new"])), (126, 42))
        suites = xml.etree.ElementTree.fromstring(outputs["junit"])
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")), ("1", "1", "0"))
        case = suites.find("testsuite/testcase")
        self.assertEqual((case.get("classname"), case.find("failure").get("type")), ("bench.fake-test", "regressed"))
        self.assertIn("answer worse by", case.find("failure").text)
        self.assertIn('a"b,c<&>|#', suites.find("testsuite/system-out").text)
        lines = outputs["ktap"].splitlines()
        self.assertEqual(lines[:2], ["KTAP version 1", "1..1"])
        results = [line for line in lines[2:] if not line.startswith("#")]
        self.assertEqual(len(results), 1, results)
        self.assertRegex(results[0], r"^not ok 1 fake-test answer # answer worse by 66\.7 % ")
        self.assertIn("| all | 126 | 42 | -66.7 % |", outputs["markdown"])
        runs = json.loads(outputs["gbench"])["benchmarks"]
        self.assertEqual(len({run["name"] for run in runs}), 4)
        self.assertEqual([run["value"] for run in runs if run["name"] == "new/fake-test/answer"], [42] * 8)

    def test_google_benchmark_reads_times_of_both_sides(self):
        """What its compare.py asks of an entry before it compares it, and that names match after its filters."""
        base = self.measure("base", "--clients", "1,2", "--reps", "2")
        done = self.run_bench("compare", base, base, "--allow", "sample-counts", "--format", "gbench")
        runs = json.loads(done.stdout)["benchmarks"]
        times = [run for run in runs if "real_time" in run]
        self.assertTrue(times)
        for run in times:
            self.assertEqual((run["time_unit"], run["run_type"], run["iterations"]), ("ns", "iteration", 1))
            self.assertEqual(run["real_time"], run["cpu_time"])
        names = {side: {run["name"].removeprefix(side) for run in times if run["name"].startswith(side)}
                 for side in ("base/", "new/")}
        self.assertEqual(names["base/"], names["new/"])
        self.assertTrue(any(name.endswith("/wakeup_p50/clients:2") for name in names["base/"]), names)

    def test_what_is_not_comparable_is_an_error_for_ci(self):
        short = self.made_up("short", [42], reps=6)
        both = self.made_up("both", [42, 43], reps=6)
        junit = self.run_bench("compare", both, short, "--format", "junit")
        self.assertEqual(junit.returncode, 4, junit.stdout)
        suites = xml.etree.ElementTree.fromstring(junit.stdout)
        self.assertEqual(suites.get("errors"), suites.get("tests"))
        self.assertEqual(suites.find("testsuite/testcase/error").get("type"), "missing-cells")
        ktap = self.run_bench("compare", both, short, "--format", "ktap")
        self.assertIn("\nnot ok 1 ", ktap.stdout)
        self.assertIn(" # ERROR ", ktap.stdout)

    def test_undecided_fails_or_is_skipped_as_asked(self):
        few = self.made_up("few", [126], reps=2), self.made_up("less", [42], reps=2)
        failed = self.run_bench("compare", *few, "--format", "junit")
        self.assertEqual(failed.returncode, 3)
        self.assertEqual(xml.etree.ElementTree.fromstring(failed.stdout).get("failures"), "1")
        passed = self.run_bench("compare", *few, "--format", "junit", "--inconclusive", "pass")
        self.assertEqual(passed.returncode, 0)
        suites = xml.etree.ElementTree.fromstring(passed.stdout)
        self.assertEqual((suites.get("failures"), suites.get("skipped")), ("0", "1"))

    def test_parts_of_one_bundle(self):
        two = self.made_up("two", [126, 43])
        done = self.run_bench("compare", two, "--by", "variant")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("answer=43 against answer=126", done.stdout)
        turned = self.run_bench("compare", two, "--by", "variant=answer=43,answer=126")
        self.assertIn("answer=126 against answer=43: answer better by 193 %", turned.stdout)
        for arguments, words in [
            (["--by", "kernel"], "there is nothing to compare: only '"),
            (["--by", "variant=answer=1,answer=43"], "does not name two of 'answer=126', 'answer=43'"),
        ]:
            done = self.run_bench("compare", two, *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)
        three = self.made_up("three", [126, 43, 44])
        done = self.run_bench("compare", three, "--by", "variant")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are 3: 'answer=126', 'answer=43', 'answer=44'; choose", done.stderr)

    def test_explain_shows_the_numbers(self):
        high, low = self.pair_of_answers()
        done = self.run_bench("compare", high, low, "--explain", "--looks", "4,8")
        self.assertEqual(done.returncode, 1)
        for words in ("How the verdicts came about", "all 2 planned looks", "at most 0.0125",
                      "worse by more than the margin?   p = 7.8e-05: yes", "verdict    answer worse by 66.7 %"):
            self.assertIn(words, done.stdout)

    def test_bisect_step_says_good_bad_or_skip(self):
        high, low = self.pair_of_answers()
        few = self.made_up("few", [42], reps=1)
        for arguments, status in [([low, high], 0), ([high, low], 1), ([high, few], 125),
                                  ([high, self.folder / "no-such-kernel"], 125),
                                  ([self.folder / "no-such-base", low], 128), ([high], 128),
                                  ([high, low, "--margin", "3"], 128)]:
            done = self.run_bench("bisect-step", *arguments)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_git_bisect_finds_the_first_bad_commit(self):
        high, low = self.pair_of_answers()
        repository = self.folder / "repository"
        repository.mkdir()
        git = ["git", "-C", str(repository), "-c", "user.name=t", "-c", "user.email=t@example.org",
               "-c", "init.defaultBranch=main"]

        def run(*words):
            done = subprocess.run([*git, *words], capture_output=True, text=True, timeout=PATIENCE,
                                  env=self.environment, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        run("init", "-q")
        for number in range(8):
            (repository / "bundle").write_text(str(low if number >= 5 else high))
            (repository / "number").write_text(str(number))
            run("add", ".")
            run("commit", "-q", "-m", f"commit {number}")
        run("bisect", "start", "HEAD", "HEAD~7")
        found = run("bisect", "run", "sh", "-c", f'"{BENCH}" bisect-step "{high}" "$(cat bundle)"')
        self.assertIn("is the first bad commit", found)
        self.assertEqual(run("show", "-s", "--format=%s", "refs/bisect/bad").strip(), "commit 5")


if __name__ == "__main__":
    unittest.main()
