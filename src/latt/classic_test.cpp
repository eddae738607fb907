#include "latt/classic.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/tool_version.h"

namespace bench::latt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// The classic program in a process of its own, its output in pipes.
class ClassicProgram {
  public:
    explicit ClassicProgram(std::vector<std::string> words, int out = -1) {
        std::array<int, 2> out_pipe{};
        std::array<int, 2> err_pipe{};
        EXPECT_EQ(::pipe2(out_pipe.data(), O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(err_pipe.data(), O_CLOEXEC), 0);
        out_.reset(out_pipe[0]);
        err_.reset(err_pipe[0]);
        const Fd out_write(out_pipe[1]);
        const Fd err_write(err_pipe[1]);
        std::fflush(nullptr);  // or a child that flushes, as ThreadSanitizer's does, prints it too
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(out >= 0 ? out : out_write.get(), STDOUT_FILENO);
            ::dup2(err_write.get(), STDERR_FILENO);
            words.insert(words.begin(), "latt");
            std::vector<char*> argv;
            argv.reserve(words.size() + 1);
            for (std::string& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            // The test's own copies of the pipes are closed as an exec would close them.
            ::close_range(3, ~0U, 0);
            ::_exit(classic_main(static_cast<int>(words.size()), argv.data()));
        }
    }
    ~ClassicProgram() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    ClassicProgram(const ClassicProgram&) = delete;
    ClassicProgram& operator=(const ClassicProgram&) = delete;

    void signal(int number) const { ::kill(pid_, number); }

    // Reads standard output until `text` has come.
    void wait_for(const std::string& text) {
        std::array<char, 256> buffer{};
        while (output_.find(text) == std::string::npos) {
            const ssize_t got = ::read(out_.get(), buffer.data(), buffer.size());
            ASSERT_GT(got, 0) << output_;
            output_.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    // The exit status; afterwards output and errors are whole, and nothing holds the pipes.
    int finish() {
        drain(out_.get(), output_);
        drain(err_.get(), errors_);
        int status = 0;
        EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
        pid_ = -1;
        EXPECT_TRUE(WIFEXITED(status));
        return WEXITSTATUS(status);
    }

    [[nodiscard]] const std::string& output() const { return output_; }
    [[nodiscard]] const std::string& errors() const { return errors_; }

  private:
    static void drain(int fd, std::string& text) {
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) > 0;) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    pid_t pid_ = -1;
    Fd out_, err_;
    std::string output_, errors_;
};

TEST(ClassicProgram, PrintsTheClassicFormatAfterTheCommandsOutput) {
    ClassicProgram latt({"-c2", "-s0", "-S1", "-x1", "echo hello; sleep 0.5"});
    EXPECT_EQ(latt.finish(), 0);
    const std::string averages =
        "-------------------------------------\n"
        "\tMax\t\t *[0-9]+ usec\n"
        "\tAvg\t\t *[0-9]+ usec\n"
        "\tStdev\t\t *[0-9]+ usec\n"
        "\tStdev mean\t *[0-9]+ usec\n";
    EXPECT_THAT(latt.output(), MatchesRegex("hello\n"
                                            "\nParameters: min_wait=0ms, max_wait=1ms, clients=2\n"
                                            "Entries logged: [0-9]+\n"
                                            "\nWakeup averages\n" +
                                            averages + "\nWork averages\n" + averages));
    EXPECT_THAT(latt.errors(), IsEmpty());
}

TEST(ClassicProgram, HasNoWorkBlockWithoutWork) {
    ClassicProgram latt({"-s0", "-S1", "-x0", "sleep 0.5"});
    EXPECT_EQ(latt.finish(), 0);
    EXPECT_THAT(latt.output(), HasSubstr("Wakeup averages"));
    EXPECT_THAT(latt.output(), Not(HasSubstr("Work averages")));
}

TEST(ClassicProgram, PassesTheCommandsStatusOn) {
    for (const auto& [command, status] : std::vector<std::pair<std::string, int>>{
             {"exit 3", 3}, {"kill -9 $$", 137}, {"kill -TERM $$", 143}, {"/no/such", 127}}) {
        ClassicProgram latt({"-x0", command});
        EXPECT_EQ(latt.finish(), status) << command;
        EXPECT_THAT(latt.output(), HasSubstr("Parameters:")) << command;
    }
}

TEST(ClassicProgram, ACommandTooShortForARoundHasNoEntries) {
    ClassicProgram latt({"-s3600000", "-S3600000", "true"});
    EXPECT_EQ(latt.finish(), 0);
    EXPECT_EQ(latt.output(),
              "\nParameters: min_wait=3600000ms, max_wait=3600000ms, clients=1\n"
              "Entries logged: 0\n");
    EXPECT_THAT(latt.errors(), HasSubstr("no entries"));
}

TEST(ClassicProgram, KeepsQuotesAndBlanksAndGivesNoInput) {
    ClassicProgram latt({"-x0", "printf '%s\\n' \"a  b\"; cat; echo end"});
    EXPECT_EQ(latt.finish(), 0);
    EXPECT_THAT(latt.output(), StartsWith("a  b\nend\n"));
}

TEST(ClassicProgram, ASignalEndsTheCommandAndPrintsWhatThereIs) {
    for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
        ClassicProgram latt({"-x0", "echo started; exec sleep 1000"});
        latt.wait_for("started\n");
        latt.signal(signal);
        // It returns only once `sleep`, which holds the pipe too, is gone.
        EXPECT_EQ(latt.finish(), status);
        EXPECT_THAT(latt.output(), HasSubstr("Parameters:"));
    }
}

TEST(ClassicProgram, AFullDiskIsNoSuccess) {
    const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    ASSERT_TRUE(full.valid());
    ClassicProgram latt({"-x0", "true"}, full.get());
    EXPECT_EQ(latt.finish(), 1);
    EXPECT_THAT(latt.errors(), HasSubstr("No space left on device"));
}

TEST(ClassicProgram, BadNumbersAreRefusedInOneLine) {
    ClassicProgram latt({"-c", "4x", "echo ran"});
    EXPECT_EQ(latt.finish(), 2);
    EXPECT_EQ(latt.errors(), "latt: -c: '4x' is not a whole number from 1 to 1000000\n");
    EXPECT_THAT(latt.output(), IsEmpty());
}

TEST(ClassicProgram, NoCommandIsAUsageError) {
    for (const auto& words : std::vector<std::vector<std::string>>{{}, {"-c8"}, {" "}}) {
        ClassicProgram latt(words);
        EXPECT_EQ(latt.finish(), 2);
        EXPECT_THAT(latt.errors(), StartsWith("Usage: latt [-c clients]"));
        EXPECT_THAT(latt.output(), IsEmpty());
    }
}

TEST(ClassicProgram, HelpAndVersionGoToStandardOutput) {
    ClassicProgram help({"-h"});
    EXPECT_EQ(help.finish(), 0);
    EXPECT_THAT(help.output(), StartsWith("Usage: latt"));
    EXPECT_THAT(help.output(), HasSubstr("Exit status"));
    ClassicProgram version({"-V"});
    EXPECT_EQ(version.finish(), 0);
    EXPECT_EQ(version.output(), "latt 0.1 (bench " + std::string(tool_version().version) + ")\n");
}

TEST(ClassicProgram, VerboseTellsEachClientOnStandardError) {
    ClassicProgram latt({"-v", "-c2", "-s0", "-S1", "-x0", "sleep 0.5"});
    EXPECT_EQ(latt.finish(), 0);
    EXPECT_THAT(latt.errors(), HasSubstr("client 1: "));
    EXPECT_THAT(latt.output(), Not(HasSubstr("client 1")));
}

}  // namespace
}  // namespace bench::latt
