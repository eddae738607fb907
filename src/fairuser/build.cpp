#include "fairuser/build.h"

#include <fmt/format.h>

#include <cerrno>

#include "common/compile_tree.h"
#include "common/file_tail.h"
#include "common/program_search.h"
#include "common/signal_name.h"

namespace bench::fairuser {
namespace {

namespace fs = std::filesystem;

std::string source_of(const Options& options) {
    std::error_code ignored;
    return fs::absolute(options.source, ignored).lexically_normal().string();
}

std::vector<std::string> kernel_make(const Options& options, const WorkFolder& folder) {
    return {"make", "-C", source_of(options), "O=" + folder.work.string()};
}

/// Runs a command to its end, outside any measurement.
Status run_to_end(SupervisedCommand command, const Guardian& run_folder, StopSource& stop) {
    const fs::path output = command.output;
    const std::string name = fmt::format("{}", fmt::join(command.argv, " "));
    Guardian::Options options;
    options.commands.push_back(std::move(command));
    options.outlived_by = &run_folder;
    auto guardian = Guardian::start(std::move(options));
    if (!guardian) {
        return guardian.error();
    }
    if (stop.wait_readable(guardian->event_fd()) == StopReason::signal) {
        return plain_error("run", name, "stopped by " + signal_name(stop.signal_number()));
    }
    const auto& exits = guardian->poll_exits();
    if (exits.empty()) {
        return plain_error("run", name, "its guardian was killed");
    }
    if (!exits.front().clean()) {
        constexpr std::size_t kTail = 2000;
        return plain_error("run", name,
                           exits.front().text() + "; it printed: " + file_tail(output, kTail));
    }
    return guardian->stop(Duration::zero());
}

}  // namespace

Status check_build(const Options& options) {
    for (const char* name : {"make", "cc"}) {
        if (!find_program(name)) {
            return Error{ENOENT, "find", name, "install it: apt-get install make gcc"};
        }
    }
    if (options.source.empty()) {
        return {};
    }
    std::error_code ignored;
    const fs::path source = source_of(options);
    for (const char* file : {"Makefile", "Kconfig", "scripts/kconfig/Makefile"}) {
        if (!fs::exists(source / file, ignored)) {
            return plain_error("check", options.source,
                               fmt::format("--source is no Linux source tree: it has no {}", file));
        }
    }
    // The tree's own build refuses to build elsewhere then.
    for (const char* file : {".config", "include/config"}) {
        if (fs::exists(source / file, ignored)) {
            return plain_error("check", options.source,
                               fmt::format("--source was built in itself (it has {}): run make "
                                           "mrproper there, or give a fresh tree",
                                           file));
        }
    }
    return {};
}

Status prepare_build(const Options& options, const WorkFolder& folder,
                     const std::optional<UserIdentity>& identity, const Guardian& run_folder,
                     StopSource& stop) {
    if (options.source.empty()) {
        CompileTreeOptions tree;
        tree.units = static_cast<int>(options.units_or_default());
        if (Status written = write_compile_tree(folder.work, tree); !written) {
            return written;
        }
        return give_to(folder.work, identity);
    }
    SupervisedCommand configure;
    configure.argv = kernel_make(options, folder);
    configure.argv.push_back(options.config_or_default());
    configure.environment = build_environment(folder);
    configure.working_directory = folder.work;
    configure.output = folder.output;
    configure.user = identity;
    return run_to_end(std::move(configure), run_folder, stop);
}

Workload build_workload(const Options& options, const UserSpec& user, const WorkFolder& folder) {
    std::vector<std::string> argv = {"make"};
    if (!options.source.empty()) {
        argv = kernel_make(options, folder);
        argv.push_back(options.target_or_default());
    }
    argv.push_back(fmt::format("-j{}", user.jobs));
    Workload workload = program_workload(std::move(argv));
    workload.environment = build_environment(folder);
    workload.folder = folder.work;
    // A job is a make, a compiler driver, its parts, for a moment.
    workload.tasks = 4 * static_cast<std::uint64_t>(user.jobs);
    return workload;
}

std::vector<std::string> build_environment(const WorkFolder& folder) {
    return {"MAKEFLAGS",
            "GNUMAKEFLAGS",
            "MFLAGS",
            "MAKELEVEL",
            "MAKEFILES",
            "CC",
            "CXX",
            "CFLAGS",
            "CPPFLAGS",
            "LDFLAGS",
            "CPATH",
            "ARCH",
            "CROSS_COMPILE",
            "KCFLAGS",
            "KBUILD_OUTPUT",
            "CCACHE_DISABLE=1",
            "TMPDIR=" + folder.temporary.string()};
}

}  // namespace bench::fairuser
