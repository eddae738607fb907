#include "fairuser/work_folders.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "common/testing/temp_folder.h"

namespace bench::fairuser {
namespace {

using ::testing::HasSubstr;

class PassageTest : public ::testing::Test {
  protected:
    PassageTest() {
        std::filesystem::create_directories(inner_);
        ::chmod(folder_.path().c_str(), 0755);
    }

    void set_mode(mode_t mode) { ASSERT_EQ(::chmod(outer_.c_str(), mode), 0); }

    testing::TempFolder folder_;
    std::filesystem::path outer_ = folder_ / "outer";
    std::filesystem::path inner_ = outer_ / "inner";
    /// Nobody's: neither uid nor gid is ours.
    UserIdentity stranger_{
        .name = "guest", .uid = 60601, .gid = 60601, .groups = {60601}, .home = {}};
};

TEST_F(PassageTest, AFolderClosedToOthersIsNamed) {
    set_mode(0700);
    const Status open = check_passage(inner_, stranger_);
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().object, outer_.string());
    EXPECT_THAT(open.error().message(), HasSubstr("guest"));
    EXPECT_THAT(open.error().message(), HasSubstr("0700"));
}

TEST_F(PassageTest, PassingThroughNeedsNoReading) {
    set_mode(0711);
    EXPECT_TRUE(check_passage(inner_, stranger_));
}

TEST_F(PassageTest, TheOwnersAndTheGroupsBitsCountForThem) {
    UserIdentity owner = stranger_;
    owner.uid = ::geteuid();
    UserIdentity member = stranger_;
    member.groups = {::getegid(), 60601};
    set_mode(0710);
    EXPECT_TRUE(check_passage(inner_, owner));
    EXPECT_TRUE(check_passage(inner_, member));
    EXPECT_FALSE(check_passage(inner_, stranger_));
    set_mode(0701);
    EXPECT_TRUE(check_passage(inner_, stranger_));
    EXPECT_FALSE(check_passage(inner_, member)) << "its bits come before those of others";
}

}  // namespace
}  // namespace bench::fairuser
