#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace bench {

/// A set of CPU numbers of any size, with holes. Kept sorted.
class CpuSet {
  public:
    CpuSet() = default;
    /// Any order, duplicates allowed, numbers >= 0.
    explicit CpuSet(std::vector<int> cpus);

    /// Reads the kernel's list format: "0-3,8,10-11"; also with a stride as the kernel knows it
    /// ("0-31:2/8"). Empty text is the empty set. Numbers up to 1,048,575.
    [[nodiscard]] static Result<CpuSet> parse(std::string_view list);

    [[nodiscard]] bool contains(int cpu) const;
    [[nodiscard]] bool contains_all(const CpuSet& other) const;
    [[nodiscard]] std::size_t size() const { return cpus_.size(); }
    [[nodiscard]] bool empty() const { return cpus_.empty(); }
    /// Ascending.
    [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }
    [[nodiscard]] CpuSet intersection(const CpuSet& other) const;
    [[nodiscard]] CpuSet minus(const CpuSet& other) const;

    /// "0-3,8"; the empty set is "".
    [[nodiscard]] std::string to_list() const;
    /// The kernel's mask format, words of 32 bits, highest first: "ffffffff,00000001"; the empty
    /// set is "0".
    [[nodiscard]] std::string to_mask() const;

    bool operator==(const CpuSet&) const = default;

  private:
    std::vector<int> cpus_;
};

}  // namespace bench
