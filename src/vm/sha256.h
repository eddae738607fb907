#pragma once

#include <string>
#include <string_view>

namespace bench {

/// SHA-256 (FIPS 180-4) in hexadecimal, lower case: which kernel and image a guest ran.
[[nodiscard]] std::string sha256_hex(std::string_view data);

}  // namespace bench
