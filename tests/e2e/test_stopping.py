"""Ctrl-C, TERM, kill -9, dying clients: nothing is left, nothing measured is lost."""

import json
import random

from harness import *


class SignalTest(BenchTest):
    def run_until_rows(self, *extra):
        """Starts a sweep inside a shell, with a sibling in the same process group, and waits for two finished cells."""
        script = ('sleep 1000 & echo sibling $!; "$@" > table.txt & bench=$!; echo bench $bench; wait $bench; echo status $?; '
                  'echo alive')
        process = self.start("-c", script, "shell", BENCH, "latt", "--out", self.out, "--min-wait", "1ms",
                             "--max-wait", "2ms", "--work", "0", "--clients", "1..25", "--duration", "200ms", "--load",
                             "sleep 1000", "--quiet", *extra, program="bash", start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        sibling = int(process.stdout.readline().split()[1])
        bench = int(process.stdout.readline().split()[1])
        self.wait_for(lambda: self.finished_cells() >= 2, "two finished cells")
        return process, sibling, bench

    def stop_and_check(self, send, status):
        process, sibling, bench = self.run_until_rows()
        self.wait_for(lambda: clients_of(bench), "clients at work")
        begin = time.monotonic()
        send(bench)
        lines = [process.stdout.readline().strip(), process.stdout.readline().strip()]
        took = time.monotonic() - begin
        self.assertEqual(lines, [f"status {status}", "alive"])
        self.assertLess(took, 30, "an interrupt must not wait for the sweep to end")
        self.assertIn("incomplete: stopped by SIG", (self.folder / "table.txt").read_text())
        self.assertTrue(pathlib.Path("/proc", str(sibling)).exists(), "a sibling was killed")
        os.kill(sibling, signal.SIGKILL)
        process.wait(PATIENCE)
        self.assert_nothing_left()
        bundle = self.bundle()
        self.assertEqual(bundle.run["status"], "incomplete")
        cells = bundle.run["cells"]
        self.assertGreaterEqual(len(cells), 2)
        self.assertLess(len(cells), 25)
        self.assertEqual({int(row["order"]) for row in bundle.rows}, {cell["cell"] for cell in cells})
        self.assert_ran(bundle)

    def test_an_interrupt_keeps_the_finished_rows(self):
        self.stop_and_check(lambda pid: os.kill(pid, signal.SIGINT), 130)

    def test_a_termination_keeps_the_finished_rows(self):
        self.stop_and_check(lambda pid: os.kill(pid, signal.SIGTERM), 143)

    def test_a_second_interrupt_changes_nothing(self):
        def twice(pid):
            os.kill(pid, signal.SIGINT)
            time.sleep(0.05)
            try:
                os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                pass
        self.stop_and_check(twice, 130)

    def test_an_interrupted_json_run_prints_json_or_nothing(self):
        process = self.start("latt", "--out", self.out, "--min-wait", "1ms", "--max-wait", "2ms", "--work", "0",
                             "--clients", "1..25", "--duration", "200ms", "--quiet", "--json")
        self.wait_for(lambda: self.finished_cells() >= 1, "a finished cell")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        summary = json.loads(out)
        self.assertEqual(summary["status"], "incomplete")
        self.assertGreaterEqual(len(summary["rows"]), 1)
        self.assert_nothing_left()


class KillTest(BenchTest):
    def test_nothing_outlives_a_killed_parent(self):
        """Twenty times, at a random moment, with loads that try to get away."""
        seed = random.randrange(1 << 32)
        moments = random.Random(seed)
        before = self.shared_memory()
        for attempt in range(20):
            with self.subTest(seed=seed, attempt=attempt):
                load = ("(setsid sleep 1000 &) ; nohup sleep 1000 & trap '' TERM HUP INT; sleep 1000",
                        "compile:1")[attempt % 2]
                process = self.start("latt", "--out", self.out, "--clients", "3", "--duration", "1h", "--min-wait",
                                     "1ms", "--max-wait", "2ms", "--load", load, "--quiet",
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if attempt > 1:
                    time.sleep(moments.uniform(0, 0.6))
                else:
                    self.wait_for(lambda process=process: clients_of(process.pid), "clients")
                process.kill()
                process.wait()
                self.assert_nothing_left()
        self.assertEqual(self.shared_memory(), before)

    def test_nothing_outlives_a_killed_cell_and_its_row_is_failed(self):
        process = self.start("latt", "--out", self.out, "--clients", "3", "--duration", "1h", "--load", "sleep 1000",
                             "--quiet")
        client = self.wait_for(lambda: clients_of(process.pid), "clients")[0]
        cell = int(pathlib.Path("/proc", str(client), "stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill(cell, signal.SIGKILL)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 6, out)
        row = self.bundle().metric("wakeup")[0]
        self.assertEqual(row["status"], "failed")
        self.assertEqual(row["mean"], "")
        self.assertEqual(row["clients"], "3")
        self.assertIn("SIGKILL", self.bundle().run["cells"][0]["reason"])
        self.assert_nothing_left()

    def test_a_killed_guardian_fails_its_cell_at_once(self):
        process = self.start("latt", "--out", self.out, "--clients", "1", "--duration", "1h", "--quiet")
        client = self.wait_for(lambda: clients_of(process.pid), "clients")[0]

        def parent(pid):
            return int(pathlib.Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[1])

        os.kill(parent(parent(client)), signal.SIGKILL)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 6, out)
        self.assertEqual(self.bundle().run["cells"][0]["status"], "failed")
        self.assertIn("watches over", self.bundle().run["cells"][0]["reason"])
        self.assert_nothing_left()

    @staticmethod
    def shared_memory():
        return (sorted(os.listdir("/dev/shm")), pathlib.Path("/proc/sysvipc/shm").read_text().count("\n"),
                pathlib.Path("/proc/sysvipc/sem").read_text().count("\n"))


class DyingClientTest(BenchTest):
    def test_a_killed_client_fails_its_row_and_the_run_ends_by_itself(self):
        for wake in ("pipe", "eventfd", "futex"):
            with self.subTest(wake=wake):
                process = self.start("latt", "--out", self.out / wake, "--clients", "10", "--duration", "1h",
                                     "--min-wait", "1ms", "--max-wait", "5ms", "--wake", wake, "--quiet")
                clients = self.wait_for(lambda process=process: len(clients_of(process.pid)) == 10 and
                                        clients_of(process.pid), "ten clients")
                os.kill(clients[3], signal.SIGSEGV)
                out, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 6, (out, err))
                bundle = Bundle(next((self.out / wake).iterdir()))
                reason = bundle.run["cells"][0]["reason"]
                self.assertRegex(reason, r"client \d+ \(pid %d\)" % clients[3])
                self.assertIn("SIGSEGV", reason)
                self.assertEqual({row["status"] for row in bundle.rows}, {"failed"})
                self.assertEqual({row["mean"] for row in bundle.rows}, {""})
                self.assertIn("SIGSEGV", out)
                self.assert_nothing_left()

    def test_a_client_holds_its_own_two_pipe_ends_and_nothing_of_its_siblings(self):
        process = self.start("latt", "--out", self.out, "--clients", "25", "--duration", "1h", "--quiet")
        clients = self.wait_for(lambda: len(clients_of(process.pid)) == 25 and clients_of(process.pid), "clients")
        pipes = []
        for client in clients:
            links = {fd: os.readlink(f"/proc/{client}/fd/{fd}") for fd in os.listdir(f"/proc/{client}/fd")}
            own = sorted(link for fd, link in links.items() if int(fd) > 2)
            self.assertEqual(len(own), 2, links)
            pipes += own
        self.assertEqual(len(set(pipes)), 50, "two clients share a pipe")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_a_client_stopped_for_a_while_does_not_raise_later_latencies(self):
        process = self.start("latt", "--out", self.out, "--clients", "2", "--duration", "3s", "--min-wait", "5ms",
                             "--max-wait", "5ms", "--work", "0", "--quiet")
        client = self.wait_for(lambda: len(clients_of(process.pid)) == 2 and clients_of(process.pid), "clients")[0]
        time.sleep(0.3)
        os.kill(client, signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(client, signal.SIGCONT)
        process.communicate(timeout=PATIENCE)
        values = [int(sample["value"]) for sample in self.bundle().samples_of("wakeup")]
        worst = max(range(len(values)), key=values.__getitem__)
        self.assertGreater(values[worst], 100_000_000, "the stop is seen")
        later = sorted(values[worst + 2:])
        self.assertGreater(len(later), 20)
        self.assertLess(later[len(later) // 2], values[worst] // 10)


class TimerSlackTest(BenchTest):
    def test_every_process_says_its_timer_slack(self):
        seen = self.folder / "seen"
        process = self.start("latt", "--out", self.out, "--clients", "3", "--duration", "1h", "--quiet", "--load",
                             f"while ! test -e {seen}; do sleep 0.05; done")
        clients = self.wait_for(lambda: len(clients_of(process.pid)) == 3 and clients_of(process.pid), "clients")
        slack = {int(pathlib.Path("/proc", str(client), "timerslack_ns").read_text()) for client in clients}
        seen.touch()
        process.communicate(timeout=PATIENCE)
        workers = self.bundle().run["cells"][0]["workers"]
        self.assertEqual({group["timer_slack_ns"] for group in workers}, slack)
        self.assertEqual(sum(group["count"] for group in workers), 3)


if __name__ == "__main__":
    unittest.main()
