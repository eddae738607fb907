#include "common/options.h"

#include <fmt/format.h>

namespace bench {
namespace {

/// An option whose text goes through `read`, which gives a Result; what it refuses is thrown with
/// the option's name.
template <class Value, class Read>
CLI::Option* add_read_option(CLI::App& app, const std::string& names, Value& value,
                             const std::string& help, Read read) {
    return app.add_option_function<std::string>(
        names,
        [&value, names, read](const std::string& text) {
            auto result = read(text);
            if (!result) {
                throw CLI::ValidationError(names, result.error().detail);
            }
            value = *result;
        },
        help);
}

/// `result` when it lies between `min` and `max`, else an Error that tells the range.
template <class Value>
Result<Value> within(Result<Value> result, const std::string& text, Value min, Value max,
                     const std::string& range) {
    if (result && (*result < min || *result > max)) {
        return plain_error("", "", fmt::format("'{}' is out of range: {}", text, range));
    }
    return result;
}

std::string range_text(Duration min, Duration max) {
    return max == Duration::max()
               ? fmt::format("at least {}", format_duration(min))
               : fmt::format("{} to {}", format_duration(min), format_duration(max));
}

}  // namespace

CLI::Option* add_duration_option(CLI::App& app, const std::string& names, Duration& value,
                                 const std::string& help, Duration min, Duration max) {
    const auto read = [min, max](const std::string& text) {
        return within(parse_duration(text), text, min, max, range_text(min, max));
    };
    return add_read_option(app, names, value, help, read)
        ->type_name("DURATION")
        ->default_str(format_duration(value));
}

CLI::Option* add_size_option(CLI::App& app, const std::string& names, ByteSize& value,
                             const std::string& help, ByteSize min, ByteSize max) {
    const auto read = [min, max](const std::string& text) {
        return within(parse_size(text), text, min, max,
                      fmt::format("{} to {}", format_size(min), format_size(max)));
    };
    return add_read_option(app, names, value, help, read)
        ->type_name("SIZE")
        ->default_str(format_size(value));
}

CLI::Option* add_integer_option(CLI::App& app, const std::string& names, std::int64_t& value,
                                const std::string& help, std::int64_t min, std::int64_t max) {
    const auto read = [min, max](const std::string& text) { return parse_integer(text, min, max); };
    return add_read_option(app, names, value, help, read)
        ->type_name("N")
        ->default_str(fmt::format("{}", value));
}

CLI::Option* add_integer_option(CLI::App& app, const std::string& names,
                                std::optional<std::int64_t>& value, const std::string& help,
                                std::int64_t min, std::int64_t max) {
    const auto read = [min, max](const std::string& text) { return parse_integer(text, min, max); };
    return add_read_option(app, names, value, help, read)->type_name("N");
}

}  // namespace bench
