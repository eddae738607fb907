#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/benchmark.h"
#include "runner/cell_axes.h"

namespace bench {

/// A or B of `bench ab`: the options of its cells, read and checked before anything runs.
struct AbSide {
    std::string text;                ///< as given
    std::vector<std::string> words;  ///< its own, as a cell's command line takes them
    std::unique_ptr<Benchmark> benchmark;
    std::vector<CellAxis> axes;  ///< refer to benchmark
    CellOptions cell;            ///< with what both sides share
};

/// Reads what `option` ("--a") was given, together with the words both sides share, which it may
/// not repeat. An Error has object = option.
[[nodiscard]] Result<std::unique_ptr<AbSide>> read_ab_side(const std::string& option,
                                                           const std::string& text,
                                                           const std::vector<std::string>& shared,
                                                           std::unique_ptr<Benchmark> benchmark);

/// Splits at blanks as a shell does: '...' and "..." hold words together, nothing else is special.
/// An Error: a quote left open.
[[nodiscard]] Result<std::vector<std::string>> split_words(const std::string& text);

}  // namespace bench
