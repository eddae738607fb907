#include <fmt/format.h>

#include <array>

#include "common/load.h"
#include "common/units.h"

namespace bench {
namespace {

constexpr std::int64_t kMostProcesses = 100'000;

struct NamedLoad {
    std::string_view name;
    LoadKind kind;
    std::string_view amount;  ///< what N counts; empty: takes none
};

constexpr std::array<NamedLoad, 5> kNamedLoads = {{{"none", LoadKind::none, ""},
                                                   {"spin", LoadKind::spin, "processes"},
                                                   {"pipe", LoadKind::pipe, "groups"},
                                                   {"compile", LoadKind::compile, "jobs"},
                                                   {"video", LoadKind::video, ""}}};

Error refusal(std::string_view text, std::string detail) {
    return plain_error("--load", fmt::format("'{}'", text), std::move(detail));
}

Result<LoadSpec> parse_named(const NamedLoad& named, std::string_view text,
                             std::optional<std::string_view> argument) {
    LoadSpec spec;
    spec.kind = named.kind;
    spec.text = std::string(text);
    if (named.kind == LoadKind::video) {
        if (!argument || argument->empty()) {
            return refusal(text, "names no film; write video:FILE");
        }
        spec.argument = std::string(*argument);
        return spec;
    }
    if (!argument) {
        return spec;
    }
    if (named.amount.empty()) {
        return refusal(text, "none takes no argument");
    }
    const Result<std::int64_t> amount = parse_integer(*argument, 1, kMostProcesses);
    if (!amount) {
        return refusal(text, fmt::format("{}: {}", named.amount, amount.error().message()));
    }
    spec.amount = *amount;
    return spec;
}

}  // namespace

Result<LoadSpec> parse_load(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    if (text.find_first_not_of(kBlanks) == std::string_view::npos) {
        return refusal(text,
                       "is empty; allowed are none, spin[:N], pipe[:GROUPS], compile[:JOBS], "
                       "video:FILE or a shell command");
    }
    for (const NamedLoad& named : kNamedLoads) {
        if (text == named.name) {
            return parse_named(named, text, std::nullopt);
        }
        if (text.starts_with(named.name) && text[named.name.size()] == ':') {
            return parse_named(named, text, text.substr(named.name.size() + 1));
        }
    }
    LoadSpec spec;
    spec.kind = LoadKind::command;
    spec.argument = std::string(text);
    spec.text = std::string(text);
    return spec;
}

}  // namespace bench
