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
    // One byte more tells whether the cut falls on the start of a line.
    const std::size_t from = size > bytes ? size - bytes - 1 : 0;
    file.seekg(static_cast<std::streamoff>(from));
    std::string tail(size - from, '\0');
    file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    tail.resize(static_cast<std::size_t>(file.gcount()));
    if (size > bytes) {
        const std::size_t line_end = tail.find('\n');
        const bool inside_last_line = line_end == std::string::npos || line_end + 1 == tail.size();
        tail.erase(0, inside_last_line ? 1 : line_end + 1);
    }
    while (!tail.empty() && tail.back() == '\n') {
        tail.pop_back();
    }
    return tail;
}

}  // namespace bench
