#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cpu_set.h"
#include "common/sysfs.h"

// Small readers shared by the parts of the environment.
namespace bench::environment {

using Json = nlohmann::ordered_json;

/// Without white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
/// Lines without their line feed; empty lines are left out.
[[nodiscard]] std::vector<std::string_view> lines(std::string_view text);
/// Parts between runs of white space.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);
/// A whole number, sign allowed, and nothing else.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
/// The trimmed value of the first line "KEY<separator>VALUE", blanks around the separator allowed.
[[nodiscard]] std::optional<std::string_view> value_of(std::string_view text, std::string_view key,
                                                       char separator = ':');
/// The choice in force in "a [b] c" or "a (b) c".
[[nodiscard]] std::optional<std::string_view> chosen(std::string_view text);
/// The value of `key=value` on a kernel command line; the last one counts, as in the kernel.
[[nodiscard]] std::optional<std::string> command_line_value(std::string_view command_line,
                                                            std::string_view key);

/// A fact in a file: its trimmed text. Absent when it can't be read, and when it is too long to be
/// a fact (16 KiB).
[[nodiscard]] std::optional<std::string> fact(const SystemRoot& system, std::string_view path);
/// A CPU list in a file. "(null)", which some kernels print for "none", is the empty set.
[[nodiscard]] std::optional<CpuSet> cpu_list_fact(const SystemRoot& system, std::string_view path);

/// Sets `json[key]`, or leaves the key out: what was not read has no key.
template <class T>
void put(Json& json, std::string_view key, const std::optional<T>& value) {
    if (value) {
        json[std::string(key)] = *value;
    }
}
void put(Json& json, std::string_view key, const std::optional<CpuSet>& value);
/// Leaves out an object or array that holds nothing.
void put(Json& json, std::string_view key, Json value);

/// Which CPUs share a value: {"performance": "0-3", "powersave": "4-7"}, in order of first CPU.
class CpuGroups {
  public:
    void add(std::string value, int cpu);
    [[nodiscard]] Json json() const;
    [[nodiscard]] const std::vector<std::pair<std::string, std::vector<int>>>& groups() const {
        return groups_;
    }

  private:
    std::vector<std::pair<std::string, std::vector<int>>> groups_;
};

/// Numbers of the folders PREFIXn in `path`, ascending: CPUs, NUMA nodes.
[[nodiscard]] std::vector<int> numbered(const SystemRoot& system, std::string_view path,
                                        std::string_view prefix);

}  // namespace bench::environment
