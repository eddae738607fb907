"""What tests with guests share: QEMU and Debian's kernels (scripts/fetch-kernels); BENCH_KERNELS names their folder and
BENCH_QEMU the program. Without them tests are skipped, but for continuous integration (BENCH_REQUIRE_VM=1), where that
is a failure."""

import shutil

from harness import *

QEMU = os.environ.get("BENCH_QEMU", "qemu-system-x86_64")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
KERNELS = pathlib.Path(os.environ.get("BENCH_KERNELS") or CACHE / "bench/kernels")


def kernel(series):
    found = sorted(KERNELS.glob(f"linux-image-{series}.*-cloud-amd64_*.deb"))
    return found[-1] if found else None


CFS, EEVDF = kernel("6.1"), kernel("6.12")
MISSING = None
if shutil.which(QEMU) is None:
    MISSING = f"no {QEMU}: install qemu-system-x86"
elif CFS is None or EEVDF is None:
    MISSING = f"no kernels in {KERNELS}: run scripts/fetch-kernels"
if MISSING and os.environ.get("BENCH_REQUIRE_VM"):
    raise SystemExit(MISSING)
if not (BUILD / "bench-static").exists():
    MISSING = "this build has no bench-static (BENCH_BUILD_STATIC)"


@unittest.skipIf(MISSING, MISSING)
class GuestCase(BenchTest):
    def guest(self, *arguments, test="latt", out=None, qemu=QEMU, **options):
        """One seed, unless `arguments` say more."""
        seeds = () if any(str(word).startswith("--vm-seeds") for word in arguments) else ("--vm-seeds", "1")
        return self.run_bench(test, "--out", out or self.out, "--qemu", qemu, "--quiet", "--duration", "2s",
                              *seeds, *arguments, **options)

    def ok(self, *arguments, **options):
        """The bundle of a run in guests that went well."""
        ran = self.guest(*arguments, **options)
        self.assertEqual(ran.returncode, 0, (ran.stdout, ran.stderr))
        return Bundle(max((options.get("out") or self.out).iterdir(), key=lambda folder: folder.stat().st_mtime))
