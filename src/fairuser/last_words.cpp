#include "fairuser/last_words.h"

#include "common/file_tail.h"

namespace bench::fairuser {

std::string last_words(const std::filesystem::path& output) {
    constexpr std::size_t kTail = 2000;
    std::string line;
    for (const char c : file_tail(output, kTail)) {
        line += c == '\n' ? std::string(" | ") : std::string(1, c);
    }
    return line.empty() ? "; it printed nothing" : "; it printed: " + line;
}

}  // namespace bench::fairuser
