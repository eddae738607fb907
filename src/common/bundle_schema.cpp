#include "common/bundle_schema.h"

#include <algorithm>

namespace bench {

namespace {

void put_text(Json& object, const char* key, const std::string& text) {
    if (!text.empty()) {
        object[key] = text;
    }
}

template <class Integer>
void put_integer(Json& object, const char* key, const std::optional<Integer>& value) {
    if (value) {
        object[key] = *value;
    }
}

}  // namespace

std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void put_key(Json& cell, const CellKey& key) {
    put_text(cell, "test", key.test);
    put_text(cell, "kernel", key.kernel);
    put_text(cell, "scheduler", key.scheduler);
    put_text(cell, "variant", key.variant);
    put_integer(cell, "clients", key.clients);
    put_integer(cell, "repetition", key.repetition);
    put_integer(cell, "boot", key.boot);
    put_integer(cell, "pair", key.pair);
    put_integer(cell, "order", key.order);
    put_integer(cell, "seed", key.seed);
}

Json cell_json(const CellRecord& record) {
    Json cell = {{"cell", record.cell}};
    put_key(cell, record.key);
    cell["status"] = status_text(record.status);
    put_text(cell, "reason", record.reason);
    put_text(cell, "hint", record.hint);
    if (!record.taints.empty()) {
        cell["taints"] = record.taints;
    }
    if (!record.notes.empty()) {
        cell["notes"] = record.notes;
    }
    if (!record.details.is_object()) {
        if (!record.details.is_null()) {
            cell["details"] = record.details;
        }
        return cell;
    }
    for (const auto& [key, value] : record.details.items()) {
        // A name already taken must not hide what the cell is.
        if (cell.contains(key) || key == "environment") {
            cell["details"][key] = value;
        } else {
            cell[key] = value;
        }
    }
    return cell;
}

Json metric_json(const Metric& metric) {
    return {{"name", metric.name},
            {"unit", metric.unit},
            {"better", better_text(metric.better)},
            {"description", metric.description}};
}

void put_metric(Json& run, const Json& metric) {
    Json& metrics = run["metrics"];
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
        metrics.push_back(metric);
    }
}

void put_cell(Json& run, Json cell, const Json& environment) {
    if (environment.is_object()) {
        Json& environments = run["environments"];
        const auto known = std::find(environments.begin(), environments.end(), environment);
        cell["environment"] = static_cast<std::size_t>(known - environments.begin());
        if (known == environments.end()) {
            environments.push_back(environment);
        }
    }
    run["cells"].push_back(std::move(cell));
}

std::optional<std::int64_t> put_boot(Json& run, const Json& environment,
                                     std::optional<std::int64_t> given) {
    if (!environment.is_object() || !environment.contains("boot_id")) {
        return given;
    }
    const Json& boot_id = environment["boot_id"];
    Json& boots = run["boots"];
    std::int64_t highest = 0;
    for (const Json& boot : boots) {
        const auto number = boot.value("boot", std::int64_t{0});
        highest = std::max(highest, number);
        if (boot.value("boot_id", Json()) == boot_id && number == given.value_or(number)) {
            return number;
        }
    }
    const std::int64_t number = given.value_or(highest + 1);
    boots.push_back({{"boot", number}, {"boot_id", boot_id}});
    return number;
}

void add_to_cell(Json& cell, const CellAddition& addition) {
    for (const std::string& taint : addition.taints) {
        cell["taints"].push_back(taint);
    }
    if (!addition.taints.empty() && cell["status"] == status_text(RowStatus::ok)) {
        cell["status"] = status_text(RowStatus::tainted);
    }
    if (addition.details.is_object()) {
        for (const auto& [name, value] : addition.details.items()) {
            if (!cell.contains(name)) {
                cell[name] = value;
            }
        }
    }
}

}  // namespace bench
