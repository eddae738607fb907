#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "common/load_supervised.h"

namespace bench {
namespace {

/// The first word, if it is a path the shell would take literally; else empty.
std::string plain_path(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,";
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) {
        return {};
    }
    const std::string_view word = text.substr(start, text.find_first_of(kBlanks, start) - start);
    const bool literal = word.find_first_not_of(kPlain) == std::string_view::npos;
    return literal && word.find('/') != std::string_view::npos ? std::string(word) : std::string();
}

/// What the shell would only say with status 126 or 127, once the clock runs.
Status check_executable(const std::string& path) {
    if (path.empty()) {
        return {};
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return Error{EACCES, "execute", path, "load command is a folder"};
    }
    if (::access(path.c_str(), X_OK) != 0) {
        return errno_error("execute", path, "load command");
    }
    return {};
}

}  // namespace

Result<LoadPlan> plan_command(const LoadOptions& options) {
    constexpr Duration kTimeToTidyUp = std::chrono::milliseconds(500);
    if (const Status found = check_executable(plain_path(options.spec.argument)); !found) {
        return found.error();
    }
    Result<Guardian> folder = make_load_folder();
    if (!folder) {
        return folder.error();
    }
    const std::filesystem::path scratch = folder->scratch();
    LoadPlan plan;
    plan.grace = kTimeToTidyUp;
    plan.folder.emplace(std::move(folder).value());
    for (std::int64_t copy = 0; copy < options.copies; ++copy) {
        const std::filesystem::path temporary = scratch / fmt::format("tmp-{}", copy);
        std::error_code code;
        if (!std::filesystem::create_directory(temporary, code)) {
            return Error{code.value(), "mkdir", temporary.string(), {}};
        }
        SupervisedCommand command;
        command.argv = {"/bin/sh", "-c", options.spec.argument};
        command.environment = {"TMPDIR=" + temporary.string()};
        command.output = scratch / fmt::format("output-{}", copy);
        plan.commands.push_back(std::move(command));
    }
    return plan;
}

}  // namespace bench
