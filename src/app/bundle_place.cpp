#include "app/bundle_place.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "common/clock.h"

namespace bench {

Result<std::filesystem::path> choose_bundle_dir(const std::filesystem::path& out,
                                                const std::string& test) {
    utsname names{};
    if (::uname(&names) != 0) {
        return errno_error("uname");
    }
    std::string kernel = names.release;
    std::replace(kernel.begin(), kernel.end(), '/', '_');
    const std::string name = utc_basic(std::time(nullptr)) + "-" + test + "-" + kernel;
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
                                 const Json& header) {
    while (true) {
        auto place = choose_bundle_dir(out, test);
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
