#include "analysis/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/version_order.h"

namespace bench::analysis {

namespace {

std::string value_of(const Launch& launch, PartBy by) {
    const std::string& value = by == PartBy::kernel      ? launch.key.kernel
                               : by == PartBy::scheduler ? launch.key.scheduler
                               : by == PartBy::side      ? launch.side
                                                         : launch.key.variant;
    return value.empty() ? "(none)" : value;
}

std::string list_of(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) {
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", value);
    }
    return text;
}

}  // namespace

std::string_view part_by_text(PartBy by) {
    switch (by) {
        case PartBy::kernel:
            return "kernel";
        case PartBy::scheduler:
            return "scheduler";
        case PartBy::side:
            return "side";
        case PartBy::variant:
            break;
    }
    return "variant";
}

std::vector<std::string> part_values(const Side& side, PartBy by) {
    std::set<std::string> distinct;
    for (const Launch& launch : side.launches) {
        distinct.insert(value_of(launch, by));
    }
    std::vector<std::string> values(distinct.begin(), distinct.end());
    if (by == PartBy::kernel) {
        std::sort(values.begin(), values.end(), version_less);
    }
    return values;
}

Result<std::pair<std::string, std::string>> choose_parts(PartBy by,
                                                         const std::vector<std::string>& values,
                                                         const std::string& chosen) {
    const std::string name = fmt::format("--by {}", part_by_text(by));
    if (chosen.empty()) {
        if (values.size() == 2) {
            return std::pair(values[0], values[1]);
        }
        return plain_error(
            "", name,
            values.size() < 2
                ? fmt::format("there is nothing to compare: {}",
                              values.empty() ? "no cell at all" : "only " + list_of(values))
                : fmt::format("there are {}: {}; choose base and new with '{}=BASE,NEW'",
                              values.size(), list_of(values), name));
    }
    const auto known = [&](const std::string& value) {
        return std::find(values.begin(), values.end(), value) != values.end();
    };
    for (std::size_t comma = chosen.find(','); comma != std::string::npos;
         comma = chosen.find(',', comma + 1)) {
        const std::string base = chosen.substr(0, comma);
        const std::string fresh = chosen.substr(comma + 1);
        if (known(base) && known(fresh) && base != fresh) {
            return std::pair(base, fresh);
        }
    }
    return plain_error("", name,
                       fmt::format("'{}' does not name two of {} (BASE,NEW)", chosen,
                                   values.empty() ? "no value at all" : list_of(values)));
}

Side part_of(const Side& side, PartBy by, const std::string& value) {
    Side part{
        .label = value, .bundles = side.bundles, .launches = {}, .incomplete = side.incomplete};
    for (const Launch& launch : side.launches) {
        if (value_of(launch, by) == value) {
            part.launches.push_back(launch);
        }
    }
    return part;
}

}  // namespace bench::analysis
