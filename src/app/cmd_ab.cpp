#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "analysis/aa_report.h"
#include "analysis/partition.h"
#include "app/ab_side.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/local_run.h"
#include "app/study_options.h"
#include "common/log.h"
#include "runner/cell_run.h"
#include "runner/fitted_table.h"
#include "runner/pair_plan.h"

namespace bench {
namespace {

using analysis::PartBy;
using analysis::Side;
using analysis::Study;

/// What `bench ab` is asked for, whatever the test.
struct AbOptions {
    std::optional<std::string> a, b;
    bool aa = false;
    JudgeOptions judge;
};

/// What `bench ab ... TEST` is asked for.
struct AbTest {
    std::shared_ptr<AbOptions> ab;
    std::unique_ptr<Benchmark> shared;  ///< takes the options that both sides share
    std::vector<CellAxis> axes;
    CellOptions cell;
    RunOptions run;
    std::vector<const CLI::Option*> handed_on;
    std::array<std::unique_ptr<AbSide>, 2> sides;  ///< read by check()
    std::vector<std::int64_t> clients;
};

Status check_sides(const AbOptions& options) {
    if (options.aa && options.b) {
        return plain_error("", "--aa", "it compares A with itself: leave --b out");
    }
    if (!options.aa && (!options.a || !options.b)) {
        return plain_error("", options.a ? "--b" : "--a",
                           "it is missing: the options of a side, '' for none; --aa compares one "
                           "thing with itself");
    }
    if (options.aa && options.judge.format != StudyFormat::text) {
        return plain_error("", "--aa", "what it reports has no format but text");
    }
    return check_judge_options(options.judge);
}

/// Refuses what can't hold together, and reads both sides.
Status check(AbTest& test, const MakeBenchmarks& make) {
    const AbOptions& ab = *test.ab;
    if (auto sound = check_sides(ab); !sound) {
        return sound;
    }
    const auto shared = given_words(test.handed_on);
    const std::string a = ab.a.value_or("");
    const std::array<std::string, 2> texts{a, ab.aa ? a : ab.b.value_or("")};
    for (std::size_t i = 0; i < 2; ++i) {
        auto all = make();
        const auto own = std::find_if(all.begin(), all.end(), [&](const auto& one) {
            return one->name() == test.shared->name();
        });
        auto side =
            read_ab_side(i == 0 || ab.aa ? "--a" : "--b", texts[i], shared, std::move(*own));
        if (!side) {
            return side.error();
        }
        test.sides[i] = std::move(*side);
    }
    std::vector<std::string> cpu_sets;
    if (test.cell.cpus) {
        cpu_sets.push_back(test.cell.cpus->to_list());
    }
    auto clients = client_counts(test.run, test.shared->has_clients(), cpu_sets);
    if (!clients) {
        return clients.error();
    }
    test.clients = std::move(*clients);
    constexpr std::size_t kMostCells = 1'000'000;
    if (std::max<std::size_t>(test.clients.size(), 1) * ab.judge.looks.back() * 2 > kMostCells) {
        return plain_error("", "--looks",
                           fmt::format("client counts x pairs x 2 are more than {} "
                                       "cells",
                                       kMostCells));
    }
    return {};
}

Json describe_plan(const AbTest& test, const Plan& plan, const std::vector<PlannedCell>& cells) {
    Json sides = Json::array();
    for (const PlannedCell& cell : cells) {
        sides.push_back(cell.side == 0 ? "a" : "b");
    }
    return {{"test", plan.test},
            {"clients", plan.clients},
            {"axes", Json::object()},
            {"arguments", plan.common_arguments},
            {"duration_ns", test.sides[0]->cell.plan.duration.count()},
            {"repetitions", plan.repetitions},
            {"warmups", plan.warmups},
            {"order", "pairs"},
            {"seed", plan.seed},
            {"cells", cells.size()},
            {"a", test.sides[0]->text},
            {"b", test.sides[1]->text},
            {"looks", test.ab->judge.looks},
            {"sides", std::move(sides)}};
}

/// A and B of a bundle. Of one that is still being written, that it is not complete says nothing.
std::array<Side, 2> sides_of(const AbTest& test, const Bundle& bundle, bool running) {
    Side all;
    analysis::add_bundle(all, bundle);
    if (running) {
        all.incomplete.clear();
    }
    std::array<Side, 2> sides{analysis::part_of(all, PartBy::side, "a"),
                              analysis::part_of(all, PartBy::side, "b")};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string& text = test.sides[i]->text;
        sides[i].label = test.ab->aa    ? (i == 0 ? "A" : "A again")
                         : text.empty() ? "defaults"
                                        : text;
    }
    return sides;
}

/// Whether more pairs could still tell more: not once everything that decides has its verdict, nor
/// where nothing can be compared.
bool undecided(const Study& study) {
    if (study.answer == analysis::Answer::not_comparable) {
        return false;
    }
    return std::any_of(study.findings.begin(), study.findings.end(), [](const auto& finding) {
        return finding.endpoint.primary && finding.comparison &&
               finding.judgement.verdict == analysis::Verdict::inconclusive;
    });
}

/// Looks when it was planned to, and at no other time.
bool go_on(const AbTest& test, const BundleWriter& writer, std::uint64_t finished) {
    const std::uint64_t cells = std::max<std::size_t>(test.clients.size(), 1) * 2;
    const auto& looks = test.ab->judge.looks;
    if (finished % cells != 0 ||
        std::find(looks.begin(), looks.end(), finished / cells) == looks.end()) {
        return true;
    }
    const auto bundle = read_bundle(writer.dir());
    if (!bundle) {
        log_error(bundle.error().message());
        return true;
    }
    const auto sides = sides_of(test, *bundle, true);
    return undecided(analysis::make_study(sides[0], sides[1], test.ab->judge.study));
}

int fail(const Error& error, int code) {
    log_error(error.message());
    return code;
}

/// What the run says, and how it exits.
int report(const AbTest& test, const RunEnd& end) {
    const JudgeOptions& judge = test.ab->judge;
    const bool text = judge.format == StudyFormat::text;
    const bool broken = end.exit_code >= 128 || end.exit_code == kExitMissing ||
                        end.status != "complete" || !end.bundle;
    if (broken && (text || !end.bundle)) {
        return print(run_as_text(end, test.shared->table(), terminal_width(STDOUT_FILENO)),
                     end.exit_code);
    }
    const auto sides = sides_of(test, *end.bundle, false);
    Study study = analysis::make_study(sides[0], sides[1], judge.study);
    if (judge.looks.size() > 1) {
        study.remarks.push_back(fmt::format(
            "stopped after {} pairs; looks were planned at {}",
            end.counts.finished() / (std::max<std::int64_t>(std::ssize(test.clients), 1) * 2),
            fmt::join(judge.looks, ", ")));
    }
    std::string output = study_output(study, judge);
    int code = broken ? end.exit_code : static_cast<int>(study.answer);
    if (test.ab->aa) {
        analysis::StudyOptions bare = judge.study;
        bare.margin = 0;
        bare.floor = 0;
        const auto aa = analysis::aa_report(study, analysis::make_study(sides[0], sides[1], bare));
        output += "\n" + analysis::aa_text(study, aa);
        code = aa.fit ? code : static_cast<int>(kExitRegression);
    }
    if (text) {
        output += fmt::format("\nresults in {}\n", end.folder);
    }
    return print(output, code);
}

int run_ab(const CommandLine& line, const AbTest& test) {
    set_verbose(test.run.verbose);
    const auto& looks = test.ab->judge.looks;
    Plan plan;
    plan.test = test.shared->name();
    plan.clients = test.clients;
    plan.common_arguments = given_words(test.handed_on);
    plan.repetitions = static_cast<std::int64_t>(looks.back());
    plan.warmups = test.run.warmups;
    plan.seed = seed_of(test.run);
    const auto cells =
        order_pairs(plan, {.sides = {test.sides[0]->words, test.sides[1]->words}, .looks = looks});
    CellFallback fallback = local_fallback(*test.shared, test.sides[0]->cell);
    fallback.variant = [&test](const PlannedCell& cell) {
        const AbSide& side = *test.sides[cell.side];
        return cell_variant(side.cell, *side.benchmark);
    };
    const Duration longest =
        std::max(test.sides[0]->cell.plan.duration, test.sides[1]->cell.plan.duration);
    const auto end =
        run_here(test.run, run_header(test.run, line.words, describe_plan(test, plan, cells)),
                 {.plan = plan,
                  .cells = cells,
                  .fallback = fallback,
                  .columns = test.shared->table(),
                  .timeout = timeout_of(test.run, longest),
                  .strict = false,
                  .go_on = [&test](const BundleWriter& writer, std::int64_t finished) {
                      return go_on(test, writer, static_cast<std::uint64_t>(finished));
                  }});
    if (!end) {
        return fail(end.error(), kExitMissing);
    }
    return report(test, *end);
}

void add_test(CommandLine& line, CLI::App& parent, const std::shared_ptr<AbOptions>& ab,
              std::unique_ptr<Benchmark> benchmark, MakeBenchmarks make) {
    auto test = std::make_shared<AbTest>();
    test->ab = ab;
    test->shared = std::move(benchmark);
    const std::string name(test->shared->name());
    CLI::App* command = parent.add_subcommand(name, std::string(test->shared->summary()));
    command->fallthrough();
    add_run_options(*command, test->run, test->shared->has_clients());
    const std::size_t own = command->get_options().size();
    test->axes = cell_axes(*test->shared);
    add_axis_options(*command, test->axes, test->cell);
    add_shared_cell_options(*command, test->cell);
    test->shared->add_options(*command);
    const auto all = command->get_options();
    test->handed_on.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
    line.on(
        *command, "ab " + name, [&line, test] { return run_ab(line, *test); },
        [test, make] { return check(*test, make); });
}

}  // namespace

void add_ab_command(CommandLine& line, MakeBenchmarks make) {
    CLI::App* command = line.app.add_subcommand(
        "ab", "Run two sides of a test in randomised adjacent pairs, and say which is better");
    command->require_subcommand(1);
    auto options = std::make_shared<AbOptions>();
    command->add_option("--a", options->a, "Options of the baseline's cells: '--policy other'")
        ->type_name("'OPTIONS'");
    command->add_option("--b", options->b, "Options of the cells that are compared with them")
        ->type_name("'OPTIONS'");
    command->add_flag("--aa", options->aa,
                      "Compare A with itself: false alarms and smallest detectable change of this "
                      "machine");
    add_judge_options(*command, options->judge);
    add_format_option(*command, options->judge);
    for (auto& benchmark : make()) {
        add_test(line, *command, options, std::move(benchmark), make);
    }
}

}  // namespace bench
