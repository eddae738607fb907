#include <algorithm>

#include "common/bundle.h"

namespace bench {

namespace {

std::string escape(std::string_view text, std::string_view special) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string escaped;
    for (const char c : text) {
        if (special.find(c) == std::string_view::npos) {
            escaped += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        escaped += '%';
        escaped += kHex[byte >> 4U];
        escaped += kHex[byte & 15U];
    }
    return escaped;
}

/// Only what escape() writes; any other '%' stands for itself.
std::string unescape(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::string_view code = text.substr(0, 3);
        if (code == "%25" || code == "%3B" || code == "%3D") {
            plain += code == "%25" ? '%' : code == "%3B" ? ';' : '=';
            text.remove_prefix(3);
        } else {
            plain += text[0];
            text.remove_prefix(1);
        }
    }
    return plain;
}

}  // namespace

std::string format_variant(std::vector<std::pair<std::string, std::string>> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (const auto& [key, value] : pairs) {
        if (!text.empty()) {
            text += ';';
        }
        text += escape(key, "%;=");
        text += '=';
        text += escape(value, "%;");
    }
    return text;
}

std::vector<std::pair<std::string, std::string>> parse_variant(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> pairs;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find(';'));
        const std::string_view key = pair.substr(0, pair.find('='));
        const std::string_view value =
            key.size() < pair.size() ? pair.substr(key.size() + 1) : std::string_view{};
        pairs.emplace_back(unescape(key), unescape(value));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
    }
    return pairs;
}

}  // namespace bench
