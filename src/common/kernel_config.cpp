#include "common/kernel_config.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/environment_text.h"

namespace bench {

namespace {

constexpr std::size_t kMaxConfigBytes = 16UL << 20U;
constexpr std::string_view kNotSet = " is not set";

// Prefixes: CONFIG_HZ stands for CONFIG_HZ_250 too.
constexpr std::array<std::string_view, 27> kSchedulingOptions = {"CONFIG_PREEMPT",
                                                                 "CONFIG_HZ",
                                                                 "CONFIG_SCHED",
                                                                 "CONFIG_NO_HZ",
                                                                 "CONFIG_RT_GROUP",
                                                                 "CONFIG_CGROUP_SCHED",
                                                                 "CONFIG_CGROUP_CPUACCT",
                                                                 "CONFIG_CGROUPS",
                                                                 "CONFIG_FAIR_GROUP_SCHED",
                                                                 "CONFIG_CFS_BANDWIDTH",
                                                                 "CONFIG_GROUP_SCHED",
                                                                 "CONFIG_CPUSETS",
                                                                 "CONFIG_UCLAMP",
                                                                 "CONFIG_HIGH_RES",
                                                                 "CONFIG_NUMA",
                                                                 "CONFIG_PSI",
                                                                 "CONFIG_SMP",
                                                                 "CONFIG_RCU_NOCB_CPU",
                                                                 "CONFIG_TICK_CPU_ACC",
                                                                 "CONFIG_VIRT_CPU_ACC",
                                                                 "CONFIG_IRQ_TIME_ACCOUNTING",
                                                                 "CONFIG_CPU_ISOLATION",
                                                                 "CONFIG_PARAVIRT",
                                                                 "CONFIG_CPU_FREQ_DEFAULT_GOV",
                                                                 "CONFIG_FORCED_THREADING",
                                                                 "CONFIG_RQ_",
                                                                 "CONFIG_MIN_BASE_SLICE_NS"};

/// nullopt: not gzip, cut off, or larger than any configuration.
std::optional<std::string> gunzip(std::string_view packed) {
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        return std::nullopt;
    }
    // zlib reads only, but has no const.
    stream.next_in = const_cast<Bytef*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        reinterpret_cast<const Bytef*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string text;
    std::array<char, 65536> buffer;
    int status = Z_OK;
    while (status == Z_OK && text.size() <= kMaxConfigBytes) {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        status = inflate(&stream, Z_NO_FLUSH);
        text.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END) {
        return std::nullopt;
    }
    return text;
}

/// The option and value that a line states: "CONFIG_X=y", "# CONFIG_X is not set".
std::optional<std::pair<std::string_view, std::string_view>> statement(std::string_view line) {
    if (line.starts_with("# CONFIG_") && line.ends_with(kNotSet)) {
        line.remove_prefix(2);
        line.remove_suffix(kNotSet.size());
        return std::pair(line, std::string_view("n"));
    }
    const std::size_t equals = line.find('=');
    if (!line.starts_with("CONFIG_") || equals == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view value = line.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
        value = value.substr(1, value.size() - 2);
    }
    return std::pair(line.substr(0, equals), value);
}

bool is_config(const std::optional<std::string>& text) {
    return text && (text->find("\nCONFIG_") != std::string::npos || text->starts_with("CONFIG_"));
}

}  // namespace

std::optional<std::string> KernelConfig::value(std::string_view option) const {
    for (const std::string_view line : environment::lines(text)) {
        const auto stated = statement(line);
        if (stated && stated->first == option) {
            return std::string(stated->second);
        }
    }
    return std::nullopt;
}

nlohmann::ordered_json KernelConfig::scheduling_options() const {
    constexpr std::size_t kLongestValue = 256;
    nlohmann::ordered_json options = nlohmann::ordered_json::object();
    for (const std::string_view line : environment::lines(text)) {
        const auto stated = statement(line);
        if (!stated || stated->second.size() > kLongestValue ||
            stated->first.size() > kLongestValue) {
            continue;
        }
        const bool wanted =
            std::any_of(kSchedulingOptions.begin(), kSchedulingOptions.end(),
                        [&](std::string_view prefix) { return stated->first.starts_with(prefix); });
        if (wanted) {
            options[std::string(stated->first)] = std::string(stated->second);
        }
    }
    return options;
}

std::optional<KernelConfig> read_kernel_config(const SystemRoot& system, std::string_view release) {
    constexpr const char* kPacked = "/proc/config.gz";
    if (const Result<std::string> packed = system.read(kPacked)) {
        std::optional<std::string> text = gunzip(*packed);
        if (is_config(text)) {
            return KernelConfig{kPacked, std::move(*text)};
        }
    }
    if (release.empty() || release.find('/') != std::string_view::npos) {
        return std::nullopt;
    }
    for (const std::string& path : {"/boot/config-" + std::string(release),
                                    "/lib/modules/" + std::string(release) + "/config"}) {
        std::optional<std::string> text = system.read(path).optional();
        if (text && text->size() <= kMaxConfigBytes && is_config(text)) {
            return KernelConfig{path, std::move(*text)};
        }
    }
    return std::nullopt;
}

}  // namespace bench
