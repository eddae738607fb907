#include "analysis/client_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace bench::analysis {

std::string clients_words(const std::vector<std::int64_t>& some,
                          const std::vector<std::int64_t>& all) {
    if (some.empty() || some.size() == all.size()) {
        return {};
    }
    std::string ranges;
    std::size_t count = 0;
    std::size_t first = 0;
    for (std::size_t place = 0; place < all.size(); ++place) {
        const auto is_one = [&](std::size_t at) {
            return at < all.size() && std::binary_search(some.begin(), some.end(), all[at]);
        };
        if (!is_one(place)) {
            continue;
        }
        if (place == 0 || !is_one(place - 1)) {
            first = place;
        }
        if (is_one(place + 1)) {
            continue;
        }
        ++count;
        ranges += ranges.empty() ? "" : ", ";
        ranges += first == place ? fmt::format("{}", all[first])
                                 : fmt::format("{}..{}", all[first], all[place]);
    }
    if (count == 1 && some.size() > 1 && some.back() == all.back()) {
        return fmt::format("from {} clients up", some.front());
    }
    if (count == 1 && some.size() > 1 && some.front() == all.front()) {
        return fmt::format("up to {} clients", some.back());
    }
    return fmt::format("at {} {}", ranges,
                       some.size() == 1 && some.front() == 1 ? "client" : "clients");
}

}  // namespace bench::analysis
