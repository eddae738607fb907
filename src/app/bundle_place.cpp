#include "app/bundle_place.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "common/clock.h"

namespace bench {

namespace {

/// As part of a folder's name: without what would make another folder or garble a terminal.
std::string name_part(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
    return text;
}

}  // namespace

Result<std::filesystem::path> choose_bundle_dir(const std::filesystem::path& out,
                                                const std::string& test,
                                                const std::optional<std::string>& kernel) {
    utsname names{};
    if (!kernel && ::uname(&names) != 0) {
        return errno_error("uname");
    }
    const std::string where = name_part(kernel.value_or(names.release));
    const std::string name =
        utc_basic(std::time(nullptr)) + "-" + test + (where.empty() ? "" : "-" + where);
    // A link that leads nowhere takes the name too. What can't be looked up is told when it is
    // made.
    const auto taken = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
    };
    std::filesystem::path place = out / name;
    for (int number = 2; taken(place); ++number) {
        place = out / (name + "-" + std::to_string(number));
    }
    return place;
}

Result<BundleWriter> make_bundle(const std::filesystem::path& out, const std::string& test,
                                 const Json& header, const std::optional<std::string>& kernel) {
    while (true) {
        auto place = choose_bundle_dir(out, test, kernel);
        if (!place) {
            return place.error();
        }
        auto writer = BundleWriter::create(*place, header);
        if (writer || writer.error().code != EEXIST) {
            return writer;
        }
    }
}

}  // namespace bench
