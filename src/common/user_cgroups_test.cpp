#include "common/user_cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "common/cgroup_leftovers.h"
#include "common/testing/fake_cgroups.h"
#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeCgroups;
using testing::file_text;
using testing::FixtureTree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Grouping = UserCgroups::Grouping;

constexpr const char* kStat =
    "4711 (bench) S 1 4711 4711 0 -1 0 9 0 0 0 1 1 0 0 20 0 1 0 7700 1 1\n";
constexpr const char* kGroup = "bench-fairuser-4711-7700-4026531836";

/// A machine of which this process is 4711.
class Cgroups : public ::testing::Test {
  protected:
    Cgroups() {
        tree_.file("/proc/self/stat", kStat).file("/proc/4711/stat", kStat);
        std::filesystem::create_directories(tree_.root() / "proc/self/ns");
        tree_.link("/proc/self/ns/pid", "pid:[4026531836]");
    }
    /// A v2 machine: we are in `own`, the true root hands down `from_root`.
    void pure_v2(const std::string& own, const std::string& from_root) {
        tree_.file("/proc/self/cgroup", "0::" + own + "\n")
            .file("/proc/self/mountinfo",
                  "30 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n")
            .file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io\n")
            .file("/sys/fs/cgroup/cgroup.subtree_control", from_root)
            .file("/sys/fs/cgroup/cgroup.procs", "1\n")
            .file("/sys/fs/cgroup/cpuset.cpus.effective", "0-3\n")
            .file("/sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
    }
    void group_v2(const std::string& path, const std::string& controllers,
                  const std::string& handed_down, const std::string& procs) {
        const std::string folder = "/sys/fs/cgroup" + path;
        tree_.file(folder + "/cgroup.controllers", controllers)
            .file(folder + "/cgroup.subtree_control", handed_down)
            .file(folder + "/cgroup.type", "domain\n")
            .file(folder + "/cpu.stat", "usage_usec 5\n")
            .file(folder + "/cgroup.procs", procs);
    }
    /// v1 cpu, cpuacct and cpuset apart, and a v2 beside them.
    void hybrid() {
        tree_.file("/proc/self/cgroup", "3:cpuset:/\n2:cpuacct:/\n1:cpu:/box\n0::/\n")
            .file("/proc/self/mountinfo",
                  "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
                  "33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n"
                  "34 31 0:31 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
                  "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n")
            .file("/cg/cpu/box/cgroup.procs", "")
            .file("/cg/cpu/box/cpu.shares", "1024\n")
            .file("/cg/cpuacct/cgroup.procs", "")
            .file("/cg/cpuacct/cpuacct.usage", "1\n")
            .file("/cg/cpuset/cgroup.procs", "")
            .file("/cg/cpuset/cpuset.cpus", "0-3\n")
            .file("/cg/cpuset/cpuset.mems", "0-1\n")
            .file("/cg/cpuset/cpuset.cpu_exclusive", "1\n")
            .file("/cg/unified/cgroup.controllers", "hugetlb\n")
            .file("/cg/unified/cgroup.subtree_control", "\n")
            .file("/cg/unified/cpu.stat", "usage_usec 5\n")
            .file("/cg/unified/cgroup.procs", "");
    }
    [[nodiscard]] auto create(UserCgroups::Options options) {
        return UserCgroups::create(options, tree_.system());
    }
    [[nodiscard]] Error refused(UserCgroups::Options options) {
        const auto groups = create(std::move(options));
        EXPECT_FALSE(groups.ok());
        return groups ? Error() : groups.error();
    }
    [[nodiscard]] std::string text(const std::string& path) const {
        return file_text(tree_.root() / path.substr(1));
    }
    /// Paths below the fixture's root.
    [[nodiscard]] std::vector<std::string> joins(const UserCgroups& groups, std::size_t index) {
        std::vector<std::string> files;
        for (const auto& file : groups.join_files(index)) {
            files.push_back("/" + std::filesystem::relative(file, tree_.root()).string());
        }
        return files;
    }
    [[nodiscard]] bool none_left() const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_.root())) {
            if (entry.path().filename().string().starts_with("bench-")) {
                return false;
            }
        }
        return true;
    }

    FixtureTree tree_;
    FakeCgroups kernel_;
};

const UserCgroups::Options kTwo{.grouping = Grouping::weighted,
                                .users = {{"vatsa", 100}, {"guest two", 250}}};

TEST(Weights, MapToSharesOnTheKernelsScale) {
    EXPECT_EQ(shares_of_weight(100), 1024U);
    EXPECT_EQ(shares_of_weight(1), 10U);
    EXPECT_EQ(shares_of_weight(50), 512U);
    EXPECT_EQ(shares_of_weight(10000), 102400U);
}

TEST_F(Cgroups, V2BelowTheNearestGroupThatHandsCpuDown) {
    pure_v2("/a/b", "cpu\n");
    group_v2("/a", "cpu\n", "cpu\n", "");
    group_v2("/a/b", "cpu\n", "\n", "4711\n");
    auto groups = create(kTwo);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    const std::string base = std::string("/sys/fs/cgroup/a/") + kGroup;
    EXPECT_THAT(joins(**groups, 1), ElementsAre(base + "/1-guest_two/cgroup.procs"));
    EXPECT_EQ(text(base + "/0-vatsa/cpu.weight"), "100");
    EXPECT_EQ(text(base + "/1-guest_two/cpu.weight"), "250");
    EXPECT_EQ(text(base + "/cpu.weight"), "350") << "as the users would count by themselves";
    EXPECT_EQ((*groups)->accounting_source(), "cpu.stat");
    EXPECT_EQ((*groups)->cpu_time(0).value(), 1500us);
    EXPECT_TRUE((*groups)->changes_cpu_group());
    EXPECT_THAT((*groups)->notes(), IsEmpty());
    EXPECT_EQ((*groups)->description()["cpu"]["users"][1]["weight"], 250);
    EXPECT_TRUE((*groups)->remove().ok());
    EXPECT_TRUE(none_left());
    EXPECT_EQ(text("/sys/fs/cgroup/a/cgroup.subtree_control"), "cpu\n");
}

TEST_F(Cgroups, V2RootIsMadeToHandCpuDownAndPutBack) {
    pure_v2("/", "io\n");
    {
        auto groups = create(kTwo);
        ASSERT_TRUE(groups.ok()) << groups.error().message();
        EXPECT_EQ(text("/sys/fs/cgroup/cgroup.subtree_control"), "cpu io \n");
    }
    EXPECT_TRUE(none_left());
    EXPECT_EQ(text("/sys/fs/cgroup/cgroup.subtree_control"), "io \n");
}

TEST_F(Cgroups, V2GroupWithProcessesIsNeverGivenControllers) {
    pure_v2("/a/b", "\n");
    group_v2("/a", "\n", "\n", "");
    group_v2("/a/b", "\n", "\n", "4711\n");
    tree_.file("/sys/fs/cgroup/cgroup.controllers", "io\n");
    const Error none = refused(kTwo);
    EXPECT_TRUE(none.not_started);
    EXPECT_THAT(none.message(), HasSubstr("/sys/fs/cgroup/a/b/cgroup.controllers lacks cpu"));
    EXPECT_THAT(none.message(), HasSubstr("/sys/fs/cgroup/cgroup.controllers lacks cpu"));
    group_v2("/a/b", "cpu\n", "\n", "4711\n");
    EXPECT_THAT(refused(kTwo).message(),
                HasSubstr("/a/b/cgroup.subtree_control lacks cpu, and can't get it while the group "
                          "holds processes"));
    EXPECT_EQ(text("/sys/fs/cgroup/a/b/cgroup.subtree_control"), "\n");
    EXPECT_TRUE(none_left());
}

TEST_F(Cgroups, EnablingCpuThatIsRefusedNamesTheCause) {
    pure_v2("/", "\n");
    tree_.file("/proc/99/cgroup", "0::/system.slice/rtkit.service\n")
        .file("/proc/99/stat",
              "99 (rtkit daemon) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 -100 0 1 0 5 1 1 1 1 1 1 1 1 0 0 0 "
              "0 0 0 0 17 0 50 2 0 0 0\n")
        .file("/proc/98/cgroup", "0::/\n")
        .file("/proc/98/stat",
              "98 (migration/0) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 -100 0 1 0 5 1 1 1 1 1 1 1 1 0 0 0 "
              "0 0 0 0 17 0 50 2 0 0 0\n");
    FakeCgroups::refuse("/cgroup.subtree_control", EINVAL);
    const std::string message = refused(kTwo).message();
    EXPECT_THAT(message, HasSubstr("real-time tasks outside the root group"));
    EXPECT_THAT(message, HasSubstr("99 rtkit daemon"));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("migration")));
    FakeCgroups::refuse("/cgroup.subtree_control", EBUSY);
    EXPECT_THAT(refused(kTwo).message(), HasSubstr("holds processes"));
    EXPECT_TRUE(none_left());
}

TEST_F(Cgroups, HybridUsesTheV1TreesWithTheControllers) {
    hybrid();
    auto options = kTwo;
    options.exclusive_cpus = CpuSet::parse("2-3").value();
    auto groups = create(options);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    const std::string group = kGroup;
    EXPECT_THAT(joins(**groups, 0), ElementsAre("/cg/cpu/box/" + group + "/0-vatsa/cgroup.procs",
                                                "/cg/cpuset/" + group + "/cgroup.procs",
                                                "/cg/cpuacct/" + group + "/0-vatsa/cgroup.procs"));
    EXPECT_EQ(text("/cg/cpu/box/" + group + "/1-guest_two/cpu.shares"), "2560");
    EXPECT_EQ(text("/cg/cpuset/" + group + "/cpuset.mems"), "0-1");
    EXPECT_EQ(text("/cg/cpuset/" + group + "/cpuset.cpus"), "2-3");
    EXPECT_EQ(text("/cg/cpuset/" + group + "/cpuset.cpu_exclusive"), "1");
    EXPECT_EQ((*groups)->accounting_source(), "cpuacct.usage");
    tree_.file("/cg/cpuacct/" + group + "/1-guest_two/cpuacct.usage", "123456789\n");
    EXPECT_EQ((*groups)->cpu_time(1).value(), 123456789ns);
    EXPECT_TRUE((*groups)->remove().ok());
    EXPECT_TRUE(none_left());
}

TEST_F(Cgroups, AccountsWithoutTouchingTheCpuGroup) {
    hybrid();
    auto options = kTwo;
    options.grouping = Grouping::accounting;
    {
        auto groups = create(options);
        ASSERT_TRUE(groups.ok()) << groups.error().message();
        EXPECT_THAT(joins(**groups, 0),
                    ElementsAre(std::string("/cg/cpuacct/") + kGroup + "/0-vatsa/cgroup.procs"));
        EXPECT_FALSE((*groups)->changes_cpu_group());
    }
    tree_.remove("/cg/cpuacct").file("/proc/self/cgroup", "3:cpuset:/\n1:cpu:/box\n0::/\n");
    {
        auto groups = create(options);
        ASSERT_TRUE(groups.ok()) << groups.error().message();
        EXPECT_EQ((*groups)->accounting_source(), "cpu.stat");
        EXPECT_FALSE((*groups)->changes_cpu_group());
    }
    // In pure v2 a group below the root, which hands cpu down, would be a cpu group.
    pure_v2("/", "cpu\n");
    auto groups = create(options);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    EXPECT_FALSE((*groups)->has_accounting());
    EXPECT_THAT((*groups)->notes(), ElementsAre(HasSubstr("no cgroup accounts")));
    EXPECT_THAT(joins(**groups, 0), IsEmpty());
    EXPECT_FALSE((*groups)->cpu_time(0).ok());
}

TEST_F(Cgroups, V1WithCpuAndCpuacctTogetherNeedsOneTree) {
    hybrid();
    tree_.file("/proc/self/cgroup", "1:cpu,cpuacct:/\n")
        .file("/proc/self/mountinfo", "32 31 0:29 / /cg/both rw - cgroup cgroup rw,cpu,cpuacct\n")
        .file("/cg/both/cgroup.procs", "")
        .file("/cg/both/cpu.shares", "1024\n")
        .file("/cg/both/cpuacct.usage", "0\n");
    auto groups = create(kTwo);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    EXPECT_EQ((*groups)->join_files(0).size(), 1U);
    EXPECT_EQ((*groups)->accounting_source(), "cpuacct.usage");
}

TEST_F(Cgroups, V2PartitionIsReadBackWithTheKernelsReason) {
    pure_v2("/", "cpu cpuset\n");
    auto options = kTwo;
    options.exclusive_cpus = CpuSet::parse("1").value();
    {
        auto groups = create(options);
        ASSERT_TRUE(groups.ok()) << groups.error().message();
        EXPECT_EQ(text(std::string("/sys/fs/cgroup/") + kGroup + "/cpuset.cpus.partition"), "root");
        EXPECT_EQ((*groups)->description()["cpuset"]["partition"], "root");
    }
    // The kernel takes "root" and says in the file itself what is wrong with it.
    static Syscalls fake;
    fake = kernel_.calls();
    kernel_.calls().write = [](int fd, const void* data, std::size_t size) -> ssize_t {
        const std::string_view text(static_cast<const char*>(data), size);
        if (text != "root") {
            return fake.write(fd, data, size);
        }
        const std::string_view invalid = "root invalid (Cpu list in cpuset.cpus not exclusive)\n";
        static_cast<void>(fake.write(fd, invalid.data(), invalid.size()));
        return static_cast<ssize_t>(size);
    };
    EXPECT_THAT(refused(options).message(),
                HasSubstr("root invalid (Cpu list in cpuset.cpus not exclusive)"));
    EXPECT_TRUE(none_left());
}

TEST_F(Cgroups, ExclusiveCpusAreTakenFromTheNearestPartitionRoot) {
    pure_v2("/a", "cpu cpuset\n");
    group_v2("/a", "cpu cpuset\n", "cpu cpuset\n", "");
    tree_.file("/sys/fs/cgroup/a/cpuset.cpus.partition", "member\n");
    auto options = kTwo;
    options.exclusive_cpus = CpuSet::parse("1").value();
    auto groups = create(options);
    ASSERT_TRUE(groups.ok()) << groups.error().message();
    EXPECT_TRUE(tree_.system().exists(std::string("/sys/fs/cgroup/") + kGroup));
    tree_.file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    EXPECT_THAT(refused(options).message(), HasSubstr("/a is no cpuset partition root itself"));
    options.exclusive_cpus = CpuSet();
    EXPECT_THAT(refused(options).message(), HasSubstr("at least one is wanted"));
}

TEST_F(Cgroups, AWeightThatReadsBackOtherwiseStopsTheRun) {
    pure_v2("/", "cpu\n");
    static Syscalls fake;
    fake = kernel_.calls();
    kernel_.calls().write = [](int fd, const void* data, std::size_t size) -> ssize_t {
        const bool weight = std::string_view(static_cast<const char*>(data), size) == "250";
        return fake.write(fd, weight ? "249" : data, size);
    };
    EXPECT_THAT(refused(kTwo).message(), HasSubstr("asked was '250', the kernel reads back '249'"));
    EXPECT_TRUE(none_left());
}

TEST_F(Cgroups, RefusesWeightsOutsideTheRange) {
    pure_v2("/", "cpu\n");
    EXPECT_THAT(refused({.grouping = Grouping::weighted, .users = {{"a", 0}}}).message(),
                HasSubstr("weight 0 of a: 1..10000 is allowed"));
    EXPECT_FALSE(create({.grouping = Grouping::weighted, .users = {{"a", 10001}}}).ok());
}

TEST_F(Cgroups, ReadOnlyOrMissingTreesSayWhere) {
    pure_v2("/", "cpu\n");
    kernel_.calls().mkdir = [](const char*, mode_t) {
        errno = EROFS;
        return -1;
    };
    EXPECT_THAT(refused(kTwo).message(), HasSubstr("mounted read-only"));
    tree_.file("/proc/self/mountinfo", "");
    EXPECT_THAT(refused(kTwo).message(), HasSubstr("no mounted cgroup hierarchy has"));
    tree_.file("/proc/self/cgroup", "1:cpu:/box\n");
    EXPECT_THAT(refused(kTwo).message(), HasSubstr("cpu is not mounted where it can be seen"));
}

TEST_F(Cgroups, RemovesWhatDeadRunsLeftAndNothingElse) {
    pure_v2("/a", "cpu\n");
    group_v2("/a", "cpu\n", "\n", "");
    // Dead; its pid is another's by now; living; of a container; not ours.
    group_v2("/bench-fairuser-12-3-4026531836", "cpu\n", "\n", "");
    group_v2("/bench-fairuser-12-3-4026531836/0-x", "cpu\n", "\n", "");
    group_v2("/a/bench-fairuser-13-3-4026531836", "cpu\n", "\n", "");
    tree_.file("/proc/13/stat", "13 (sh) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1 1\n");
    group_v2("/bench-fairuser-14-3-4026531836", "cpu\n", "\n", "");
    tree_.file("/proc/14/stat", "14 (bench) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 3 1 1\n");
    group_v2("/bench-fairuser-15-3-77", "cpu\n", "\n", "");
    group_v2("/bench-fairuser-mine", "cpu\n", "\n", "");
    const auto notes = remove_leftover_cgroups(tree_.system());
    EXPECT_THAT(
        notes,
        ElementsAre("/sys/fs/cgroup/a/bench-fairuser-13-3-4026531836 was left by a run that "
                    "is gone: removed",
                    "/sys/fs/cgroup/bench-fairuser-12-3-4026531836 was left by a run that "
                    "is gone: removed",
                    HasSubstr("bench-fairuser-15-3-77 belongs to a run that can't be seen")));
    const SystemRoot system = tree_.system();
    EXPECT_FALSE(system.exists("/sys/fs/cgroup/bench-fairuser-12-3-4026531836"));
    EXPECT_FALSE(system.exists("/sys/fs/cgroup/a/bench-fairuser-13-3-4026531836"));
    EXPECT_TRUE(system.exists("/sys/fs/cgroup/bench-fairuser-14-3-4026531836"));
    EXPECT_TRUE(system.exists("/sys/fs/cgroup/bench-fairuser-15-3-77"));
    EXPECT_TRUE(system.exists("/sys/fs/cgroup/bench-fairuser-mine"));
}

TEST(CgroupOwner, NamesRoundTrip) {
    const CgroupOwner owner{71, 4500, 4026531836};
    EXPECT_EQ(owner.folder_name(), "bench-fairuser-71-4500-4026531836");
    EXPECT_EQ(CgroupOwner::parse(owner.folder_name()), owner);
    for (const char* other : {"bench-fairuser-", "bench-fairuser-1-2", "bench-fairuser-1-2-3-4",
                              "bench-fairuser-0-2-3", "bench-fairuser--1-2-3", "bench-71-2-3"}) {
        EXPECT_EQ(CgroupOwner::parse(other), std::nullopt) << other;
    }
}

}  // namespace
}  // namespace bench
