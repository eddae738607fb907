"""The pieces of docs/ci.md do what they say: they are taken from the page and run."""

import xml.etree.ElementTree

from harness import *

FAKE = BUILD / "bench-with-fake"
PAGE = SOURCE / "docs" / "ci.md"


def block(first_line):
    """The indented block of the page that begins with that line."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    taken = []
    for line in lines:
        if taken or line == "    " + first_line:
            if line and not line.startswith("    "):
                break
            taken.append(line[4:])
    return "\n".join(taken) + "\n"


@unittest.skipUnless(FAKE.exists(), "bench-with-fake is not built")
class CiTest(BenchTest):
    def setUp(self):
        super().setUp()
        path = self.folder / "bin"
        path.mkdir()
        (path / "bench").symlink_to(FAKE)
        self.environment["PATH"] = f"{path}:{self.environment['PATH']}"
        for name, answer, reps in [("base", 126, 8), ("test", 42, 8), ("few", 42, 1)]:
            done = self.run_bench("fake-test", "--out", self.folder / "results" / name, "--answer", answer, "--reps",
                                  reps, "--quiet", program=FAKE)
            self.assertEqual(done.returncode, 0, done.stderr)

    def shell(self, script, **variables):
        return subprocess.run(["sh", "-e", "-c", script], cwd=self.folder, env=dict(self.environment, **variables),
                              capture_output=True, text=True, timeout=PATIENCE, check=False)

    def test_the_plain_shell_tells_every_answer_apart(self):
        script = block("status=0")
        self.assertIn("--format junit", script)
        for base, test, status, words in [("test", "base", 0, "no regression"), ("base", "test", 1, "regression"),
                                          ("base", "few", 0, "more runs are needed"),
                                          ("base", "nowhere", 1, "no answer (status 2)")]:
            done = self.shell(script, BASE=base, TEST=test)
            self.assertEqual((done.returncode, done.stdout.strip()), (status, words), done.stderr)

    def test_the_commands_of_the_servers_leave_their_reports(self):
        commands = [line.strip().removeprefix("- ") for line in PAGE.read_text(encoding="utf-8").splitlines()
                    if line.strip().removeprefix("- ").startswith("bench compare results/base results/test")]
        self.assertEqual(len(commands), 3, commands)
        summary = self.folder / "summary.md"
        for command in commands:
            done = self.shell(command, GITHUB_STEP_SUMMARY=str(summary))
            self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("| regressed |", summary.read_text(encoding="utf-8"))
        self.assertEqual(xml.etree.ElementTree.parse(self.folder / "bench.xml").getroot().get("failures"), "1")
        self.assertIn("\nnot ok 1 ", (self.folder / "bench.ktap").read_text(encoding="utf-8"))

    def test_the_page_names_every_status_of_a_bisection(self):
        page = PAGE.read_text(encoding="utf-8")
        for words in ("| 125 | - | can't be told", "| 128 | - | wrong usage: stop |"):
            self.assertIn(words, page)


if __name__ == "__main__":
    unittest.main()
