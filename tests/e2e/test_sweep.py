"""The main job: a sweep into a bundle that any program can read, in any locale."""

import itertools
import re
import shutil

from harness import *

QUICK = ["--duration", "150ms", "--work", "1KiB"]


class SweepTest(BenchTest):
    def test_each_client_count_has_its_row_and_its_samples(self):
        done = self.sweep("--clients", "1..3", "--load", "spin:1", "--seed", "7", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        bundle = self.bundle()
        rows = bundle.metric("wakeup")
        self.assertEqual(sorted(int(row["clients"]) for row in rows), [1, 2, 3])
        self.assertEqual(bundle.run["status"], "complete")
        self.assertEqual(len(bundle.run["cells"]), 3)
        self.assert_ran(bundle)
        for row in rows:
            self.assertEqual(row["unit"], "ns")
            self.assertEqual(row["better"], "lower")
            self.assertEqual(row["kernel"], os.uname().release)
            self.assertIn("load=spin:1", row["variant"].split(";"))
            self.assertGreater(int(row["count"]), 0)
            self.assertLessEqual(int(row["min"]), int(row["max"]))
            self.assertEqual(int(row["count"]) % int(row["clients"]), 0, "every client answers each round")
        for cell in bundle.run["cells"]:
            count = sum(1 for sample in bundle.samples_of("wakeup") if int(sample["cell"]) == cell["cell"])
            row = next(row for row in rows if int(row["order"]) == cell["order"])
            self.assertEqual(count, int(row["count"]))
        self.assert_nothing_left()

    def test_the_table_shows_every_client_count_and_where_the_results_are(self):
        done = self.sweep("--clients", "1,2", *QUICK)
        self.assertRegex(done.stdout, r"latt on \S+ \(\S+\)")
        self.assertRegex(done.stdout, r"(?m)^ +1 ")
        self.assertRegex(done.stdout, r"(?m)^ +2 ")
        self.assertIn(str(self.bundles()[0]), done.stdout)

    def test_spellings_of_the_client_count_agree(self):
        for spelling in (["-c", "2"], ["--clients=2"], ["--clients", "2"], ["-c2"]):
            done = self.sweep(*spelling, *QUICK)
            self.assertEqual(done.returncode, 0, done.stderr)
        plans = [Bundle(folder).run["plan"]["clients"] for folder in self.bundles()]
        self.assertEqual(plans, [[2]] * 4)

    def test_the_same_seed_gives_the_same_order_and_waits(self):
        for _ in range(2):
            self.sweep("--clients", "1..6", "--seed", "11", "--duration", "20ms", "--work", "0")
        first, second = (Bundle(folder) for folder in self.bundles())
        order = lambda bundle: [(cell["clients"], cell["seed"]) for cell in bundle.run["cells"]]
        self.assertEqual(order(first), order(second))
        self.assertNotEqual(order(first), sorted(order(first)))

    def test_repeated_loads_are_an_axis(self):
        self.sweep("--clients", "1", "--load", "none", "--load", "spin:1", *QUICK)
        variants = sorted(row["variant"] for row in self.bundle().metric("wakeup"))
        self.assertEqual(len(variants), 2)
        self.assertEqual(sorted("load=spin:1" in variant for variant in variants), [False, True])

    def test_an_existing_bundle_is_never_overwritten(self):
        for _ in range(3):
            self.sweep("--clients", "1", "--duration", "10ms")
        self.assertEqual(len(self.bundles()), 3)

    def test_json_prints_the_summary_alone(self):
        import json
        done = self.sweep("--clients", "1,2", "--json", *QUICK)
        summary = json.loads(done.stdout, parse_constant=lambda name: 1 / 0)
        self.assertEqual(summary["status"], "complete")
        self.assertEqual(sorted(cell["clients"] for cell in summary["cells"]), [1, 2])
        self.assertEqual(summary["counts"]["planned"], 2)
        self.assertEqual(len([row for row in summary["rows"] if row["metric"] == "wakeup"]), 2)

    def test_an_environment_is_recorded_as_read(self):
        self.sweep("--clients", "1", *QUICK)
        environment = self.bundle().run["environments"][0]
        self.assertEqual(environment["kernel"]["release"], os.uname().release)
        self.assertEqual(environment["boot_id"], pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        for key in ("hostname", "nodename", "host_name"):
            self.assertNotIn(key, (self.bundle().folder / "run.json").read_text(), "bundles are shared")

    def test_the_zlib_and_the_work_that_ran_are_recorded(self):
        self.sweep("--clients", "1", "--duration", "50ms", "--work", "2KiB")
        cell = self.bundle().run["cells"][0]
        self.assertEqual(cell["latt"]["work_bytes"], 2048)
        self.assertEqual(cell["latt"]["zlib_level"], 7)
        self.assertTrue(cell["latt"]["zlib_version"])
        self.assertEqual(cell["seed"], int(self.bundle().rows[0]["seed"]))

    def test_sub_microsecond_values_stay(self):
        self.sweep("--clients", "1", "--duration", "1s", "--work", "0", "--wake", "futex")
        values = [int(sample["value"]) for sample in self.bundle().samples_of("wakeup")]
        self.assertGreater(len(set(values)), 100)
        self.assertTrue(any(value % 1000 for value in values), "all are whole microseconds")
        self.assertTrue(any(value % 4_000_000 for value in values), "all are multiples of a tick")

    def test_clients_work_in_the_same_window(self):
        self.sweep("--clients", "8", "--duration", "400ms", "--work", "0")
        bundle = self.bundle()
        clients = {}
        for sample in bundle.samples_of("wakeup"):
            clients.setdefault(sample["client"], []).append(int(sample["at_ns"]))
        self.assertEqual(len(clients), 8)
        self.assertEqual(len({len(times) for times in clients.values()}), 1)
        # Against the first round trip of the same run, not against a clock: no client may begin rounds later.
        rounds = sorted(itertools.chain.from_iterable(clients.values()))
        second_round = min(times[1] for times in clients.values())
        self.assertLessEqual(max(times[0] for times in clients.values()), max(second_round, rounds[8]))


class BrokenCellTest(BenchTest):
    def test_a_cell_given_up_has_the_variant_of_one_that_ran(self):
        loads = ["--load", "none", "--load", "spin:1", "--load-count", "2", *QUICK]
        self.sweep(*loads, "--quiet")
        ran = {row["variant"] for row in self.bundle().rows}
        self.out = self.folder / "given-up"
        done = self.sweep(*loads, "--cell-timeout", "1ms", "--quiet")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual({row["status"] for row in self.bundle().rows}, {"failed"})
        self.assertEqual({row["variant"] for row in self.bundle().rows}, ran)


class ReplacedProgramTest(BenchTest):
    def test_every_cell_runs_the_program_the_sweep_began_with(self):
        program = self.folder / "bench"
        shutil.copy(BENCH, program)
        process = self.start("latt", "--out", self.out, "--clients", "1..4", "--quiet", "--min-wait", "1ms",
                             "--max-wait", "3ms", *QUICK, program=str(program))
        self.wait_for(lambda: self.young_bundle() is not None, "the sweep's bundle")
        program.unlink()
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(self.bundle().run["cells"]), 4)
        self.assert_ran(self.bundle())


class GermanLocaleTest(BenchTest):
    def setUp(self):
        super().setUp()
        locales = self.folder / "locales"
        locales.mkdir()
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(locales / "de_DE.UTF-8")],
                       check=True, stdin=subprocess.DEVNULL, capture_output=True)
        self.environment.update(LOCPATH=str(locales), LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")

    def test_the_locale_is_really_there(self):
        done = subprocess.run(["python3", "-c", "import locale; locale.setlocale(locale.LC_ALL, '');"
                               "print(locale.localeconv()['decimal_point'])"],
                              env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), ",")

    def test_numbers_have_a_point_and_no_grouping(self):
        done = self.sweep("--clients", "1..3", "--json", *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        bundle = self.bundle()
        for row in bundle.rows:
            self.assertNotIn(None, row, "one row has more fields than the header")
            self.assertNotIn(None, row.values(), "one row has fewer fields than the header")
            for column in ("count", "mean", "stdev", "min", "p50", "p99", "max"):
                self.assertRegex(row[column], r"^(-?\d+(\.\d+)?(e[+-]?\d+)?)?$")
        table = self.sweep("--clients", "1", *QUICK).stdout
        self.assertIsNone(re.search(r"\d,\d", table.split("results in")[0].split("\n\n", 1)[1]), table)


if __name__ == "__main__":
    unittest.main()
