#include "common/file_tail.h"

#include <algorithm>
#include <fstream>

namespace bench {

std::string file_tail(const std::filesystem::path& path, std::size_t bytes) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        return {};
    }
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
    const std::size_t from = size > bytes ? size - bytes : 0;
    file.seekg(static_cast<std::streamoff>(from));
    std::string tail(size - from, '\0');
    file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    tail.resize(static_cast<std::size_t>(file.gcount()));
    if (from > 0) {
        tail.erase(0, std::min(tail.find('\n'), tail.size() - 1) + 1);
    }
    while (!tail.empty() && tail.back() == '\n') {
        tail.pop_back();
    }
    return tail;
}

}  // namespace bench
