"""Through a link named latt the command is latt 0.1."""

from harness import *

NUMBER = r" *\d+ usec"
BLOCK = (r"{title} averages\n-------------------------------------\n"
         r"\tMax\t\t[ \d]{{8}} usec\n\tAvg\t\t[ \d]{{8}} usec\n\tStdev\t\t[ \d]{{8}} usec\n\tStdev mean\t[ \d]{{8}} usec\n")


class ClassicTest(BenchTest):
    def setUp(self):
        super().setUp()
        self.latt = self.folder / "latt"
        self.latt.symlink_to(BENCH)

    def classic(self, *arguments, **options):
        return self.run_bench(*arguments, program=self.latt, **options)

    def test_the_output_is_the_classic_one_to_the_byte_of_its_format(self):
        done = self.classic("-c8", "-s5", "-S20", "sleep 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = (r"\nParameters: min_wait=5ms, max_wait=20ms, clients=8\nEntries logged: (\d+)\n\n" +
                    BLOCK.format(title="Wakeup") + r"\n" + BLOCK.format(title="Work"))
        self.assertRegex(done.stdout, "^" + expected + "$")
        entries = int(done.stdout.split("Entries logged: ")[1].split()[0])
        self.assertGreater(entries, 0)
        self.assertEqual(entries % 8, 0)

    def test_without_work_there_is_no_work_block(self):
        done = self.classic("-c", "2", "-s", "5", "-S", "10", "-x0", "sleep 0.5")
        self.assertIn("Wakeup averages", done.stdout)
        self.assertNotIn("Work averages", done.stdout)

    def test_the_commands_exit_status_is_passed_on(self):
        self.assertEqual(self.classic("-s1", "-S2", "sleep 0.1; exit 7").returncode, 7)
        self.assertEqual(self.classic("-s1", "-S2", "sleep 0.1; kill -9 $$").returncode, 137)
        self.assertEqual(self.classic("-s1", "-S2", "true").returncode, 0)

    def test_a_long_command_is_not_cut(self):
        word = "x" * 5000
        self.assertEqual(self.classic("-s1", "-S2", f"test {word} = {word}").returncode, 0)

    def test_more_than_512_clients_are_not_capped(self):
        done = self.classic("-c", "600", "-s1", "-S2", "-x0", "sleep 1")
        self.assertIn("clients=600\n", done.stdout)

    def test_bad_numbers_are_refused(self):
        for arguments in (["-c", "0", "true"], ["-c", "x", "true"], ["-c4x", "true"], ["-s", "-1", "true"],
                          ["-x", "1.5", "true"], ["-s", "50", "-S", "10", "true"], ["-q", "true"]):
            with self.subTest(arguments=arguments):
                done = self.classic(*arguments)
                self.assertEqual(done.returncode, 2, done)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr)

    def test_help_and_no_command(self):
        self.assertIn("-c", self.classic("-h").stdout + self.classic("-h").stderr)
        self.assertNotEqual(self.classic().returncode, 0)

    def test_an_interrupt_leaves_nothing(self):
        process = self.start("-c", "4", "-s1", "-S2", "sleep 1000", program=self.latt)
        self.wait_for(lambda: any(line.startswith("sleep 1000") for line in self.processes().values()), "the command")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assert_nothing_left()

    def test_a_kill_leaves_nothing(self):
        process = self.start("-c", "4", "-s1", "-S2", "sleep 1000", program=self.latt)
        self.wait_for(lambda: any(line.startswith("sleep 1000") for line in self.processes().values()), "the command")
        process.kill()
        process.communicate(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_output_that_can_not_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.classic("-s1", "-S2", "sleep 0.1", stdout=full)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
