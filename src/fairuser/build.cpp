#include "fairuser/build.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <span>

#include "common/compile_tree.h"
#include "common/file.h"
#include "common/program_search.h"
#include "common/signal_name.h"
#include "fairuser/last_words.h"

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
        return plain_error("run", name, exits.front().text() + last_words(output));
    }
    return guardian->stop(Duration::zero());
}

/// A program and the Debian package that has it.
struct Tool {
    const char* name;
    const char* package;
};
constexpr std::array kAlways = {Tool{"make", "make"}, Tool{"cc", "gcc"}};
/// What every configuration of a Linux tree wants.
constexpr std::array kForLinux = {Tool{"flex", "flex"}, Tool{"bison", "bison"}, Tool{"bc", "bc"},
                                  Tool{"ld", "binutils"}};

Status find_all(std::span<const Tool> tools) {
    for (const Tool& tool : tools) {
        if (!find_program(tool.name)) {
            return Error{ENOENT, "find", tool.name,
                         fmt::format("the build needs it: apt-get install {}", tool.package)};
        }
    }
    return {};
}

/// Some configurations want libelf for a tool of their own.
Status check_libelf(const WorkFolder& folder, const Guardian& run_folder, StopSource& stop) {
    const auto config = read_file(folder.work / ".config", kOutputKept);
    // Before Linux 5.19 it is the second that wants it.
    const auto has = [&](const char* option) {
        return config && config->find(fmt::format("\n{}=y\n", option)) != std::string::npos;
    };
    if (!has("CONFIG_OBJTOOL") && !has("CONFIG_STACK_VALIDATION")) {
        return {};
    }
    SupervisedCommand look;
    look.argv = {"cc", "-E", "-include", "gelf.h", "-x", "c", "-o", "/dev/null", "/dev/null"};
    look.environment = build_environment(folder);
    look.output = folder.output;
    if (Status found = run_to_end(std::move(look), run_folder, stop); !found) {
        if (stop.signal_number() != 0) {
            return found;
        }
        return Error{ENOENT, "find", "gelf.h",
                     "this configuration's objtool needs libelf: apt-get install libelf-dev"};
    }
    return {};
}

}  // namespace

Status check_build(const Options& options) {
    if (Status found = find_all(kAlways); !found) {
        return found;
    }
    if (options.source.empty()) {
        return {};
    }
    if (Status found = find_all(kForLinux); !found) {
        return found;
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
    if (Status configured = run_to_end(std::move(configure), run_folder, stop); !configured) {
        return configured;
    }
    return check_libelf(folder, run_folder, stop);
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
