#include "common/temporary_folder.h"

#include <cstdlib>
#include <string>

namespace bench {

std::filesystem::path temporary_prefix(std::string_view name) {
    const char* parent = std::getenv("TMPDIR");
    const std::filesystem::path folder = parent == nullptr || *parent == '\0' ? "/tmp" : parent;
    return folder / (std::string(name) + "-");
}

}  // namespace bench
