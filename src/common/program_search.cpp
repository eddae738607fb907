#include "common/program_search.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace bench {
namespace {

bool is_executable_file(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::filesystem::path> find_program(std::string_view name) {
    if (name.find('/') != std::string_view::npos) {
        return is_executable_file(name) ? std::optional(std::filesystem::path(name)) : std::nullopt;
    }
    const char* path = std::getenv("PATH");
    std::string_view folders(path != nullptr ? path : "/bin:/usr/bin");
    while (!name.empty()) {
        const std::size_t end = folders.find(':');
        const std::string_view folder = folders.substr(0, end);
        const std::filesystem::path candidate =
            std::filesystem::path(folder.empty() ? "." : folder) / name;
        if (is_executable_file(candidate)) {
            return candidate;
        }
        if (end == std::string_view::npos) {
            break;
        }
        folders.remove_prefix(end + 1);
    }
    return std::nullopt;
}

}  // namespace bench
