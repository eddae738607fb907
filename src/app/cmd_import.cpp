#include <fmt/format.h>

#include <ctime>
#include <map>
#include <set>

#include "app/bundle_place.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/run_report.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/log.h"
#include "runner/cell_run.h"
#include "runner/fitted_table.h"
#include "runner/table.h"

namespace bench {
namespace {

using VariantPairs = std::vector<std::pair<std::string, std::string>>;

/// What `bench import FORMAT` is asked for.
struct ImportOptions {
    std::vector<std::string> files;
    std::string kernel, scheduler, label;
    VariantPairs variant;
    std::filesystem::path out = "results";
    bool json = false;
};

constexpr const char* kStandardInput = "-";

void add_variant_option(CLI::App& app, ImportOptions& options) {
    app.add_option_function<std::vector<std::string>>(
           "--variant",
           [&options](const std::vector<std::string>& given) {
               std::set<std::string> keys;
               for (const auto& text : given) {
                   const auto equals = text.find('=');
                   if (equals == std::string::npos || equals == 0) {
                       throw CLI::ValidationError("--variant", "'" + text + "' is not KEY=VALUE");
                   }
                   const std::string key = text.substr(0, equals);
                   if (!keys.insert(key).second) {
                       throw CLI::ValidationError("--variant", "'" + key + "' is given twice");
                   }
                   options.variant.emplace_back(key, text.substr(equals + 1));
               }
           },
           "What made the run differ from others: load=compile; repeat it for more")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->take_all();
}

void add_import_options(CLI::App& app, ImportOptions& options) {
    app.add_option("FILE", options.files,
                   "What the program printed, a run a file; - is standard input")
        ->type_name("")
        ->required();
    app.add_option("--kernel", options.kernel, "Kernel it ran on, as uname -r told it there")
        ->type_name("RELEASE");
    app.add_option("--scheduler", options.scheduler, "Scheduler of that kernel: CFS, EEVDF, ...")
        ->type_name("NAME");
    add_variant_option(app, options);
    app.add_option("-o,--out", options.out, "Folder for bundles")
        ->type_name("DIR")
        ->default_str("results");
    app.add_option("--label", options.label, "A name for this run, kept in its bundle")
        ->type_name("TEXT");
    app.add_flag("--json", options.json, "Print the summary as JSON instead of the table");
}

Status check_files(const ImportOptions& options) {
    std::set<std::string> seen;
    for (const auto& file : options.files) {
        if (!seen.insert(file).second) {
            return plain_error("", "FILE", "'" + file + "' is given twice");
        }
    }
    return {};
}

Result<std::string> read_input(const std::string& file) {
    constexpr std::uint64_t kMost = 64ULL * 1024 * 1024;
    auto text = file == kStandardInput ? read_rest(STDIN_FILENO, "standard input", kMost + 1)
                                       : read_file(file, kMost + 1);
    if (text && text->size() > kMost) {
        return plain_error("import", file, "more than 64MiB: no output of a test is that long");
    }
    return text;
}

/// What was said of the run on the command line must not contradict what its output says.
Result<std::string> joined_variant(const VariantPairs& told, const VariantPairs& given) {
    VariantPairs all = told;
    for (const auto& pair : given) {
        for (const auto& [key, value] : told) {
            if (key == pair.first) {
                return plain_error("import", "",
                                   fmt::format("--variant {}={}: the output itself says {}={}", key,
                                               pair.second, key, value));
            }
        }
        all.push_back(pair);
    }
    return format_variant(std::move(all));
}

Result<CellRecord> import_file(const Benchmark& benchmark, const ImportOptions& options,
                               const std::string& file) {
    const auto text = read_input(file);
    if (!text) {
        return text.error();
    }
    auto imported = benchmark.import_classic(*text);
    const std::string name = file == kStandardInput ? "standard input" : file;
    if (!imported) {
        Error error = imported.error();
        error.object = name + (error.object.empty() ? "" : " " + error.object);
        return error;
    }
    auto variant = joined_variant(imported->variant, options.variant);
    if (!variant) {
        Error error = variant.error();
        error.object = name;
        return error;
    }
    CellRecord record;
    record.key.test = benchmark.name();
    record.key.kernel = options.kernel;
    record.key.scheduler = options.scheduler;
    record.key.variant = *variant;
    if (benchmark.has_clients()) {
        record.key.clients = imported->clients;
    }
    CellOutcome& outcome = imported->outcome;
    record.status = outcome.taints.empty() ? RowStatus::ok : RowStatus::tainted;
    record.taints = std::move(outcome.taints);
    record.notes = std::move(outcome.notes);
    record.series = std::move(outcome.series);
    record.summaries = std::move(outcome.summaries);
    record.details = {{"imported_from", name}};
    if (!outcome.details.is_null()) {
        record.details[std::string(benchmark.name())] = std::move(outcome.details);
    }
    return record;
}

/// Runs of the same variant and number of clients are repetitions of one another, in the order
/// given. Gives back the highest number.
std::int64_t number_cells(std::vector<CellRecord>& records) {
    std::map<std::pair<std::string, std::int64_t>, std::int64_t> seen;
    std::int64_t most = 0;
    for (std::size_t at = 0; at < records.size(); ++at) {
        CellKey& key = records[at].key;
        records[at].cell = static_cast<std::int64_t>(at) + 1;
        key.repetition = ++seen[{key.variant, key.clients.value_or(0)}];
        most = std::max(most, *key.repetition);
    }
    return most;
}

Result<RunCounts> write_cells(BundleWriter& writer, const std::vector<CellRecord>& records) {
    RunCounts counts;
    counts.planned = std::ssize(records);
    for (const CellRecord& record : records) {
        if (auto added = writer.add(record); !added) {
            return added.error();
        }
        ++(record.status == RowStatus::tainted ? counts.tainted : counts.ok);
    }
    return counts;
}

/// The message may hold a name or a line of the file, and so anything.
int fail(const Error& error, int code) {
    log_error(printable(error.message()));
    return code;
}

int run_import(const CommandLine& line, const Benchmark& benchmark, const ImportOptions& options) {
    std::vector<CellRecord> records;
    for (const auto& file : options.files) {
        auto record = import_file(benchmark, options, file);
        if (!record) {
            return fail(record.error(), kExitUsage);
        }
        records.push_back(std::move(*record));
    }
    const std::int64_t repetitions = number_cells(records);
    const std::string test(benchmark.name());
    Json header = {{"tool", tool_identity()},
                   {"command", line.words},
                   {"created", utc_extended(std::time(nullptr))},
                   {"imported", true},
                   {"plan", {{"test", test}, {"repetitions", repetitions}}}};
    if (!options.label.empty()) {
        header["label"] = options.label;
    }
    auto writer = make_bundle(options.out, test, header, options.kernel);
    if (!writer) {
        return fail(writer.error(), kExitMissing);
    }
    const RunEnd end = finish_run(*writer, write_cells(*writer, records), 0, false);
    const std::string text =
        options.json ? run_as_json(end)
                     : run_as_text(end, benchmark.table(), terminal_width(STDOUT_FILENO));
    return print(text, end.exit_code);
}

}  // namespace

void add_import_command(CommandLine& line, std::vector<std::unique_ptr<Benchmark>> benchmarks) {
    CLI::App* import =
        line.app.add_subcommand("import", "Make a bundle of what a classic program printed");
    import->require_subcommand(1);
    for (auto& made : benchmarks) {
        if (!made->can_import()) {
            continue;
        }
        std::shared_ptr<Benchmark> benchmark = std::move(made);
        auto options = std::make_shared<ImportOptions>();
        const std::string name(benchmark->name());
        CLI::App* command =
            import->add_subcommand(name, "The output of the classic program of this test");
        add_import_options(*command, *options);
        line.on(
            *command, "import " + name,
            [&line, benchmark, options] { return run_import(line, *benchmark, *options); },
            [options] { return check_files(*options); });
    }
}

}  // namespace bench
