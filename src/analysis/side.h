#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/bundle.h"

namespace bench::analysis {

/// One cell of a bundle with its rows: one launch of one test.
struct Launch {
    CellKey key;
    std::size_t bundle = 0;                   ///< place among the bundles of its side
    std::string boot_id;                      ///< empty: unknown
    std::string side;                         ///< "a", "b" in a run of pairs; else empty
    Json cell;                                ///< its object in run.json
    std::shared_ptr<const Json> environment;  ///< null: not captured
    std::vector<SummaryRow> rows;

    /// ok, tainted, failed or not-run: the worst of its rows; not-run without rows.
    [[nodiscard]] RowStatus status() const;
};

/// All that one side of a comparison was measured by.
struct Side {
    std::string label;                    ///< as people call it: the runs' label, or their folder
    std::vector<std::string> bundles;     ///< their folders
    std::vector<Launch> launches;         ///< in the order of the files
    std::vector<std::string> incomplete;  ///< bundles whose run was not finished, with the reason

    /// The distinct ones, oldest version first; unknown ones left out.
    [[nodiscard]] std::vector<std::string> kernels() const;
    [[nodiscard]] std::set<std::string> boots() const;
};

/// Adds a bundle that was read. Rows whose cell run.json does not know are left out, and the bundle
/// is incomplete: which launch they belong to is unknown.
void add_bundle(Side& side, const Bundle& bundle);

/// Reads a bundle, or a folder of bundles (all of it, by name). An Error: there is none, or one is
/// damaged.
[[nodiscard]] Result<Side> read_side(const std::filesystem::path& path);

}  // namespace bench::analysis
