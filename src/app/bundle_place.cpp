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
    std::error_code error;
    std::filesystem::path place = out / name;
    for (int number = 2; std::filesystem::exists(place, error); ++number) {
        place = out / (name + "-" + std::to_string(number));
    }
    if (error) {
        return Error{error.value(), "look up", place.string(), {}};
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
