#include "common/worker_limits.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "common/process_group.h"
#include "common/testing/fixture_tree.h"
#include "common/testing/processes.h"

namespace bench {
namespace {

using ::testing::AllOf;
using testing::FixtureTree;
using ::testing::HasSubstr;

const SystemRoot kHost;

/// What `test` says in a child that may spoil its own limits.
std::string in_child(const std::function<std::string()>& test) {
    testing::SharedValue<std::array<char, 1024>> said;
    const pid_t child = ::fork();
    if (child == 0) {
        test().copy(said->data(), said->size() - 1);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return said->data();
}

void set_limit(int which, rlim_t soft, rlim_t hard) {
    const rlimit limit{soft, hard};
    if (::setrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) {
        ::_exit(1);
    }
}

std::string reserve_text(const WorkerNeeds& needs, const SystemRoot& system) {
    const Status status = reserve_for_workers(needs, system);
    return status ? "ok" : status.error().message();
}

TEST(ReserveForWorkers, RaisesTheSoftLimitOfDescriptorsAsFarAsNeeded) {
    EXPECT_EQ(in_child([] {
                  set_limit(RLIMIT_NOFILE, 40, 400);
                  const std::string said = reserve_text({100, WorkerKind::process, 200}, kHost);
                  rlimit now{};
                  ::getrlimit(RLIMIT_NOFILE, &now);
                  const bool fits = now.rlim_cur > 200 && now.rlim_cur < 400;
                  return said + (fits && now.rlim_max == 400 ? ", raised" : ", not raised");
              }),
              "ok, raised");
}

TEST(ReserveForWorkers, NeverRaisesTheHardLimitButNamesIt) {
    const std::string said = in_child([] {
        set_limit(RLIMIT_NOFILE, 40, 40);
        const std::string text = reserve_text({100, WorkerKind::process, 200}, kHost);
        rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        return text + (now.rlim_max == 40 ? "" : " RAISED");
    });
    EXPECT_THAT(said, AllOf(HasSubstr("start 100 processes"), HasSubstr("RLIMIT_NOFILE"),
                            HasSubstr("40 allowed"), HasSubstr("file descriptors needed"),
                            ::testing::Not(HasSubstr("RAISED"))));
}

TEST(ReserveForWorkers, CountsWhatIsOpenAlready) {
    EXPECT_THAT(in_child([] {
                    for (int i = 0; i < 100; ++i) {
                        if (::open("/dev/null", O_RDONLY) < 0) {
                            return std::string("open failed");
                        }
                    }
                    set_limit(RLIMIT_NOFILE, 130, 130);
                    return reserve_text({1, WorkerKind::process, 50}, kHost);
                }),
                HasSubstr("RLIMIT_NOFILE"));
}

TEST(ReserveForWorkers, RootIsExemptFromTheLimitOfProcesses) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root";
    }
    EXPECT_EQ(in_child([] {
                  set_limit(RLIMIT_NPROC, 1, 1);
                  return reserve_text({10, WorkerKind::process, 0}, kHost);
              }),
              "ok");
}

TEST(ReserveForWorkers, AUserIsNot) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root to become another user";
    }
    EXPECT_THAT(in_child([] {
                    set_limit(RLIMIT_NPROC, 5, 5);
                    constexpr uid_t kNobody = 65534;
                    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
                        return std::string("setuid failed");
                    }
                    return reserve_text({10, WorkerKind::thread, 0}, kHost);
                }),
                AllOf(HasSubstr("start 10 threads: 10 needed"), HasSubstr("RLIMIT_NPROC 5")));
}

FixtureTree& add_kernel(FixtureTree& tree) {
    return tree.file("/proc/sys/kernel/threads-max", "1000\n")
        .file("/proc/sys/kernel/pid_max", "32768\n")
        .file("/proc/loadavg", "0.20 0.18 0.12 1/80 11206\n");
}

TEST(TaskLimits, OfTheKernelCountAllTasks) {
    FixtureTree tree;
    add_kernel(tree);
    EXPECT_EQ(reserve_text({920, WorkerKind::process, 0}, tree.system()), "ok");
    EXPECT_EQ(reserve_text({921, WorkerKind::process, 0}, tree.system()),
              "start 921 processes: 921 needed, 920 allowed: kernel.threads-max 1000, 80 in use");
    tree.file("/proc/sys/kernel/threads-max", "100000\n");
    EXPECT_THAT(reserve_text({40'000, WorkerKind::process, 0}, tree.system()),
                HasSubstr("kernel.pid_max 32768"));
}

TEST(TaskLimits, OfEveryCgroupAboveCount) {
    FixtureTree tree;
    add_kernel(tree)
        .file("/proc/self/cgroup", "0::/a/b\n")
        .file("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/a/b/pids.max", "max\n")
        .file("/sys/fs/cgroup/a/b/pids.current", "3\n")
        .file("/sys/fs/cgroup/a/pids.max", "20\n")
        .file("/sys/fs/cgroup/a/pids.current", "5\n");
    EXPECT_EQ(reserve_text({15, WorkerKind::process, 0}, tree.system()), "ok");
    EXPECT_EQ(
        reserve_text({16, WorkerKind::process, 0}, tree.system()),
        "start 16 processes: 16 needed, 15 allowed: pids.max 20 of /sys/fs/cgroup/a, 5 in use");
}

TEST(TaskLimits, OfVersionOneAndHybridToo) {
    FixtureTree tree;
    add_kernel(tree)
        .file("/proc/self/cgroup", "8:cpu,pids:/x\n1:name=systemd:/\n0::/\n")
        .file("/proc/self/mountinfo",
              "30 23 0:26 / /sys/fs/cgroup/unified rw shared:1 - cgroup2 cgroup2 rw\n"
              "31 23 0:27 / /sys/fs/cgroup/pids rw shared:2 - cgroup cgroup rw,cpu,pids\n")
        .file("/sys/fs/cgroup/pids/x/pids.max", "10\n")
        .file("/sys/fs/cgroup/pids/x/pids.current", "4\n");
    EXPECT_THAT(reserve_text({7, WorkerKind::process, 0}, tree.system()),
                HasSubstr("6 allowed: pids.max 10 of /sys/fs/cgroup/pids/x"));
}

TEST(TaskLimits, OfAContainerLieBelowTheMountedPart) {
    FixtureTree tree;
    add_kernel(tree)
        .file("/proc/self/cgroup", "0::/docker/1/x\n")
        .file("/proc/self/mountinfo",
              "30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("/sys/fs/cgroup/x/pids.max", "2\n")
        .file("/sys/fs/cgroup/x/pids.current", "1\n");
    EXPECT_THAT(reserve_text({2, WorkerKind::process, 0}, tree.system()),
                HasSubstr("pids.max 2 of /sys/fs/cgroup/x"));
}

/// A cgroup of its own with a limit on tasks, if this machine lets us.
class PidsCgroup {
  public:
    explicit PidsCgroup(const std::string& limit) {
        for (const char* parent : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
            std::error_code code;
            const std::filesystem::path folder =
                std::filesystem::path(parent) / ("bench-test-" + std::to_string(::getpid()));
            if (!std::filesystem::create_directory(folder, code)) {
                continue;
            }
            folder_ = folder;
            std::ofstream max(folder / "pids.max");
            if (max << limit << std::flush) {
                usable_ = true;
                return;
            }
            std::filesystem::remove(folder, code);
        }
    }
    ~PidsCgroup() {
        // The kernel lets go of the last task a moment after it was reaped.
        EXPECT_TRUE(!usable_ || testing::eventually([&] {
            std::error_code code;
            return std::filesystem::remove(folder_, code);
        }));
    }
    PidsCgroup(const PidsCgroup&) = delete;
    PidsCgroup& operator=(const PidsCgroup&) = delete;

    [[nodiscard]] bool usable() const { return usable_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] bool enter() const {
        std::ofstream procs(folder_ / "cgroup.procs");
        return static_cast<bool>(procs << ::getpid() << std::flush);
    }

  private:
    std::filesystem::path folder_;
    bool usable_ = false;
};

class ForkLimit : public ::testing::TestWithParam<WorkerKind> {};

TEST_P(ForkLimit, IsNamedWhenAStartFailsHalfWay) {
    const PidsCgroup cgroup("20");
    if (!cgroup.usable()) {
        GTEST_SKIP() << "can't make a cgroup with pids.max here";
    }
    const std::string said = in_child([&] {
        if (!cgroup.enter()) {
            return std::string("can't enter");
        }
        WorkerGroup::Options options;
        options.count = 50;
        options.kind = GetParam();
        options.noun = "client";
        options.body = [](std::uint32_t) { return 0; };
        Result<StopSource> stop = StopSource::create();
        const Result<WorkerGroup> group = WorkerGroup::start(std::move(options), *stop, kHost);
        const std::string text = group ? "started" : group.error().message();
        return text + (testing::has_no_children() ? "" : "; children left");
    });
    // 19, but where a sanitizer has threads of its own.
    EXPECT_THAT(said,
                AllOf(::testing::ContainsRegex(
                          "Resource temporarily unavailable \\(1?[0-9] of 50 clients started; "),
                      HasSubstr("limit: pids.max 20 of " + cgroup.folder().string()),
                      ::testing::Not(HasSubstr("children left"))));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ForkLimit,
                         ::testing::Values(WorkerKind::process, WorkerKind::thread));

}  // namespace
}  // namespace bench
