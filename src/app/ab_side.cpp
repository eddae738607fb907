#include "app/ab_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line.h"

namespace bench {

Result<std::vector<std::string>> split_words(const std::string& text) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                words.back() += c;
            }
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n') {
            in_word = false;
            continue;
        }
        if (!in_word) {
            words.emplace_back();
            in_word = true;
        }
        if (c == '\'' || c == '"') {
            quote = c;
        } else {
            words.back() += c;
        }
    }
    if (quote != 0) {
        return plain_error("", text, fmt::format("'{}' leaves a quote open", text));
    }
    return words;
}

Result<std::unique_ptr<AbSide>> read_ab_side(const std::string& option, const std::string& text,
                                             const std::vector<std::string>& shared,
                                             std::unique_ptr<Benchmark> benchmark) {
    auto side = std::make_unique<AbSide>();
    side->text = text;
    side->benchmark = std::move(benchmark);
    side->axes = cell_axes(*side->benchmark);
    auto words = split_words(text);
    if (!words) {
        return plain_error("", option, words.error().detail);
    }
    side->words = join_negative_values(std::move(*words));

    CLI::App app;
    app.set_help_flag();
    add_axis_options(app, side->axes, side->cell);
    add_shared_cell_options(app, side->cell);
    side->benchmark->add_options(app);
    std::vector<std::string> all = shared;
    all.insert(all.end(), side->words.begin(), side->words.end());
    std::reverse(all.begin(), all.end());  // as CLI11 takes a vector
    try {
        app.parse(all);
    } catch (const CLI::ExtrasError&) {
        const auto extras = app.remaining();
        return plain_error(
            "", option,
            fmt::format("'{}' is not an option of a cell of {}",
                        extras.empty() ? text : extras.front(), side->benchmark->name()));
    } catch (const CLI::ParseError& error) {
        return plain_error("", option, one_line(error));
    }
    const auto& load = side->cell.load;
    for (const Status& sound : {check_load_options(load, load.spec.kind != LoadKind::none),
                                check_cell(side->cell, *side->benchmark)}) {
        if (!sound) {
            return plain_error("", option,
                               fmt::format("{}: {}", sound.error().object, sound.error().detail));
        }
    }
    return side;
}

}  // namespace bench
