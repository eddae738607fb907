#include "vm/guest_answer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "common/bundle.h"
#include "common/file.h"
#include "common/signal_name.h"
#include "common/units.h"
#include "vm/guest_frames.h"
#include "vm/sha256.h"

namespace bench {
namespace {

constexpr std::size_t kConsoleLines = 100;

std::string frame_text(const ChannelContent& content, std::size_t cell, const char* name) {
    const std::string* frame = content.find(cell_frame(cell, name));
    return frame != nullptr ? *frame : std::string();
}

/// The kernel that the cell's own record names.
std::string recorded_kernel(const ChannelContent& content, std::size_t cell) {
    const std::string text =
        frame_text(content, cell, (std::string(kBundleFrames) + "run.json").c_str());
    const auto run = Json::parse(text, nullptr, false);
    if (!run.is_object() || !run.contains("cells") || !run["cells"].is_array() ||
        run["cells"].empty() || !run["cells"][0].is_object()) {
        return {};
    }
    return run["cells"][0].value("kernel", std::string());
}

std::vector<std::pair<std::string, std::string>> bundle_files(const ChannelContent& content,
                                                              std::size_t cell) {
    std::vector<std::pair<std::string, std::string>> files;
    const std::string prefix = cell_frame(cell, kBundleFrames);
    for (const auto& [name, bytes] : content.frames) {
        // A name from the guest never leads out of the folder.
        if (name.starts_with(prefix) && name.find('/', prefix.size()) == std::string::npos) {
            files.emplace_back(name.substr(prefix.size()), bytes);
        }
    }
    return files;
}

CellExecution blank_execution(const GuestTask& task, const GuestRemains& remains) {
    CellExecution execution;
    execution.details["guest"] = {{"kernel_sha256", task.kernel->sha256},
                                  {"image_sha256", remains.image_sha256},
                                  {"command_line", kernel_command_line(task.machine)}};
    return execution;
}

void add_console(CellExecution& execution, const GuestRemains& remains) {
    execution.details["guest"]["console"] = console_tail(remains.console, kConsoleLines);
}

/// A cell that the guest did not hand over.
GuestAnswer missing_cell(const GuestTask& task, const GuestRemains& remains) {
    GuestAnswer answer{blank_execution(task, remains), {}};
    add_console(answer.execution, remains);
    answer.execution.conduct = remains.conduct;
    if (remains.conduct != CellConduct::finished) {
        return answer;
    }
    // The first process gives a sign when it is up and one for each second of rest; the next come
    // when a cell runs.
    const std::int64_t settled = 1 + (settle_ms(task.machine.time) + 999) / 1000;
    const bool began = static_cast<std::int64_t>(remains.beats) > settled;
    answer.execution.conduct = began ? CellConduct::broke : CellConduct::never_ran;
    answer.execution.reason = why_no_results(remains.end, remains.beats > 0, remains.console,
                                             remains.emulator_output, remains.exit_text);
    return answer;
}

void take_gap(const std::string& text, CellExecution& execution) {
    auto gap = Json::parse(text, nullptr, false);
    if (gap.is_object()) {
        execution.details["guest"]["vcpu_gap"] = std::move(gap);
    }
}

GuestAnswer whole_cell(const GuestTask& task, const GuestRemains& remains, std::size_t cell) {
    GuestAnswer answer{blank_execution(task, remains), {}};
    CellExecution& execution = answer.execution;
    const auto text = [&](const char* name) { return frame_text(remains.content, cell, name); };
    execution.exit_code =
        static_cast<int>(parse_integer(text(kStatusFrame), 0, 255).optional().value_or(127));
    execution.output_tail = console_tail(text(kOutputFrame), kConsoleLines);
    while (execution.output_tail.ends_with('\n')) {
        execution.output_tail.pop_back();
    }
    take_gap(text(kGapFrame), execution);
    execution.taints = kernel_log_taints(text(kLogFrame));
    // Once a boot is enough where nothing is in doubt.
    if (cell == 0 || execution.exit_code != 0 || !execution.taints.empty()) {
        add_console(execution, remains);
    }
    if (const std::string release = recorded_kernel(remains.content, cell);
        !release.empty() && release != task.kernel->release) {
        execution.taints.push_back(fmt::format("the kernel calls itself {}, and its image {}",
                                               release, task.kernel->release));
    }
    if (execution.exit_code > 128 && !execution.taints.empty()) {
        execution.conduct = CellConduct::broke;
        execution.reason =
            fmt::format("the cell's process was killed by {}; {}",
                        signal_name(execution.exit_code - 128), execution.taints.front());
        return answer;
    }
    if (const std::string missing = text(kErrorFrame); !missing.empty()) {
        execution.conduct = CellConduct::broke;
        execution.reason = "the guest's results could not be taken over: " + missing;
        if (!execution.output_tail.empty()) {
            execution.reason += "; it said: " + execution.output_tail;
        }
        execution.output_tail.clear();
        return answer;
    }
    answer.bundle = bundle_files(remains.content, cell);
    return answer;
}

}  // namespace

std::string GuestAnswer::digest() const {
    std::string all = fmt::format("{} {} {}", static_cast<int>(execution.conduct),
                                  execution.exit_code, execution.reason);
    for (const auto& [name, bytes] : bundle) {
        all += fmt::format("\n{} {} ", name, bytes.size()) + bytes;
    }
    return sha256_hex(all);
}

std::vector<GuestAnswer> read_answers(const GuestTask& task, const GuestRemains& remains) {
    std::vector<GuestAnswer> answers;
    while (answers.size() < task.cells.size() &&
           remains.content.find(cell_frame(answers.size(), kStatusFrame)) != nullptr) {
        answers.push_back(whole_cell(task, remains, answers.size()));
    }
    if (answers.size() == task.cells.size()) {
        return answers;
    }
    GuestAnswer missing = missing_cell(task, remains);
    const bool all = answers.empty() && missing.execution.conduct == CellConduct::never_ran;
    answers.resize(all ? task.cells.size() : answers.size() + 1, missing);
    return answers;
}

Status write_bundle(const GuestAnswer& answer, const std::filesystem::path& folder) {
    if (answer.bundle.empty()) {
        return {};
    }
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error)) {
        return plain_error("mkdir", folder.string(), error.message());
    }
    for (const auto& [name, bytes] : answer.bundle) {
        auto file = open_file(folder / name, O_WRONLY | O_CREAT | O_EXCL);
        if (!file) {
            return file.error();
        }
        if (auto written = write_text(file->get(), bytes, folder / name); !written) {
            return written;
        }
        if (auto closed = close_file(std::move(*file), folder / name); !closed) {
            return closed;
        }
    }
    return {};
}

}  // namespace bench
