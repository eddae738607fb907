#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <set>

#include "common/atomic_file.h"
#include "common/bundle.h"
#include "common/bundle_schema.h"
#include "common/file.h"
#include "common/gzip.h"
#include "common/samples.h"

namespace bench {

namespace {

/// The samples file while a member is added; cut back to what it was unless keep() is called.
class SamplesTail {
  public:
    SamplesTail(std::filesystem::path path, std::uint64_t size)
        : path_(std::move(path)), size_(size) {}
    ~SamplesTail() {
        if (changed_ && ::truncate(path_.c_str(), static_cast<off_t>(size_)) != 0) {
            // run.json's samples_bytes still tells readers, and the next try, where to stop.
            return;
        }
    }
    SamplesTail(const SamplesTail&) = delete;
    SamplesTail& operator=(const SamplesTail&) = delete;

    Result<std::uint64_t> append(const std::function<Result<std::uint64_t>(int fd)>& write_member) {
        Result<Fd> file = open_file(path_, O_WRONLY);
        if (!file) {
            return file.error();
        }
        changed_ = true;
        const auto end = static_cast<off_t>(size_);
        if (::ftruncate(file->get(), end) != 0 || ::lseek(file->get(), end, SEEK_SET) != end) {
            return errno_error("write", path_.string());
        }
        Result<std::uint64_t> bytes = write_member(file->get());
        if (!bytes) {
            return bytes;
        }
        Status synced = sync_file(file->get(), path_);
        Status closed = close_file(std::move(*file), path_);
        if (!synced || !closed) {
            return synced ? closed.error() : synced.error();
        }
        return bytes;
    }

    void keep() { changed_ = false; }

  private:
    std::filesystem::path path_;
    std::uint64_t size_;
    bool changed_ = false;
};

Error bad_figures(const CellRecord& record, const Metric& metric, std::string detail) {
    return plain_error("write cell", fmt::format("{} metric {}", record.cell, metric.name),
                       std::move(detail));
}

bool all_finite(const Summary& summary) {
    constexpr std::array kStatistics = {Statistic::mean, Statistic::stdev, Statistic::min,
                                        Statistic::p50,  Statistic::p90,   Statistic::p95,
                                        Statistic::p99,  Statistic::p999,  Statistic::max};
    return std::all_of(kStatistics.begin(), kStatistics.end(), [&](Statistic statistic) {
        return std::isfinite(summary.get(statistic).value_or(0));
    });
}

Status check_series(const CellRecord& record) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Series& series : record.series) {
        if (!seen.emplace(series.metric.name, series.subject).second) {
            return bad_figures(record, series.metric, "twice for one subject");
        }
        if (!std::all_of(series.values.begin(), series.values.end(),
                         [](double x) { return std::isfinite(x); })) {
            return bad_figures(record, series.metric, "a value that is not a finite number");
        }
        const std::size_t n = series.values.size();
        if ((!series.clients.empty() && series.clients.size() != n) ||
            (!series.at_ns.empty() && series.at_ns.size() != n)) {
            return bad_figures(record, series.metric,
                               "clients or at_ns are not as many as the values they belong to");
        }
    }
    for (const ReadySummary& ready : record.summaries) {
        if (!seen.emplace(ready.metric.name, ready.subject).second) {
            return bad_figures(record, ready.metric, "twice for one subject");
        }
        if (!all_finite(ready.summary)) {
            return bad_figures(record, ready.metric, "a figure that is not a finite number");
        }
    }
    return {};
}

/// Each metric asked for has a row, with or without figures; so has what was measured beyond them.
std::vector<SummaryRow> summary_rows(const CellRecord& record) {
    std::vector<ReadySummary> left;
    for (const Series& series : record.series) {
        left.push_back({series.metric, series.subject, summarise(series.values)});
    }
    left.insert(left.end(), record.summaries.begin(), record.summaries.end());
    std::vector<SummaryRow> rows;
    const auto add_row = [&](const Metric& metric, const std::string& subject,
                             const std::optional<Summary>& figures) {
        rows.push_back({.key = record.key,
                        .subject = subject,
                        .metric = metric,
                        .status = record.status,
                        .figures = figures});
    };
    for (const Metric& metric : record.metrics) {
        const std::size_t before = rows.size();
        std::erase_if(left, [&](const ReadySummary& one) {
            if (one.metric.name != metric.name) {
                return false;
            }
            add_row(one.metric, one.subject, one.summary);
            return true;
        });
        if (rows.size() == before) {
            add_row(metric, {}, std::nullopt);
        }
    }
    for (const ReadySummary& one : left) {
        add_row(one.metric, one.subject, one.summary);
    }
    if (rows.empty()) {
        add_row(Metric{}, {}, std::nullopt);
    }
    return rows;
}

Json new_run(const Json& header) {
    Json run = {{"schema", kSchema}, {"schema_version", kSchemaVersion}};
    run.update(header);
    run["status"] = kRunning;
    for (const char* key : {"metrics", "boots", "environments"}) {
        run[key] = Json::array();
    }
    run["samples_bytes"] = 0U;
    run["summary_bytes"] = 0U;
    run["cells"] = Json::array();
    return run;
}

/// A folder made here is taken away again, with the parents made for it, unless keep() is called.
class NewFolder {
  public:
    explicit NewFolder(std::filesystem::path dir) : dir_(std::move(dir)) {}
    ~NewFolder() {
        std::error_code ignored;
        if (made_ && !kept_) {
            std::filesystem::remove_all(dir_, ignored);
        }
        for (auto parent = parents_.rbegin(); !kept_ && parent != parents_.rend(); ++parent) {
            ::rmdir(parent->c_str());  // stays if somebody else has put something there
        }
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    Status make() {
        std::error_code code;
        const auto whole = std::filesystem::absolute(dir_, code);
        if (code) {
            return Error{code.value(), "find", "the current folder", {}};
        }
        std::filesystem::path so_far;
        for (const auto& part : whole.parent_path()) {
            so_far /= part;
            if (::mkdir(so_far.c_str(), 0777) == 0) {
                parents_.push_back(so_far);
                continue;
            }
            const int why = errno;
            if (!std::filesystem::is_directory(so_far, code)) {
                return Error{why == EEXIST ? ENOTDIR : why, "make folder", so_far.string(), {}};
            }
        }
        made_ = ::mkdir(dir_.c_str(), 0777) == 0;
        if (!made_) {
            return errno_error("make folder", dir_.string(),
                               errno == EEXIST ? "a bundle is never overwritten: choose another "
                                                 "folder"
                                               : "");
        }
        return sync_folder(whole.parent_path());
    }
    void keep() { kept_ = true; }

  private:
    std::filesystem::path dir_;
    std::vector<std::filesystem::path> parents_;
    bool made_ = false;
    bool kept_ = false;
};

}  // namespace

Result<BundleWriter> BundleWriter::create(const std::filesystem::path& dir, Json header) {
    if (header.is_null()) {
        header = Json::object();
    }
    Json run = new_run(Json::object());
    for (const auto& [key, value] : header.items()) {
        if (run.contains(key) || key == "status_reason") {
            return plain_error("make bundle", dir.string(),
                               fmt::format("the header's key '{}' is the writer's own", key));
        }
    }
    run = new_run(header);
    const std::string summary = std::string(summary_header()) + "\n";
    const std::string samples = gzip_member(samples_header());
    run["samples_bytes"] = samples.size();
    run["summary_bytes"] = summary.size();

    NewFolder folder(dir);
    Status made = folder.make();
    if (!made) {
        return made.error();
    }
    FileTransaction files;
    const std::pair<const char*, std::string> contents[] = {
        {kSamplesFile, samples}, {kSummaryFile, summary}, {kRunFile, json_text(run)}};
    for (const auto& [name, text] : contents) {
        Status staged = files.stage(dir / name, text);
        if (!staged) {
            return staged.error();
        }
    }
    Status committed = files.commit();
    if (!committed) {
        return committed.error();
    }
    folder.keep();
    return BundleWriter(dir, std::move(run), summary, samples.size());
}

Status BundleWriter::check_new_cell(std::int64_t cell) const {
    const Json& cells = run_["cells"];
    const bool known = std::any_of(cells.begin(), cells.end(),
                                   [cell](const Json& other) { return other["cell"] == cell; });
    return known ? Status(plain_error("write cell", std::to_string(cell),
                                      "it is in " + dir_.string() + " already"))
                 : Status();
}

Status BundleWriter::add(const CellRecord& given) {
    Status checked = check_new_cell(given.cell);
    if (checked) {
        checked = check_series(given);
    }
    if (!checked) {
        return checked;
    }
    Json run = run_;
    CellRecord record = given;
    if (record.status == RowStatus::ok && !record.taints.empty()) {
        record.status = RowStatus::tainted;
    }
    record.key.boot = put_boot(run, record.environment, record.key.boot);
    for (const Metric& metric : record.metrics) {
        put_metric(run, metric_json(metric));
    }
    for (const Series& series : record.series) {
        put_metric(run, metric_json(series.metric));
    }
    for (const ReadySummary& ready : record.summaries) {
        put_metric(run, metric_json(ready.metric));
    }
    put_cell(run, cell_json(record), record.environment);

    const bool any_sample =
        std::any_of(record.series.begin(), record.series.end(),
                    [](const Series& series) { return !series.values.empty(); });
    AppendSamples append;
    if (any_sample) {
        append = [this, &record](int fd) {
            return write_samples(fd, dir_ / kSamplesFile, record.cell, record.series);
        };
    }
    return commit(std::move(run), summary_with(summary_rows(record)), append);
}

std::string BundleWriter::summary_with(const std::vector<SummaryRow>& rows) const {
    std::string summary = summary_;
    for (const SummaryRow& row : rows) {
        summary += format_summary_row(row) + "\n";
    }
    return summary;
}

Status BundleWriter::commit(Json run, std::string summary, const AppendSamples& append) {
    SamplesTail tail(dir_ / kSamplesFile, samples_bytes_);
    std::uint64_t samples_bytes = samples_bytes_;
    if (append) {
        Result<std::uint64_t> bytes = tail.append(append);
        if (!bytes) {
            return bytes.error();
        }
        samples_bytes += *bytes;
    }
    run["samples_bytes"] = samples_bytes;
    run["summary_bytes"] = summary.size();

    FileTransaction files;
    Status done = files.stage(dir_ / kSummaryFile, summary);
    if (done) {
        done = files.stage(dir_ / kRunFile, json_text(run));
    }
    if (done) {
        done = files.commit();
    }
    if (!done) {
        return done;
    }
    tail.keep();
    run_ = std::move(run);
    summary_ = std::move(summary);
    samples_bytes_ = samples_bytes;
    return {};
}

Status BundleWriter::finish(std::string_view status, std::string_view reason) {
    assert(status == kComplete || status == kIncomplete);
    Json run = Json::object();
    for (const auto& [key, value] : run_.items()) {
        if (key == "status") {
            run[key] = status;
            if (!reason.empty()) {
                run["status_reason"] = reason;
            }
        } else if (key != "status_reason") {
            run[key] = value;
        }
    }
    Status written = write_file_atomically(dir_ / kRunFile, json_text(run));
    if (written) {
        run_ = std::move(run);
    }
    return written;
}

}  // namespace bench
