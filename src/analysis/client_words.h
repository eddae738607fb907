#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench::analysis {

/// Which of `all` client counts `some` are, in words: "from 12 clients up", "up to 4 clients",
/// "at 1..4, 8 clients" (where 1..4 leaves none of `all` out); "" for all or none of them. Both
/// ascending, `some` among `all`.
[[nodiscard]] std::string clients_words(const std::vector<std::int64_t>& some,
                                        const std::vector<std::int64_t>& all);

}  // namespace bench::analysis
