"""Loads: commands as they were written, early ends, failures, what they leave, where they run."""

from harness import *

QUICK = ["--clients", "1", "--duration", "300ms", "--work", "0", "--quiet"]


class CommandLoadTest(BenchTest):
    def test_quotes_and_blanks_survive(self):
        self.environment["D"] = str(self.folder)
        self.sweep("--load", 'sh -c "echo \\"a  b\\" > \\"$D/x y\\""; sleep 100', *QUICK)
        self.assertEqual((self.folder / "x y").read_text(), "a  b\n")

    def test_a_program_that_is_not_there_is_known_before_timing(self):
        done = self.sweep("--load", "/no/such", *QUICK)
        self.assertEqual(done.returncode, 5, done.stdout)
        cell = self.bundle().run["cells"][0]
        self.assertEqual(cell["status"], "not-run")
        self.assertIn("/no/such", cell["reason"])
        self.assert_nothing_left()

    def test_an_early_end_marks_the_row_and_ends_the_cell(self):
        self.sweep("--load", "true", "--clients", "1", "--duration", "1h", "--quiet")
        row = self.bundle().metric("wakeup")[0]
        self.assertEqual(row["status"], "tainted")
        self.assertRegex(self.bundle().run["cells"][0]["taints"][0], r"load ended .*t=")

    def test_a_failing_load_keeps_its_words(self):
        done = self.sweep("--load", "echo no such target >&2; exit 2", "--clients", "1,2,3", "--duration", "1h", "--quiet")
        self.assertIn("the load's last words: no such target  (3 cells)", done.stdout)
        self.assertEqual(done.stdout.count("load failed"), 1, "cells that differ in their figures are one remark")
        cell = self.bundle().run["cells"][0]
        self.assertEqual(cell["status"], "tainted")
        self.assertIn("exit status 2", cell["taints"][0])
        self.assertIn("no such target", cell["load"]["output_tail"])

    def test_standard_input_is_not_read(self):
        script = ('printf "1\\n2\\n3\\n" | while read i; do echo round $i; "$@" > /dev/null; done')
        done = self.run_bench("-c", script, "sh", BENCH, "latt", "--out", self.out, "--load", "cat; sleep 100",
                              "--clients", "1", "--duration", "30ms", "--quiet", program="sh")
        self.assertEqual(done.stdout.split(), ["round", "1", "round", "2", "round", "3"])

    def test_the_load_stays_in_the_session_in_a_group_of_its_own_unless_told_otherwise(self):
        for choice in ("run", "own"):
            with self.subTest(session=choice):
                process = self.start("latt", "--out", self.out, "--clients", "1", "--duration", "1h", "--load",
                                     "exec sleep 1000", "--load-session", choice, "--quiet")
                pid = self.wait_for(lambda: [pid for pid, line in self.processes().items()
                                             if line.startswith("sleep 1000")], "the load")[0]
                self.assertEqual(os.getsid(pid) == os.getsid(process.pid), choice == "run")
                self.assertNotEqual(os.getpgid(pid), os.getpgid(process.pid))
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=PATIENCE)
                self.assert_nothing_left()

    def test_a_load_that_prints_for_ever_neither_fills_the_disk_nor_stops_the_cell(self):
        process = self.start("latt", "--out", self.out, "--clients", "1", "--duration", "1h", "--load",
                             "seq 3000000; exec yes", "--quiet")
        self.wait_for(lambda: any(line.startswith("yes") for line in self.processes().values()), "23 MB printed")
        outputs = list(self.temporary.glob("bench-load*/output-*"))
        self.assertEqual(len(outputs), 1)
        self.assertLess(outputs[0].stat().st_size, 2 << 20)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_copies_run_at_once(self):
        process = self.start("latt", "--out", self.out, "--clients", "1", "--duration", "1h", "--load",
                             "exec sleep 1000", "--load-count", "3", "--quiet")
        self.wait_for(lambda: sum(line.startswith("sleep 1000") for line in self.processes().values()) == 3, "3 copies")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_a_load_that_detaches_itself_is_gone_with_the_cell(self):
        self.sweep("--load", "setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000", *QUICK)
        self.assert_ran(self.bundle())
        self.assert_nothing_left()


class BuiltInLoadTest(BenchTest):
    def test_spin_pipe_and_compile_run_beside_the_clients(self):
        for load in ("spin", "spin:3", "pipe", "pipe:2", "compile", "compile:2"):
            with self.subTest(load=load):
                self.out = self.folder / load.replace(":", "-")
                self.sweep("--load", load, "--clients", "1", "--duration", "700ms", "--work", "0", "--quiet")
                bundle = self.bundle()
                self.assert_ran(bundle)
                self.assertEqual(bundle.metric("wakeup")[0]["variant"].split(";")[0], f"load={load}")
                self.assert_nothing_left()

    def test_compile_really_compiles(self):
        process = self.start("latt", "--out", self.out, "--clients", "1", "--duration", "1h", "--load", "compile:1",
                             "--quiet")
        self.wait_for(lambda: any("cc1" in line for line in self.processes().values()), "a compiler at work")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_compile_without_a_compiler_is_a_row_with_the_cure(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.environment["PATH"] = str(empty)
        done = self.sweep("--load", "compile", *QUICK)
        self.assertEqual(done.returncode, 5)
        self.assertIn("apt-get install", self.bundle().run["cells"][0]["reason"])


@unittest.skipUnless(subprocess.run(["sh", "-c", "command -v ffmpeg"], capture_output=True).returncode == 0,
                     "ffmpeg is not installed")
class VideoLoadTest(BenchTest):
    def test_frames_of_two_copies_of_a_film_are_counted(self):
        clips = self.folder / "clips"
        subprocess.run([SOURCE / "scripts" / "make-clips", "--seconds", "4", clips], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(sorted(path.name for path in clips.iterdir()), ["clip-480p.mp4", "clip-720p.mp4"])
        done = self.sweep("--load", f"video:{clips}/clip-480p.mp4", "--load-count", "2", "--clients", "1", "--duration",
                          "2s", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        bundle = self.bundle()
        played = bundle.metric("frames_played")
        dropped = bundle.metric("frames_dropped")
        self.assertEqual((len(played), len(dropped)), (1, 1))
        self.assertEqual(played[0]["count"], "2")
        self.assertGreater(float(played[0]["mean"]), 0)
        # 25 frames a second in real time: never much more than the film can have shown in the cell.
        self.assertLess(float(played[0]["max"]), 100)
        self.assertNotEqual(dropped[0]["mean"], "")
        self.assert_nothing_left()

    def test_a_film_that_is_none_is_told(self):
        text = self.folder / "film.mp4"
        text.write_text("this is no film")
        done = self.sweep("--load", f"video:{text}", *QUICK)
        cell = self.bundle().run["cells"][0]
        self.assertIn(cell["status"], ("not-run", "tainted"))
        self.assertIn("film.mp4", str(cell))
        missing = self.sweep("--load", "video:/no/film.mp4", *QUICK)
        self.assertEqual(missing.returncode, 5)
        self.assertIn(done.returncode, (0, 5))


if __name__ == "__main__":
    unittest.main()
