#include "common/cgroup_location.h"

#include <gtest/gtest.h>

#include "common/environment_sections.h"
#include "common/testing/fixture_tree.h"

namespace bench {
namespace {

using environment::cgroup_section;
using environment::throttling_section;
using testing::FixtureTree;
using Json = nlohmann::ordered_json;

constexpr const char* kMountV2 =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMountsHybrid =
    "24 23 0:21 / /sys rw - sysfs sysfs rw\n"
    "31 24 0:28 / /sys/fs/cgroup ro shared:9 - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n"
    "33 31 0:30 / /sys/fs/cgroup/systemd rw shared:11 - cgroup cgroup rw,xattr,name=systemd\n"
    "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/cpuset rw shared:13 - cgroup cgroup rw,cpuset\n";

TEST(Cgroup, FindsCpuInTheV1TreeOfAHybrid) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup",
              "7:cpuset:/\n5:cpu,cpuacct:/user.slice\n1:name=systemd:/user.slice/a\n"
              "0::/user.slice/user-1000.slice/session-2.scope\n")
        .file("/proc/self/mountinfo", kMountsHybrid)
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cgroup.procs", "")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_quota_us", "150000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_period_us", "100000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.shares", "1024\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_runtime_us", "0\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_period_us", "1000000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
        .file("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-3\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.stat",
              "nr_periods 9\nnr_throttled 4\nthrottled_time 2500000\n");
    EXPECT_EQ(
        cgroup_section(tree.system()).dump(),
        R"({"mode":"hybrid","paths":{"cpuset":"/","cpu,cpuacct":"/user.slice",)"
        R"("name=systemd":"/user.slice/a","v2":"/user.slice/user-1000.slice/session-2.scope"},)"
        R"("cpu":{"version":"v1","path":"/user.slice",)"
        R"("folder":"/sys/fs/cgroup/cpu,cpuacct/user.slice","is_root":false,)"
        R"("quota":{"limited":true,"cpus":1.5,"quota_us":150000,"period_us":100000,)"
        R"("group":"/user.slice"},"shares":1024,"rt_runtime_us":0,"rt_period_us":1000000},)"
        R"("cpuset":"0-3"})");
    EXPECT_EQ(throttling_section(tree.system()).dump(),
              R"([{"group":"/user.slice","nr_throttled":4,"nr_periods":9,)"
              R"("throttled_ns":2500000,"quota_cpus":1.5}])");
}

TEST(Cgroup, FindsTheTightestQuotaAboveUs) {
    FixtureTree tree;
    const std::string a = "/sys/fs/cgroup/a.slice";
    tree.file("/proc/self/cgroup", "0::/a.slice/b.scope\n")
        .file("/proc/self/mountinfo", kMountV2)
        .file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io pids\n")
        .file(a + "/cgroup.controllers", "cpuset cpu pids\n")
        .file(a + "/cpu.max", "50000 100000\n")
        .file(a + "/pids.max", "100\n")
        .file(a + "/cpu.stat", "usage_usec 1\nnr_periods 3\nnr_throttled 2\nthrottled_usec 7\n")
        .file(a + "/b.scope/cgroup.controllers", "cpu pids\n")
        .file(a + "/b.scope/cgroup.type", "domain\n")
        .file(a + "/b.scope/cgroup.procs", "1\n")
        .file(a + "/b.scope/cpu.max", "300000 100000\n")
        .file(a + "/b.scope/cpu.weight", "100\n")
        .file(a + "/b.scope/pids.max", "max\n")
        .file(a + "/cpuset.cpus.effective", "0-2\n");
    const Json json = cgroup_section(tree.system());
    EXPECT_EQ(json.at("mode"), "v2");
    EXPECT_EQ(json.at("cpu").at("version"), "v2");
    EXPECT_EQ(json.at("cpu").at("path"), "/a.slice/b.scope");
    EXPECT_EQ(json.at("cpu").at("is_root"), false);
    EXPECT_EQ(json.at("cpu").at("weight"), 100);
    EXPECT_EQ(json.at("cpu").at("quota").dump(),
              R"({"limited":true,"cpus":0.5,"quota_us":50000,"period_us":100000,)"
              R"("group":"/a.slice"})");
    // cpuset is switched on one level up only: that level's set governs.
    EXPECT_EQ(json.at("cpuset"), "0-2");
    EXPECT_EQ(json.at("pids_max"), 100);
    EXPECT_EQ(throttling_section(tree.system()).dump(),
              R"([{"group":"/a.slice","nr_throttled":2,"nr_periods":3,"throttled_ns":7000,)"
              R"("quota_cpus":0.5}])");
}

TEST(Cgroup, FindsAQuotaAboveAGroupWithoutOne) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "0::/a/b\n")
        .file("/proc/self/mountinfo", kMountV2)
        .file("/sys/fs/cgroup/a/cgroup.controllers", "cpu\n")
        .file("/sys/fs/cgroup/a/cpu.max", "200000 100000\n")
        .file("/sys/fs/cgroup/a/b/cgroup.controllers", "cpu\n")
        .file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(cgroup_section(tree.system()).at("cpu").at("quota").dump(),
              R"({"limited":true,"cpus":2.0,"quota_us":200000,"period_us":100000,"group":"/a"})");
}

TEST(Cgroup, SaysUnlimitedOnlyWhenItWasRead) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "0::/a\n")
        .file("/proc/self/mountinfo", kMountV2)
        .file("/sys/fs/cgroup/a/cgroup.controllers", "cpu\n");
    EXPECT_FALSE(cgroup_section(tree.system()).at("cpu").contains("quota"));
    tree.file("/sys/fs/cgroup/a/cpu.max", "junk\n");
    EXPECT_FALSE(cgroup_section(tree.system()).at("cpu").contains("quota"));
    tree.file("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    EXPECT_EQ(cgroup_section(tree.system()).at("cpu").at("quota").dump(), R"({"limited":false})");
}

TEST(Cgroup, HasNoCpuWhereTheControllerIsOff) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "0::/a/b\n")
        .file("/proc/self/mountinfo", kMountV2)
        .file("/sys/fs/cgroup/cgroup.controllers", "memory pids\n")
        .file("/sys/fs/cgroup/a/cgroup.controllers", "cpuset cpuacct\n")
        .file("/sys/fs/cgroup/a/b/cgroup.controllers", "\n");
    EXPECT_FALSE(find_cgroup(tree.system(), "cpu"));
    EXPECT_FALSE(cgroup_section(tree.system()).contains("cpu"));
    // Switched on further up, that group governs.
    tree.file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    EXPECT_EQ(find_cgroup(tree.system(), "cpu")->path, "/");
    EXPECT_EQ(find_cgroup(tree.system(), "cpu")->folder, "/sys/fs/cgroup");
    tree.file("/sys/fs/cgroup/a/cgroup.controllers", "cpu\n");
    EXPECT_EQ(find_cgroup(tree.system(), "cpu")->path, "/a");
    EXPECT_EQ(find_cgroup(tree.system(), "cpu")->folder, "/sys/fs/cgroup/a");
}

TEST(Cgroup, FollowsMountsThatShowAPart) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "4:cpu:/docker/abc/x y\n")
        .file("/proc/self/mountinfo",
              "40 39 0:31 /other /mnt rw - cgroup cgroup rw,cpu\n"
              "41 39 0:31 /docker/abc /sys/fs/cgroup\\040v1/cpu rw - cgroup cgroup rw,cpu\n");
    const auto group = find_cgroup(tree.system(), "cpu");
    ASSERT_TRUE(group);
    EXPECT_EQ(group->mount, "/sys/fs/cgroup v1/cpu");
    EXPECT_EQ(group->folder, "/sys/fs/cgroup v1/cpu/x y");
    EXPECT_EQ(cgroup_ancestry(*group),
              (std::vector<std::string>{"/sys/fs/cgroup v1/cpu/x y", "/sys/fs/cgroup v1/cpu"}));
    EXPECT_EQ(cgroup_section(tree.system()).at("mode"), "v1");
}

TEST(Cgroup, DoesNotClimbOutOfTheMount) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "4:cpu:/docker/abcdef\n3:cpuset:/../../x\n")
        .file("/proc/self/mountinfo",
              "41 39 0:31 /docker/abc /cg/cpu rw - cgroup cgroup rw,cpu\n"
              "42 39 0:32 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n");
    EXPECT_EQ(find_cgroup(tree.system(), "cpu")->folder, std::nullopt);
    EXPECT_EQ(find_cgroup(tree.system(), "cpuset")->folder, std::nullopt);
    EXPECT_TRUE(throttling_section(tree.system()).empty());
    EXPECT_EQ(cgroup_section(tree.system()).at("cpu").dump(),
              R"({"version":"v1","path":"/docker/abcdef","is_root":false})");
}

TEST(Cgroup, TellsTheRealRootFromAContainers) {
    FixtureTree tree;
    tree.file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo", kMountV2)
        .file("/sys/fs/cgroup/cgroup.procs", "1\n")
        .file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    EXPECT_EQ(cgroup_section(tree.system()).at("cpu").at("is_root"), true);
    tree.file("/sys/fs/cgroup/cgroup.type", "domain\n");
    EXPECT_EQ(cgroup_section(tree.system()).at("cpu").at("is_root"), false);
}

TEST(Cgroup, SurvivesJunk) {
    FixtureTree tree;
    for (const char* junk :
         {"", "\n\n", "0:", "0::", "::", "x:y:z", "5:cpu", "0::relative\n", ":::::", "9:,,:/\n"}) {
        tree.file("/proc/self/cgroup", junk)
            .file("/proc/self/mountinfo", "a - b\n - \nx - cgroup\n");
        EXPECT_FALSE(find_cgroup(tree.system(), "cpu")) << junk;
        static_cast<void>(cgroup_section(tree.system()));
    }
}

}  // namespace
}  // namespace bench
