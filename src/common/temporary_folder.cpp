#include "common/temporary_folder.h"

#include <cstdlib>
#include <string>

namespace bench {

Result<std::filesystem::path> make_temporary_folder(std::string_view prefix) {
    const char* parent = std::getenv("TMPDIR");
    std::string name = std::string(parent == nullptr || *parent == '\0' ? "/tmp" : parent) + "/" +
                       std::string(prefix) + "-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        return errno_error("make folder", name);
    }
    return std::filesystem::path(name);
}

}  // namespace bench
