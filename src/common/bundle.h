#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/metric.h"
#include "common/result.h"
#include "common/statistics.h"

namespace bench {

using Json = nlohmann::ordered_json;

/// ok; not_run: could not start; failed: started and broke; tainted: ran, but something makes it
/// doubtful.
enum class RowStatus { ok, not_run, failed, tainted };
[[nodiscard]] std::string_view status_text(
    RowStatus status);  ///< "ok", "not-run", "failed", "tainted"
[[nodiscard]] std::optional<RowStatus> parse_status(std::string_view text);

/// One `key=value` list as the variant column holds it: keys sorted, joined by ';'. '%' and ';'
/// within a key or value are written %25 and %3B, '=' within a key %3D.
[[nodiscard]] std::string format_variant(std::vector<std::pair<std::string, std::string>> pairs);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_variant(std::string_view text);

/// What identifies a cell. Absent fields are empty in summary.csv.
struct CellKey {
    std::string test;
    std::string kernel;     ///< uname -r where it ran
    std::string scheduler;  ///< "CFS", "EEVDF", ...; empty when unknown
    std::string variant;    ///< format_variant
    std::optional<std::int64_t> clients, repetition, boot, pair, order;
    std::optional<std::uint64_t> seed;
};

/// One line of summary.csv.
struct SummaryRow {
    CellKey key;
    std::string subject;
    Metric metric;  ///< description is not in the file: see run.json
    RowStatus status = RowStatus::ok;
    std::optional<Summary> figures;  ///< absent: nothing measured, all figures empty
};

/// Figures of a metric whose single values nobody knows: what a classic program printed. Those it
/// did not print are absent.
struct ReadySummary {
    Metric metric;
    std::string subject;  ///< as in Series
    Summary summary;
};

/// One cell as it goes into a bundle.
struct CellRecord {
    std::int64_t cell = 1;  ///< number within the bundle, from 1
    CellKey key;
    RowStatus status = RowStatus::ok;
    std::string reason;  ///< why not-run or failed; empty otherwise
    std::string hint;    ///< the cure, when one is known
    std::vector<std::string>
        taints;  ///< what makes it doubtful; status is tainted when there is one
    std::vector<std::string> notes;  ///< worth knowing, not doubtful
    std::vector<Metric>
        metrics;  ///< all the cell should have measured: a cell without figures has a row for each
    std::vector<Series> series;
    std::vector<ReadySummary> summaries = {};  ///< of metrics and subjects that are in no series
    Json
        environment;  ///< facts that stay (kernel, CPUs, ...); an object, or null when not captured
    Json details;     ///< the rest: state before and after, workers as read back, load, times
};

/// What is known of a cell beside what it wrote itself: told by whoever ran it.
struct CellAddition {
    std::vector<std::string> taints;        ///< a cell that was ok becomes tainted by one
    Json details;                           ///< members of its entry in run.json; an object or null
    std::optional<std::int64_t> cell = {};  ///< its number; absent: as in its own bundle
};

/// What a cell shows only beside others of its bundle, once they are there too.
struct LateFigures {
    std::int64_t order = 0;      ///< of the cell: by it its rows are known
    std::vector<Series> series;  ///< of rows that have no figures yet
    CellAddition addition;
};

/// Fills `rows` as BundleWriter::fill() fills the file. An Error: a series has no row of its metric
/// and subject in its cell, or one that has figures.
[[nodiscard]] Status fill_rows(std::vector<SummaryRow>& rows, const std::vector<LateFigures>& late);

/// Writes a bundle cell by cell. Each file is replaced whole: written aside, synced, renamed;
/// samples.csv.gz grows by one gzip member a cell and is cut back when the disk is full. After an
/// Error the files hold what they held before, and the call may be tried again. A writer that is
/// killed leaves whole cells: run.json, replaced last, tells how much of the other files counts.
class BundleWriter {
  public:
    /// Makes the folder `dir` (its parents too), which must not exist, and all three files, so that
    /// a place that can't be written is known before anything is measured. `header` is run.json's
    /// head: command, label, plan; an Error when it has a key the writer fills itself. After an
    /// Error no folder it made is left.
    [[nodiscard]] static Result<BundleWriter> create(const std::filesystem::path& dir, Json header);

    /// Each metric of `record.metrics` gets a row, then each series and ready summary that is none
    /// of them. An Error also for what can't be written truly: a cell number or a metric and
    /// subject used twice, values that are no number, `clients` or `at_ns` of another length than
    /// `values`.
    [[nodiscard]] Status add(const CellRecord& record);

    /// Takes over the one cell of another bundle (what `bench exec` wrote): its rows with `key`'s
    /// repetition, pair and order, its samples, its environment once per distinct one.
    /// The boot is `key`'s, else the number of the environment's boot_id. Kernel, scheduler,
    /// variant, clients and seed stay the cell bundle's.
    [[nodiscard]] Status merge(const std::filesystem::path& cell_bundle, const CellKey& key,
                               const CellAddition& addition = {});

    /// Gives figures to rows that have none, in cells that are here: rows, samples, and what is
    /// added to the cells, in one step. Errors as of fill_rows(), or no cell has such an order.
    [[nodiscard]] Status fill(const std::vector<LateFigures>& late);

    /// Sets run.json's status: "complete", or "incomplete" with the reason.
    [[nodiscard]] Status finish(std::string_view status, std::string_view reason = {});

    [[nodiscard]] const std::filesystem::path& dir() const { return dir_; }
    [[nodiscard]] const Json& run() const { return run_; }

  private:
    /// Appends to the samples through a descriptor that stands at their end; gives back the bytes.
    using AppendSamples = std::function<Result<std::uint64_t>(int fd)>;

    BundleWriter(std::filesystem::path dir, Json run, std::string summary,
                 std::uint64_t samples_bytes)
        : dir_(std::move(dir)),
          run_(std::move(run)),
          summary_(std::move(summary)),
          samples_bytes_(samples_bytes) {}
    [[nodiscard]] Status check_new_cell(std::int64_t cell) const;
    /// summary.csv with these rows behind what it holds.
    [[nodiscard]] std::string summary_with(const std::vector<SummaryRow>& rows) const;
    /// run.json and summary.csv as they shall be; `append` may be empty: no samples.
    [[nodiscard]] Status commit(Json run, std::string summary, const AppendSamples& append);

    std::filesystem::path dir_;
    Json run_;
    std::string summary_;
    std::uint64_t samples_bytes_ = 0;
};

/// A bundle as read back.
struct Bundle {
    std::filesystem::path dir;
    Json run;  ///< has cells, metrics, boots, environments (arrays) and samples_bytes
    std::vector<SummaryRow> rows;
};

/// Reads run.json and summary.csv. Errors name file and line. Of a bundle whose writer was killed,
/// the cells that run.json lists count.
[[nodiscard]] Result<Bundle> read_bundle(const std::filesystem::path& dir);

/// The text of samples.csv.gz as far as run.json's samples_bytes says; what lies beyond is the
/// rest of a cell that was not finished. All in memory.
[[nodiscard]] Result<std::string> read_samples(const Bundle& bundle);

/// The header line of summary.csv, without the line feed.
[[nodiscard]] std::string_view summary_header();
/// One line of summary.csv without the line feed. Durations are rounded to whole nanoseconds.
[[nodiscard]] std::string format_summary_row(const SummaryRow& row);
/// The rows of summary.csv's text; refuses another header.
[[nodiscard]] Result<std::vector<SummaryRow>> parse_summary(std::string_view text);

/// Replaces `path` whole: written beside it, synced, renamed over it, folder synced. On an Error
/// the old file is untouched and nothing is left beside it. A symbolic link stays and its target is
/// replaced; a device or pipe (/dev/stdout) is written to.
[[nodiscard]] Status write_file_atomically(const std::filesystem::path& path,
                                           std::string_view text);

/// JSON text for files and pipes: two spaces, a final line feed; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const Json& json);

}  // namespace bench
