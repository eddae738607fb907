"""bench ab: pairs, looks, the bundle, and how it exits. The test it runs answers exactly what it is asked."""

from harness import *

FAKE = str(BUILD / "bench-with-fake")


@unittest.skipUnless(pathlib.Path(FAKE).exists(), "bench-with-fake is not built")
class AbTest(BenchTest):
    def ab(self, *arguments, shared=()):
        return self.run_bench("ab", *arguments, "fake-test", "--out", self.out, "--quiet", "--seed", "1", *shared,
                              program=FAKE)

    def bundle(self):
        return Bundle(self.bundles()[-1])

    def test_the_worse_side_is_a_regression_and_the_bundle_holds_the_pairs(self):
        done = self.ab("--a", "--answer 126", "--b", "--answer 42", "--looks", "6", shared=["--clients", "1,3"])
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn("--answer 42 against --answer 126: answer worse by 66.7 %", done.stdout.splitlines()[0])
        self.assertIn("results in ", done.stdout.splitlines()[-1])
        bundle = self.bundle()
        self.assertEqual(bundle.run["status"], "complete")
        rows = sorted(bundle.rows, key=lambda row: int(row["order"]))
        self.assertEqual(len(rows), 6 * 2 * 2)
        first = set()
        for one, other in zip(rows[::2], rows[1::2]):
            for column in ("pair", "clients", "seed"):
                self.assertEqual(one[column], other[column])
            self.assertEqual({one["variant"], other["variant"]}, {"answer=126", ""})
            first.add(one["variant"])
        self.assertEqual(first, {"answer=126", ""})
        self.assertEqual({row["pair"] for row in rows}, set("123456"))
        plan = bundle.run["plan"]
        for row in rows:
            side = plan["sides"][int(row["order"]) - 1]
            self.assertEqual(row["variant"], "answer=126" if side == "a" else "")
        self.assert_nothing_left()
        again = self.run_bench("compare", bundle.folder, "--by", "side")
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertIn("answer worse by 66.7 %", again.stdout)

    def test_the_better_side_passes_and_shared_options_reach_both(self):
        done = self.ab("--a", "--answer 5", "--b", "--answer 6", "--looks", "6", shared=["--nice", "3"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("answer better by 20 %", done.stdout)
        self.assertEqual({row["variant"] for row in self.bundle().rows}, {"answer=5;nice=3", "answer=6;nice=3"})

    def test_it_stops_at_the_first_look_that_settles_everything(self):
        done = self.ab("--a", "--answer 126", "--b", "", "--looks", "8,20")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("stopped after 8 pairs; looks were planned at 8, 20", done.stdout)
        bundle = self.bundle()
        self.assertEqual((len(bundle.run["cells"]), bundle.run["status"]), (16, "complete"))

    def test_it_goes_on_to_the_last_look_while_undecided(self):
        done = self.ab("--a", "--noise 49", "--b", "--noise 50", "--looks", "6,9", "--margin", "0%")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("stopped after 9 pairs", done.stdout)
        self.assertEqual(len(self.bundle().run["cells"]), 18)

    def test_aa_reports_alarms_and_what_could_be_found(self):
        done = self.ab("--aa", "--a", "--noise 2", "--looks", "10")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for words in ("A again against A: answer unchanged", "false alarms: 0 of 2 figures",
                      "smallest change found in 4 of 5 such comparisons"):
            self.assertIn(words, done.stdout)

    def test_a_side_that_breaks_is_not_comparable(self):
        done = self.ab("--a", "--answer 7", "--b", "--answer 0", "--looks", "6")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("nothing to answer", done.stdout)

    def test_its_answer_has_the_formats_of_compare(self):
        done = self.ab("--a", "--answer 126", "--b", "", "--looks", "6", "--format", "ktap")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("KTAP version 1\n1..1\n"))
        self.assertNotIn("results in", done.stdout)

    def test_a_signal_stops_it_and_keeps_what_was_measured(self):
        process = self.start("ab", "--a", "", "--b", "--answer 7", "--looks", "1000", "fake-test", "--out", self.out,
                             program=FAKE)
        self.wait_for(lambda: self.finished_cells() >= 2, "two cells")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, out)
        self.assertIn("stopped by SIGINT", out)
        self.assertEqual(self.bundle().run["status"], "incomplete")
        self.assert_nothing_left()

    def test_bad_input_is_one_line(self):
        for arguments, words in [
            (["--a", "--answer 1"], "--b: it is missing"),
            ([], "--a: it is missing"),
            (["--aa", "--b", ""], "--aa: it compares A with itself"),
            (["--aa", "--format", "json"], "--aa: what it reports has no format but text"),
            (["--a", "--answer x", "--b", ""], "--a: --answer: 'x' is not"),
            (["--a", "", "--b", "--polici idle"], "--b: '--polici' is not an option of a cell of fake-test"),
            (["--a", "", "--b", "--clients 3"], "--b: '--clients' is not an option of a cell"),
            (["--a", "--load 'make", "--b", ""], "leaves a quote open"),
            (["--a", "", "--b", "", "--nice", "4"], "'--nice' is not an option or argument of it"),
            (["--a", "", "--b", "", "--looks", "20,10"], "'20,10' does not ascend"),
            (["--a", "", "--b", "", "--margin", "3"], "'3' is not a percentage"),
        ]:
            done = self.ab(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)
        done = self.run_bench("ab", "--aa", "nosuch")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("it wants one of these behind it: latt, massive-intr", done.stderr)
        done = self.ab("--a", "--nice 3", "--b", "", shared=["--nice", "4"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--a: --nice: given more than once", done.stderr)
        self.assertEqual(self.bundles(), [])


if __name__ == "__main__":
    unittest.main()
