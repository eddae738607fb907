#include "vm/guest_programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "common/clock.h"
#include "common/file.h"

namespace bench {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Result<std::string> qemu_version(const fs::path& qemu, const Guardian& keeper) {
    constexpr Duration kPatience = 30s;
    SupervisedCommand command;
    command.argv = {qemu.string(), "--version"};
    command.output = keeper.scratch() / "qemu-version";
    auto guardian = Guardian::start({.commands = {command},
                                     .remove_afterwards = {},
                                     .scratch_prefix = {},
                                     .outlived_by = &keeper});
    if (!guardian) {
        return guardian.error();
    }
    const TimePoint give_up = MonotonicClock::now() + kPatience;
    while (guardian->poll_exits().empty() && MonotonicClock::now() < give_up) {
        ::usleep(10'000);
    }
    const bool clean = !guardian->poll_exits().empty() && guardian->poll_exits().front().clean();
    if (auto stopped = guardian->stop(0s); !stopped) {
        return stopped.error();
    }
    const std::string text = read_file(command.output).optional().value_or("");
    std::error_code ignored;
    fs::remove(command.output, ignored);
    if (!clean || text.empty()) {
        return plain_error("run", qemu.string() + " --version", "it failed: " + text);
    }
    return text.substr(0, text.find('\n'));
}

Result<fs::path> find_guest_program() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return plain_error("find", "bench-static", error.message());
    }
    const fs::path here = self.parent_path();
    const std::array places = {here / "bench-static",
                               here.parent_path() / "libexec" / "bench" / "bench-static"};
    for (const fs::path& place : places) {
        if (fs::is_regular_file(place, error)) {
            return place;
        }
    }
    return plain_error("find", "bench-static",
                       fmt::format("guests run it, and it is neither {} nor {}: build it too",
                                   places[0].string(), places[1].string()));
}

}  // namespace bench
