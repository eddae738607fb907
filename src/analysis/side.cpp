#include "analysis/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/version_order.h"
#include "common/bundle_schema.h"

namespace bench::analysis {

namespace {

/// What tells a cell from all others of its bundle, the same of a row and of run.json's cell.
std::string identity(const CellKey& key) {
    Json json = Json::object();
    put_key(json, key);
    return json_text(json);
}

std::string identity(const Json& cell) {
    Json json = Json::object();
    for (const char* name : {"test", "kernel", "scheduler", "variant", "clients", "repetition",
                             "boot", "pair", "order", "seed"}) {
        if (cell.contains(name) && !cell[name].is_null()) {
            json[name] = cell[name];
        }
    }
    return json_text(json);
}

std::string boot_id(const Json& run, std::optional<std::int64_t> number) {
    for (const Json& boot : run["boots"]) {
        if (number && boot.is_object() && boot.value("boot", Json()) == *number) {
            const Json id = boot.value("boot_id", Json());
            return id.is_string() ? id.get<std::string>() : std::string();
        }
    }
    return {};
}

std::vector<std::shared_ptr<const Json>> environments(const Json& run) {
    std::vector<std::shared_ptr<const Json>> all;
    for (const Json& environment : run["environments"]) {
        all.push_back(std::make_shared<const Json>(environment));
    }
    return all;
}

/// Of a run of pairs the plan lists the side of each cell, by number.
std::string side_of(const Json& run, const Json& cell) {
    const Json plan = run.value("plan", Json());
    if (!plan.is_object() || !plan.contains("sides") || !plan["sides"].is_array()) {
        return {};
    }
    const auto number = cell["cell"].get<std::size_t>();
    const Json& sides = plan["sides"];
    return number >= 1 && number <= sides.size() && sides[number - 1].is_string()
               ? sides[number - 1].get<std::string>()
               : std::string();
}

std::string label_of(const Bundle& bundle) {
    const Json label = bundle.run.value("label", Json());
    if (label.is_string() && !label.get<std::string>().empty()) {
        return label.get<std::string>();
    }
    const auto dir = bundle.dir.lexically_normal();
    return (dir.has_filename() ? dir : dir.parent_path()).filename().string();
}

bool is_bundle(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path / kRunFile, ignored);
}

std::vector<std::filesystem::path> bundles_below(const std::filesystem::path& path) {
    std::vector<std::filesystem::path> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (is_bundle(entry->path())) {
            found.push_back(entry->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

RowStatus Launch::status() const {
    if (rows.empty()) {
        return RowStatus::not_run;
    }
    const auto any = [this](RowStatus status) {
        return std::any_of(rows.begin(), rows.end(),
                           [=](const SummaryRow& row) { return row.status == status; });
    };
    for (const RowStatus status : {RowStatus::failed, RowStatus::not_run, RowStatus::tainted}) {
        if (any(status)) {
            return status;
        }
    }
    return RowStatus::ok;
}

std::vector<std::string> Side::kernels() const {
    std::set<std::string> distinct;
    for (const Launch& launch : launches) {
        if (!launch.key.kernel.empty()) {
            distinct.insert(launch.key.kernel);
        }
    }
    std::vector<std::string> sorted(distinct.begin(), distinct.end());
    std::sort(sorted.begin(), sorted.end(), version_less);
    return sorted;
}

std::set<std::string> Side::boots() const {
    std::set<std::string> distinct;
    for (const Launch& launch : launches) {
        if (!launch.boot_id.empty()) {
            distinct.insert(launch.boot_id);
        }
    }
    return distinct;
}

void add_bundle(Side& side, const Bundle& bundle) {
    if (side.label.empty()) {
        side.label = label_of(bundle);
    }
    const std::size_t number = side.bundles.size();
    side.bundles.push_back(bundle.dir.string());
    if (bundle.run["status"] == kRunning) {
        side.incomplete.push_back(bundle.dir.string() +
                                  ": the run was killed, or is still running");
    } else if (bundle.run["status"] != kComplete) {
        const Json reason = bundle.run.value("status_reason", Json());
        side.incomplete.push_back(fmt::format(
            "{}: the run is not complete{}", bundle.dir.string(),
            reason.is_string() ? " (" + reason.get<std::string>() + ")" : std::string()));
    }
    const auto known = environments(bundle.run);
    std::map<std::string, std::size_t> places;
    for (const Json& cell : bundle.run["cells"]) {
        Launch launch;
        launch.bundle = number;
        launch.cell = cell;
        launch.side = side_of(bundle.run, cell);
        if (cell.contains("environment")) {
            launch.environment = known[cell["environment"].get<std::size_t>()];
        }
        places.emplace(identity(cell), side.launches.size());
        side.launches.push_back(std::move(launch));
    }
    std::size_t strays = 0;
    for (const SummaryRow& row : bundle.rows) {
        const auto place = places.find(identity(row.key));
        if (place == places.end()) {
            ++strays;
            continue;
        }
        Launch& launch = side.launches[place->second];
        if (launch.rows.empty()) {
            launch.key = row.key;
            launch.boot_id = boot_id(bundle.run, row.key.boot);
        }
        launch.rows.push_back(row);
    }
    if (strays > 0) {
        side.incomplete.push_back(
            fmt::format("{}: {} rows of summary.csv belong to no cell of run.json",
                        bundle.dir.string(), strays));
    }
    // A cell that run.json knows has its rows; one without them says nothing, and is missed where
    // cells are counted.
    std::erase_if(side.launches, [](const Launch& launch) { return launch.rows.empty(); });
}

Result<Side> read_side(const std::filesystem::path& path) {
    const auto found =
        is_bundle(path) ? std::vector<std::filesystem::path>{path} : bundles_below(path);
    if (found.empty()) {
        return plain_error("read", path.string(),
                           "neither a bundle (a folder with run.json) nor a folder of bundles");
    }
    Side side;
    for (const auto& dir : found) {
        auto bundle = read_bundle(dir);
        if (!bundle) {
            return bundle.error();
        }
        add_bundle(side, *bundle);
    }
    return side;
}

}  // namespace bench::analysis
