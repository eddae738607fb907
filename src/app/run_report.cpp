#include "app/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "app/exit_codes.h"
#include "common/log.h"
#include "common/signal_name.h"
#include "common/units.h"
#include "runner/fitted_table.h"
#include "runner/table.h"

namespace bench {
namespace {

/// How long the cells lasted: as asked, or as their work took. An imported run does not tell.
std::string lengths(const Json& run) {
    const Json& plan = run.at("plan");
    if (!plan.contains("duration_ns")) {
        return "imported";
    }
    const Json& cells = run.at("cells");
    const auto by_work = std::count_if(cells.begin(), cells.end(), [](const Json& cell) {
        return cell.contains("duration_ns") && cell["duration_ns"].is_null();
    });
    std::string to_the_end = "each to the end of its work";
    if (by_work > 0 && by_work == std::ssize(cells)) {
        return to_the_end;
    }
    const std::string time =
        format_duration(Duration(plan.at("duration_ns").get<std::int64_t>())) + " a cell";
    return by_work > 0 ? time + " or " + to_the_end : time;
}

/// What is the same in every row stands in the title.
std::string title(const Bundle& bundle) {
    std::set<std::string> kernels;
    std::set<std::string> schedulers;
    std::set<std::string> variants;
    for (const auto& row : bundle.rows) {
        kernels.insert(row.key.kernel);
        schedulers.insert(row.key.scheduler);
        variants.insert(row.key.variant);
    }
    const Json& plan = bundle.run.at("plan");
    std::string text = plan.at("test").get<std::string>();
    if (kernels.size() == 1 && !kernels.begin()->empty()) {
        text += " on " + *kernels.begin();
    }
    if (schedulers.size() == 1) {
        text +=
            " (" + (schedulers.begin()->empty() ? "unknown scheduler" : *schedulers.begin()) + ")";
    }
    if (variants.size() == 1 && !variants.begin()->empty()) {
        text += ", " + *variants.begin();
    }
    text = printable(text);
    const auto repetitions = plan.at("repetitions").get<std::int64_t>();
    text += ", " + lengths(bundle.run);
    if (repetitions > 1) {
        text += fmt::format(", medians of {} repetitions", repetitions);
    }
    return text + "\n\n";
}

/// Texts that differ in their figures only are one remark: "load ended at t=0.5s", "... at t=0.7s".
std::string without_figures(const std::string& text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool sign = c == '-' && at + 1 < text.size() && is_digit(text[at + 1]);
        if (!is_digit(c) && c != '.' && !sign) {
            plain += c;
        } else if (plain.empty() || plain.back() != '#') {
            plain += '#';
        }
    }
    return plain;
}

/// What is said of the cells, each remark once, in the order it first came.
class Remarks {
  public:
    void add(const std::string& text) {
        auto& entry = entries_[without_figures(text)];
        if (entry.count++ == 0) {
            entry.first = text;
            order_.push_back(&entry);
        }
        entry.differ |= text != entry.first;
    }

    void add_cell(const Json& cell) {
        const std::string status = cell.value("status", "");
        if (const std::string reason = cell.value("reason", ""); !reason.empty()) {
            add(status + ": " + reason);
        }
        for (const Json& taint : cell.value("taints", Json::array())) {
            add("tainted: " + taint.get<std::string>());
        }
        for (const Json& note : cell.value("notes", Json::array())) {
            add("note: " + note.get<std::string>());
        }
        const std::string said = cell.value("load", Json::object()).value("output_tail", "");
        if (!said.empty()) {
            const auto line = said.rfind('\n');
            add("the load's last words: " + said.substr(line == std::string::npos ? 0 : line + 1));
        }
    }

    [[nodiscard]] std::string text() const {
        std::string text;
        constexpr std::size_t kMost = 12;
        for (std::size_t i = 0; i < order_.size() && i < kMost; ++i) {
            const Entry& entry = *order_[i];
            text += printable(entry.first);
            if (entry.count > 1) {
                text += fmt::format("  ({} cells{})", entry.count,
                                    entry.differ ? ", with other figures" : "");
            }
            text += '\n';
        }
        if (order_.size() > kMost) {
            text += fmt::format("and {} more remarks: see \"cells\" in run.json\n",
                                order_.size() - kMost);
        }
        return text;
    }

  private:
    struct Entry {
        std::string first;
        int count = 0;
        bool differ = false;
    };
    std::map<std::string, Entry> entries_;
    std::vector<const Entry*> order_;
};

Json figures_as_json(const SummaryRow& row) {
    Json json = Json::object();
    const auto put = [&json](const char* name, const auto& value) {
        json[name] = value ? Json(*value) : Json(nullptr);
    };
    const Summary none;
    const Summary& figures = row.figures ? *row.figures : none;
    json["count"] = row.figures ? Json(figures.count) : Json(nullptr);
    put("mean", figures.mean);
    put("stdev", figures.stdev);
    put("min", figures.min);
    put("p50", figures.p50);
    put("p90", figures.p90);
    put("p95", figures.p95);
    put("p99", figures.p99);
    put("p999", figures.p999);
    put("max", figures.max);
    return json;
}

Json row_as_json(const SummaryRow& row) {
    Json json = {{"test", row.key.test},
                 {"kernel", row.key.kernel},
                 {"scheduler", row.key.scheduler},
                 {"variant", row.key.variant}};
    const auto put = [&json](const char* name, const auto& value) {
        json[name] = value ? Json(*value) : Json(nullptr);
    };
    put("clients", row.key.clients);
    put("repetition", row.key.repetition);
    put("boot", row.key.boot);
    put("pair", row.key.pair);
    put("order", row.key.order);
    put("seed", row.key.seed);
    json["subject"] = row.subject;
    json["metric"] = row.metric.name;
    json["unit"] = row.metric.unit;
    json["better"] = better_text(row.metric.better);
    json["status"] = status_text(row.status);
    json.update(figures_as_json(row));
    return json;
}

/// What speaks of a cell as a whole; its figures stand in the rows.
Json cell_as_json(const Json& cell) {
    Json json = Json::object();
    for (const char* key :
         {"cell", "test", "kernel", "scheduler", "variant", "clients", "repetition", "order",
          "seed", "status", "reason", "hint", "taints", "notes"}) {
        if (cell.contains(key)) {
            json[key] = cell[key];
        }
    }
    return json;
}

}  // namespace

RunEnd finish_run(BundleWriter& writer, const Result<RunCounts>& counts, int signal_number,
                  bool strict) {
    RunEnd end;
    if (!counts) {
        log_error(counts.error().message());
        end.status = "incomplete";
        end.reason = counts.error().message();
        end.exit_code = kExitFailed;
    } else {
        end.counts = *counts;
        end.exit_code = exit_code_for(*counts, strict);
        end.status = "complete";
        if (counts->interrupted) {
            end.status = "incomplete";
            end.reason =
                fmt::format("stopped by {} after {} of {} cells", signal_name(signal_number),
                            counts->finished(), counts->planned);
            end.exit_code = 128 + signal_number;
        }
    }
    if (auto finished = writer.finish(end.status, end.reason); !finished) {
        log_error(finished.error().message());
        end.exit_code = end.exit_code > 128 ? end.exit_code : kExitFailed;
    }
    end.folder = writer.dir().string();
    if (auto bundle = read_bundle(writer.dir())) {
        end.bundle = std::move(*bundle);
    } else {
        log_error(bundle.error().message());
        end.exit_code = end.exit_code > 128 ? end.exit_code : kExitFailed;
    }
    return end;
}

std::string run_as_text(const RunEnd& end, const std::vector<TableColumn>& columns,
                        std::optional<std::size_t> width) {
    std::string text;
    if (end.bundle && !end.bundle->rows.empty()) {
        text += title(*end.bundle) + format_fitted_table(end.bundle->rows, columns, width);
        Remarks remarks;
        for (const Json& cell : end.bundle->run.at("cells")) {
            remarks.add_cell(cell);
        }
        const std::string more = remarks.text();
        text += more.empty() ? "" : "\n" + more;
        text += "\n";
    }
    text += "results in " + end.folder + "\n";
    if (!end.reason.empty()) {
        text += "incomplete: " + end.reason + "\n";
    }
    if (end.counts.not_run + end.counts.failed > 0) {
        text += fmt::format("{} of {} cells not-run, {} failed\n", end.counts.not_run,
                            end.counts.planned, end.counts.failed);
    }
    return text;
}

std::string run_as_json(const RunEnd& end) {
    Json cells = Json::array();
    Json rows = Json::array();
    if (end.bundle) {
        for (const Json& cell : end.bundle->run.at("cells")) {
            cells.push_back(cell_as_json(cell));
        }
        for (const auto& row : end.bundle->rows) {
            rows.push_back(row_as_json(row));
        }
    }
    Json json = {{"bundle", end.folder},
                 {"status", end.status},
                 {"exit_code", end.exit_code},
                 {"counts",
                  {{"planned", end.counts.planned},
                   {"ok", end.counts.ok},
                   {"tainted", end.counts.tainted},
                   {"not_run", end.counts.not_run},
                   {"failed", end.counts.failed}}},
                 {"cells", std::move(cells)},
                 {"rows", std::move(rows)}};
    if (!end.reason.empty()) {
        json["reason"] = end.reason;
    }
    return json_text(json);
}

}  // namespace bench
