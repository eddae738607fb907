#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/units.h"

namespace bench {

/// Options with one strict reader each. Bad input throws CLI::ValidationError whose text names
/// option, value and what is allowed, in one line. Each takes its default from the variable and
/// shows it in --help.

CLI::Option* add_duration_option(CLI::App& app, const std::string& names, Duration& value,
                                 const std::string& help, Duration min,
                                 Duration max = Duration::max());

CLI::Option* add_size_option(CLI::App& app, const std::string& names, ByteSize& value,
                             const std::string& help, ByteSize min, ByteSize max);

CLI::Option* add_integer_option(CLI::App& app, const std::string& names, std::int64_t& value,
                                const std::string& help, std::int64_t min, std::int64_t max);

/// An integer with a value of its own for "not given".
CLI::Option* add_integer_option(CLI::App& app, const std::string& names,
                                std::optional<std::int64_t>& value, const std::string& help,
                                std::int64_t min, std::int64_t max);

/// One word of a closed vocabulary; `choices` pairs each word with its value.
template <class T>
CLI::Option* add_choice_option(CLI::App& app, const std::string& names, T& value,
                               const std::string& help,
                               const std::vector<std::pair<std::string, T>>& choices) {
    std::string allowed;
    std::string shown;
    for (const auto& [word, choice] : choices) {
        allowed += (allowed.empty() ? "" : ", ") + word;
        if (choice == value) {
            shown = word;
        }
    }
    auto* option = app.add_option_function<std::string>(
        names,
        [&value, choices, allowed, names](const std::string& text) {
            for (const auto& [word, choice] : choices) {
                if (word == text) {
                    value = choice;
                    return;
                }
            }
            throw CLI::ValidationError(names, "'" + text + "' is not one of " + allowed);
        },
        help + " (" + allowed + ")");
    option->default_str(shown);
    return option;
}

}  // namespace bench
