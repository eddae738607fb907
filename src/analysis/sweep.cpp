#include "analysis/sweep.h"

#include <algorithm>
#include <cmath>

namespace bench::analysis {

namespace {

using Group = std::vector<const SweepPart*>;

EndpointKey sweep_key(EndpointKey key) {
    key.sweep = true;
    key.clients.reset();
    return key;
}

/// Every replication that any count has, by side.
std::array<std::set<std::string>, 2> replications_in(const Group& group) {
    std::array<std::set<std::string>, 2> names;
    for (const SweepPart* part : group) {
        for (std::size_t side = 0; side < 2; ++side) {
            for (const auto& [name, value] : part->values[side]) {
                names[side].insert(name);
            }
        }
    }
    return names;
}

bool all_positive(const Group& group) {
    return std::all_of(group.begin(), group.end(), [](const SweepPart* part) {
        return std::all_of(part->values.begin(), part->values.end(), [](const auto& values) {
            return std::all_of(values.begin(), values.end(),
                               [](const auto& value) { return value.second > 0; });
        });
    });
}

std::map<std::string, double> means(const Group& group, std::size_t side, bool logarithms) {
    std::map<std::string, double> sums;
    for (const SweepPart* part : group) {
        for (const auto& [name, value] : part->values[side]) {
            sums[name] += logarithms ? std::log(value) : value;
        }
    }
    for (auto& [name, sum] : sums) {
        const double mean = sum / static_cast<double>(group.size());
        sum = logarithms ? std::exp(mean) : mean;
    }
    return sums;
}

void take_obstacles(Endpoint& sweep, const Endpoint& part) {
    for (const Obstacle& obstacle : part.obstacles) {
        const bool known =
            std::any_of(sweep.obstacles.begin(), sweep.obstacles.end(),
                        [&](const Obstacle& have) { return have.id == obstacle.id; });
        if (!known) {
            sweep.obstacles.push_back(obstacle);
        }
    }
}

Endpoint sweep_of(const Group& group, Design design) {
    Endpoint sweep;
    sweep.key = sweep_key(group.front()->endpoint.key);
    sweep.unit = group.front()->endpoint.unit;
    sweep.better = group.front()->endpoint.better;
    const auto names = replications_in(group);
    Group whole;
    for (const SweepPart* part : group) {
        if (part->endpoint.unavailable.empty() && part->values[0].size() == names[0].size() &&
            part->values[1].size() == names[1].size()) {
            whole.push_back(part);
            sweep.tainted += part->endpoint.tainted;
            take_obstacles(sweep, part->endpoint);
            if (part->endpoint.key.clients) {
                sweep.swept.push_back(*part->endpoint.key.clients);
            }
        }
    }
    std::sort(sweep.swept.begin(), sweep.swept.end());
    if (whole.empty()) {
        for (const SweepPart* part : group) {
            take_obstacles(sweep, part->endpoint);
        }
        sweep.unavailable = group.size() == 1 ? group.front()->endpoint.unavailable
                                              : "no number of clients has it in all its runs";
        return sweep;
    }
    // One count alone is itself, to the last digit.
    const bool logarithms = whole.size() > 1 && all_positive(whole);
    sweep.values =
        replications_of(means(whole, 0, logarithms), means(whole, 1, logarithms), design);
    return sweep;
}

}  // namespace

Replications replications_of(const std::map<std::string, double>& base,
                             const std::map<std::string, double>& fresh, Design design) {
    Replications values{.a = {}, .b = {}, .design = design};
    for (const auto& [name, value] : base) {
        const auto other = fresh.find(name);
        if (design == Design::unpaired) {
            values.a.push_back(value);
        } else if (other != fresh.end()) {
            values.a.push_back(value);
            values.b.push_back(other->second);
        }
    }
    if (design == Design::unpaired) {
        for (const auto& [name, value] : fresh) {
            values.b.push_back(value);
        }
    }
    return values;
}

std::vector<Endpoint> sweeps_of(const std::vector<SweepPart>& parts, Design design) {
    std::vector<std::pair<EndpointKey, Group>> groups;
    for (const SweepPart& part : parts) {
        const EndpointKey key = sweep_key(part.endpoint.key);
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& one) { return one.first == key; });
        if (group == groups.end()) {
            groups.emplace_back(key, Group{});
            group = groups.end() - 1;
        }
        group->second.push_back(&part);
    }
    std::vector<Endpoint> sweeps;
    sweeps.reserve(groups.size());
    for (const auto& [key, group] : groups) {
        sweeps.push_back(sweep_of(group, design));
    }
    return sweeps;
}

}  // namespace bench::analysis
