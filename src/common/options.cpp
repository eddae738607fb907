#include "common/options.h"

#include <fmt/format.h>

namespace bench {
namespace {

std::string range_text(Duration min, Duration max) {
    return max == Duration::max()
               ? fmt::format("at least {}", format_duration(min))
               : fmt::format("{} to {}", format_duration(min), format_duration(max));
}

}  // namespace

CLI::Option* add_duration_option(CLI::App& app, const std::string& names, Duration& value,
                                 const std::string& help, Duration min, Duration max) {
    auto* option = app.add_option_function<std::string>(
        names,
        [&value, names, min, max](const std::string& text) {
            auto parsed = parse_duration(text);
            if (!parsed) {
                throw CLI::ValidationError(names, parsed.error().detail);
            }
            if (*parsed < min || *parsed > max) {
                throw CLI::ValidationError(
                    names, fmt::format("'{}' is out of range: {}", text, range_text(min, max)));
            }
            value = *parsed;
        },
        help);
    option->type_name("DURATION")->default_str(format_duration(value));
    return option;
}

CLI::Option* add_size_option(CLI::App& app, const std::string& names, ByteSize& value,
                             const std::string& help, ByteSize min, ByteSize max) {
    auto* option = app.add_option_function<std::string>(
        names,
        [&value, names, min, max](const std::string& text) {
            auto parsed = parse_size(text);
            if (!parsed) {
                throw CLI::ValidationError(names, parsed.error().detail);
            }
            if (*parsed < min || *parsed > max) {
                throw CLI::ValidationError(
                    names, fmt::format("'{}' is out of range: {} to {}", text, format_size(min),
                                       format_size(max)));
            }
            value = *parsed;
        },
        help);
    option->type_name("SIZE")->default_str(format_size(value));
    return option;
}

CLI::Option* add_integer_option(CLI::App& app, const std::string& names, std::int64_t& value,
                                const std::string& help, std::int64_t min, std::int64_t max) {
    auto* option = app.add_option_function<std::string>(
        names,
        [&value, names, min, max](const std::string& text) {
            auto parsed = parse_integer(text, min, max);
            if (!parsed) {
                throw CLI::ValidationError(names, parsed.error().detail);
            }
            value = *parsed;
        },
        help);
    option->type_name("N")->default_str(fmt::format("{}", value));
    return option;
}

CLI::Option* add_integer_option(CLI::App& app, const std::string& names,
                                std::optional<std::int64_t>& value, const std::string& help,
                                std::int64_t min, std::int64_t max) {
    auto* option = app.add_option_function<std::string>(
        names,
        [&value, names, min, max](const std::string& text) {
            auto parsed = parse_integer(text, min, max);
            if (!parsed) {
                throw CLI::ValidationError(names, parsed.error().detail);
            }
            value = *parsed;
        },
        help);
    option->type_name("N");
    return option;
}

}  // namespace bench
