#include "common/environment_text.h"

#include <algorithm>
#include <charconv>

namespace bench::environment {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::size_t kLongestFact = 16384;

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end != 0) {
            result.push_back(text.substr(0, end));
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    for (;;) {
        const std::size_t first = text.find_first_not_of(kBlanks);
        if (first == std::string_view::npos) {
            return result;
        }
        text.remove_prefix(first);
        const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
        result.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc() || stop != end) {
        return std::nullopt;
    }
    return value;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key,
                                         char separator) {
    for (const std::string_view line : lines(text)) {
        const std::size_t at = line.find(separator);
        if (at != std::string_view::npos && trim(line.substr(0, at)) == key) {
            return trim(line.substr(at + 1));
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> chosen(std::string_view text) {
    for (const std::string_view word : words(text)) {
        if (word.size() > 2 && ((word.front() == '[' && word.back() == ']') ||
                                (word.front() == '(' && word.back() == ')'))) {
            return word.substr(1, word.size() - 2);
        }
    }
    return std::nullopt;
}

std::optional<std::string> command_line_value(std::string_view command_line, std::string_view key) {
    std::optional<std::string> value;
    for (const std::string_view word : words(command_line)) {
        // What follows "--" is meant for init.
        if (word == "--") {
            break;
        }
        if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') {
            value = word.substr(key.size() + 1);
        }
    }
    return value;
}

std::optional<std::string> fact(const SystemRoot& system, std::string_view path) {
    std::optional<std::string> text = system.read_trimmed(path);
    return text && text->size() <= kLongestFact ? text : std::nullopt;
}

std::optional<CpuSet> cpu_list_fact(const SystemRoot& system, std::string_view path) {
    const std::optional<std::string> text = fact(system, path);
    if (!text) {
        return std::nullopt;
    }
    const std::string_view list = trim(*text);
    return list == "(null)" ? CpuSet() : CpuSet::parse(list).optional();
}

void put(Json& json, std::string_view key, const std::optional<CpuSet>& value) {
    if (value) {
        json[std::string(key)] = value->to_list();
    }
}

void put(Json& json, std::string_view key, Json value) {
    if (!value.empty()) {
        json[std::string(key)] = std::move(value);
    }
}

void CpuGroups::add(std::string value, int cpu) {
    for (auto& [known, cpus] : groups_) {
        if (known == value) {
            cpus.push_back(cpu);
            return;
        }
    }
    groups_.emplace_back(std::move(value), std::vector<int>{cpu});
}

Json CpuGroups::json() const {
    Json result = Json::object();
    for (const auto& [value, cpus] : groups_) {
        result[value] = CpuSet(cpus).to_list();
    }
    return result;
}

std::vector<int> numbered(const SystemRoot& system, std::string_view path,
                          std::string_view prefix) {
    std::vector<int> numbers;
    for (const std::string& name : system.list(path)) {
        if (!name.starts_with(prefix)) {
            continue;
        }
        const auto number = whole_number(std::string_view(name).substr(prefix.size()));
        if (number && *number >= 0 && *number <= 1'048'575) {
            numbers.push_back(static_cast<int>(*number));
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace bench::environment
