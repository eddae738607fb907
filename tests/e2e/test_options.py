"""What is refused, how, and that nothing has happened by then."""

from harness import *


class RefusalTest(BenchTest):
    def assert_refused(self, arguments, *named):
        done = self.run_bench(*arguments)
        self.assertEqual(done.returncode, 2, (arguments, done.stderr))
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in named:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.folder / "results").exists(), "a refused command left files")
        self.assertEqual(self.processes(), {})

    def test_client_counts_are_read_strictly(self):
        for value in ("0", "-1", "4x", "=4", "", "5..1", "1..", "99999999999", "1,,2", "auto2", "1.5"):
            with self.subTest(value=value):
                self.assert_refused(["latt", "-c", value, "-t", "10ms"], "--clients", f"'{value}")
                self.assert_refused(["latt", f"--clients={value}", "-t", "10ms"], "--clients")

    def test_durations_are_read_strictly(self):
        for value in ("-1", "nan", "1e3x", "10", "0", "-1s", "1,5s", ""):
            with self.subTest(value=value):
                self.assert_refused(["latt", "-t", value], "--duration", f"'{value}'")

    def test_a_duration_that_sums_would_overflow_with(self):
        self.assert_refused(["latt", "-t", "1000000h"], "--duration", "'1000000h'", "out of range")

    def test_a_plan_too_large_to_hold(self):
        self.assert_refused(["latt", "-c", "1..1000", "--reps", "1000000"], "--reps", "1000000 cells")

    def test_a_bare_number_is_told_its_units(self):
        self.assert_refused(["latt", "--min-wait", "10"], "--min-wait", "'10'", "ms")
        self.assert_refused(["latt", "--work", "64"], "--work", "'64'", "KiB")

    def test_an_empty_value_does_not_swallow_the_next_word(self):
        for words in (["--label=", "--out=z"], ["--sysctl=", "--out=z"], ["--policy=", "-c", "2"], ["--scheduler="]):
            with self.subTest(words=words):
                self.assert_refused(["latt", *words], words[0], "empty")
        self.assert_refused(["latt", "--scheduler", ""], "--scheduler", "''")
        self.assert_refused(["import", "latt", "--kernel=", "--scheduler=CFS", "x"], "--kernel=", "empty")

    def test_an_option_of_no_command(self):
        self.assert_refused(["--foo"], "--foo")
        self.assert_refused(["-c", "3"], "-c")

    def test_an_option_without_its_value(self):
        self.assert_refused(["latt", "-c"], "--clients")
        self.assert_refused(["latt", "--duration"], "--duration")

    def test_what_can_not_hold_together(self):
        self.assert_refused(["latt", "--min-wait", "5ms", "--max-wait", "1ms"], "--min-wait", "--max-wait")
        self.assert_refused(["latt", "--max-wait", "1ms", "--min-wait", "5ms"], "--min-wait", "--max-wait")

    def test_words_outside_a_vocabulary(self):
        self.assert_refused(["latt", "--wake", "signal"], "--wake", "'signal'", "pipe, futex, eventfd")
        self.assert_refused(["latt", "--order", "backwards"], "--order", "random, sequential")
        self.assert_refused(["latt", "--cpus", "0-"], "--cpus", "'0-'")
        self.assert_refused(["latt", "--cpus", ""], "--cpus")
        self.assert_refused(["latt", "--load", "spin:0"], "--load", "spin:0")
        self.assert_refused(["latt", "--load", ""], "--load")
        self.assert_refused(["latt", "--reps", "0"], "--reps", "'0'")
        self.assert_refused(["latt", "--seed", "-3"], "--seed", "'-3'")

    def test_unknown_options_commands_and_words(self):
        self.assert_refused(["latt", "--nice-try"], "--nice-try")
        self.assert_refused(["latt", "stray"], "stray")
        self.assert_refused(["lat"], "'lat'", "latt")
        self.assert_refused(["exec", "nothing"], "'nothing'", "latt")

    def test_an_option_given_twice_is_refused_unless_it_is_an_axis(self):
        self.assert_refused(["latt", "--duration", "1s", "--duration", "2s"], "--duration: given more than once")

    def test_a_value_given_twice_makes_no_cells_that_nothing_tells_apart(self):
        self.assert_refused(["latt", "--load", "spin:1", "--load", "spin:1"], "--load", "'spin:1' is given twice")
        self.assert_refused(["latt", "--cpus", "0,1", "--cpus", "0-1"], "--cpus", "'0-1'")

    def test_options_of_a_load_that_is_not_there(self):
        self.assert_refused(["latt", "--load-count", "5"], "--load-count", "no load")
        self.assert_refused(["latt", "--load", "none", "--load-session", "own"], "--load-session", "no load")
        self.assert_refused(["exec", "latt", "--load-count", "5"], "--load-count", "no load")

    def test_the_first_of_several_unknown_words_is_named(self):
        self.assert_refused(["latt", "--first", "--second"], "'--first'")

    def test_exec_refuses_in_the_same_way(self):
        self.assert_refused(["exec", "latt", "--out", "x", "--bundle", "y"], "--out", "--bundle")
        self.assert_refused(["exec", "latt", "--clients", "1..2"], "--clients", "'1..2'")
        self.assert_refused(["exec", "latt", "--seed", "x"], "--seed", "'x'")

    def test_no_command_shows_the_help_and_is_a_usage_error(self):
        done = self.run_bench()
        self.assertEqual(done.returncode, 2)
        self.assertIn("latt", done.stderr)

    def test_help_names_every_command_and_option_with_its_unit(self):
        done = self.run_bench("latt", "--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--clients", "--duration", "--load", "--load-count", "--load-session", "--cpus",
                       "--reps", "--warmup", "--order", "--seed", "--out", "--label", "--strict", "--quiet",
                       "--json", "--scheduler", "--threads", "--wake", "--min-wait", "--max-wait", "--work"):
            self.assertIn(option, done.stdout)
        self.assertIn("DURATION", done.stdout)
        top = self.run_bench("--help").stdout
        for command in ("latt", "exec", "compare", "list", "version"):
            self.assertIn(command, top)


class SmallCommandsTest(BenchTest):
    def test_the_version_is_an_option_too(self):
        self.assertEqual(self.run_bench("--version").stdout, self.run_bench("version").stdout)

    def test_version_tells_revision_and_compiler(self):
        done = self.run_bench("version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^bench \d+\.\d+\.\d+ \(revision \S+, .+\)\n$")

    def test_list_names_metrics_units_and_directions(self):
        import json
        text = self.run_bench("list").stdout
        self.assertRegex(text, r"(?m)^latt ")
        self.assertRegex(text, r"(?m)^ +wakeup +ns +lower ")
        tests = json.loads(self.run_bench("list", "--json").stdout)
        self.assertIn("latt", [test["name"] for test in tests])

    def test_exec_by_hand_makes_a_new_bundle_in_the_folder_asked_for(self):
        self.out = self.folder / "elsewhere"
        cell = ["exec", "latt", "-t", "30ms", "--min-wait", "1ms", "--max-wait", "2ms"]
        shown = [self.run_bench(*cell, *arguments).stdout.strip() for arguments in
                 (["-o", self.out], ["--out", self.out], [])]
        self.assertEqual(sorted(map(str, self.bundles())), sorted(shown[:2]))
        self.assertEqual(pathlib.Path(shown[2]).parent, pathlib.Path("results"))
        self.assertTrue((self.folder / shown[2] / "run.json").exists())

    def test_exec_runs_one_cell_into_a_bundle(self):
        target = self.folder / "cell"
        done = self.run_bench("exec", "latt", "-c", "2", "-t", "50ms", "--min-wait", "1ms", "--max-wait", "2ms",
                              "--seed", "5", "--bundle", target)
        self.assertEqual(done.returncode, 0, done.stderr)
        bundle = Bundle(target)
        self.assertEqual(bundle.run["status"], "complete")
        self.assertEqual({row["clients"] for row in bundle.rows}, {"2"})
        self.assertEqual({row["seed"] for row in bundle.rows}, {"5"})
        again = self.run_bench("exec", "latt", "--bundle", target)
        self.assertEqual(again.returncode, 5)
        self.assertIn("exists", again.stderr.lower())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
