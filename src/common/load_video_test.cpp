#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "common/load.h"
#include "common/program_search.h"
#include "common/testing/processes.h"
#include "common/video_report.h"

namespace bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::eventually;
using testing::has_no_children;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TemporaryFolder;

const SystemRoot kHost;

/// A PATH of the test's own, with players that are scripts.
class VideoTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("TMPDIR", scratch_.path().c_str(), 1);
        ::setenv("PATH", programs_.path().c_str(), 1);
        std::ofstream(film()) << "film";
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        ::unsetenv("TMPDIR");
    }

    [[nodiscard]] std::string film() const { return (programs_.path() / "a film.mp4").string(); }

    void install(const std::string& name, const std::string& script) const {
        const std::filesystem::path path = programs_.path() / name;
        std::ofstream(path) << "#!/bin/sh\nPATH=/bin:/usr/bin\n" << script;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }

    void install_real(const std::string& name) const {
        ::setenv("PATH", path_.c_str(), 1);
        const auto real = find_program(name);
        ::setenv("PATH", programs_.path().c_str(), 1);
        if (real) {
            std::filesystem::create_symlink(*real, programs_.path() / name);
        }
    }

    [[nodiscard]] Result<std::unique_ptr<Load>> prepare(std::int64_t copies = 1) const {
        LoadOptions options;
        options.spec = parse_load("video:" + film()).value();
        options.copies = copies;
        return prepare_load(options, kHost);
    }

    static void wait_for_end(const Load& load) {
        pollfd fd{load.event_fd(), POLLIN, 0};
        ASSERT_EQ(::poll(&fd, 1, 60'000), 1);
    }

    [[nodiscard]] bool nothing_left() const {
        return has_no_children() && std::filesystem::is_empty(scratch_.path());
    }

    TemporaryFolder scratch_;
    TemporaryFolder programs_;
    std::string path_ = std::getenv("PATH");
};

constexpr char kFakeMpv[] = R"SH(
case "$*" in *--frames=1*) exit 0;; esac
for film; do :; done
[ -f "$film" ] || exit 9
trap 'exit 4' TERM
i=0
while [ $i -lt 30 ]; do
    printf '[  0.%03d000] BENCH %d 0.%03d000 0 0\r' $((i * 10 + 100)) $i $((i * 10)) >&2
    i=$((i + 1))
done
printf '[  9.000000] BENCH 30 0.300000 2 1\r' >&2
)SH";

TEST_F(VideoTest, CountsWhatMpvTellsOfEachCopy) {
    install("mpv",
            std::string(kFakeMpv) + "touch \"$TMPDIR/shown-$$\"; while :; do sleep 0.01; done");
    Result<std::unique_ptr<Load>> load = prepare(2);
    ASSERT_TRUE(load.ok()) << load.error().message();
    EXPECT_THAT((*load)->metrics(), SizeIs(3));
    ASSERT_TRUE((*load)->start().ok());
    EXPECT_TRUE(eventually([&] {
        int shown = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path())) {
            shown += entry.path().filename().string().starts_with("shown-") ? 1 : 0;
        }
        return shown == 2;
    }));
    const Result<LoadOutcome> outcome = (*load)->stop(MonotonicClock::now());
    ASSERT_TRUE(outcome.ok());
    EXPECT_THAT(outcome->taints, IsEmpty());
    ASSERT_THAT(outcome->series, SizeIs(3));
    EXPECT_EQ(outcome->series[0].metric.name, "frames_played");
    EXPECT_THAT(outcome->series[0].values, ElementsAre(28, 28));
    EXPECT_EQ(outcome->series[1].metric.name, "frames_dropped");
    EXPECT_THAT(outcome->series[1].values, ElementsAre(3, 3));
    EXPECT_EQ(outcome->series[2].metric.name, "frames_late");
    EXPECT_THAT(outcome->series[2].values, ElementsAre(1, 1));
    EXPECT_TRUE(nothing_left());
}

TEST_F(VideoTest, AFilmThatEndsEndsTheLoad) {
    install("mpv", kFakeMpv);
    Result<std::unique_ptr<Load>> load = prepare();
    ASSERT_TRUE(load.ok());
    ASSERT_TRUE((*load)->start().ok());
    wait_for_end(**load);
    const Result<LoadOutcome> outcome = (*load)->stop(MonotonicClock::now());
    ASSERT_TRUE(outcome.ok());
    EXPECT_THAT(outcome->taints, ElementsAre(HasSubstr("load ended at t=")));
    EXPECT_THAT(outcome->series[0].values, ElementsAre(28));
}

TEST_F(VideoTest, WhoShowsNothingHasNoFigures) {
    install("mpv", "case \"$*\" in *--frames=1*) exit 0;; esac\necho broken; exit 2\n");
    Result<std::unique_ptr<Load>> load = prepare();
    ASSERT_TRUE(load.ok());
    ASSERT_TRUE((*load)->start().ok());
    wait_for_end(**load);
    const Result<LoadOutcome> outcome = (*load)->stop(MonotonicClock::now());
    ASSERT_TRUE(outcome.ok());
    EXPECT_THAT(outcome->taints,
                ElementsAre(HasSubstr("failed at t="), HasSubstr("showed no frame")));
    EXPECT_EQ(outcome->output_tail, "broken");
    for (const Series& one : outcome->series) {
        EXPECT_THAT(one.values, IsEmpty()) << "not measured is not 0";
    }
}

TEST_F(VideoTest, WithoutAPlayerTheCureIsNamed) {
    const Result<std::unique_ptr<Load>> load = prepare();
    ASSERT_FALSE(load.ok());
    EXPECT_THAT(load.error().message(), HasSubstr("apt-get install mpv"));
}

TEST_F(VideoTest, AFilmThatIsNotThereIsAnErrorBeforeTheStart) {
    install("mpv", kFakeMpv);
    std::filesystem::remove(film());
    const Result<std::unique_ptr<Load>> load = prepare();
    ASSERT_FALSE(load.ok());
    EXPECT_EQ(load.error().code, ENOENT);
    EXPECT_THAT(load.error().message(), HasSubstr(film()));
}

class RealPlayer : public VideoTest, public ::testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        VideoTest::SetUp();
        install_real(GetParam());
        if (!find_program(GetParam())) {
            GTEST_SKIP() << GetParam() << " is not installed";
        }
    }
    [[nodiscard]] int copies_that_played() const;
};

/// Copies whose player has told of a second's frames.
int RealPlayer::copies_that_played() const {
    int played = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path())) {
        const std::string text = testing::file_text(entry.path());
        const auto report =
            std::string(GetParam()) == "mpv" ? read_mpv_status(text) : read_ffmpeg_frames(text);
        played += report && report->played > 25 ? 1 : 0;
    }
    return played;
}

TEST_P(RealPlayer, RefusesWhatIsNoFilm) {
    const Result<std::unique_ptr<Load>> load = prepare();
    ASSERT_FALSE(load.ok());
    EXPECT_THAT(load.error().message(), AllOf(HasSubstr(GetParam()), HasSubstr("exit status")));
    EXPECT_TRUE(nothing_left());
}

TEST_P(RealPlayer, PlaysAFilm) {
    ::setenv("PATH", path_.c_str(), 1);
    const std::string make =
        "ffmpeg -nostdin -loglevel error -y -f lavfi -i "
        "testsrc2=size=160x120:rate=25 -t 60 -c:v mpeg4 '" +
        film() + "' </dev/null >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0) {
        GTEST_SKIP() << "no ffmpeg to make a film with";
    }
    ::setenv("PATH", programs_.path().c_str(), 1);
    Result<std::unique_ptr<Load>> load = prepare(2);
    ASSERT_TRUE(load.ok()) << load.error().message();
    ASSERT_TRUE((*load)->start().ok());
    EXPECT_TRUE(eventually([&] { return copies_that_played() == 2; }));
    const Result<LoadOutcome> outcome = (*load)->stop(MonotonicClock::now());
    ASSERT_TRUE(outcome.ok());
    EXPECT_THAT(outcome->taints, IsEmpty()) << outcome->output_tail;
    ASSERT_THAT(outcome->series[0].values, SizeIs(2));
    for (const double played : outcome->series[0].values) {
        EXPECT_GE(played, 1);
        EXPECT_LT(played, 1499) << "not in real time";
    }
    EXPECT_TRUE(nothing_left());
}

INSTANTIATE_TEST_SUITE_P(Players, RealPlayer, ::testing::Values("mpv", "ffmpeg"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace bench
