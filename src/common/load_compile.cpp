#include <fmt/format.h>

#include <cerrno>

#include "common/affinity.h"
#include "common/compile_tree.h"
#include "common/load_supervised.h"
#include "common/program_search.h"

namespace bench {
namespace {

/// Builds again and again; ends only when a build fails. $1: jobs.
constexpr char kBuildForEver[] =
    "while :; do make -s -j\"$1\" || exit; make -s clean || exit; done";

Status check_programs() {
    for (const char* name : {"make", "cc"}) {
        if (!find_program(name)) {
            return Error{ENOENT, "find", name, "install it: apt-get install make gcc"};
        }
    }
    return {};
}

Result<std::int64_t> jobs_of(const LoadOptions& options) {
    if (options.spec.amount) {
        return *options.spec.amount;
    }
    const Result<CpuSet> allowed = get_affinity();
    if (!allowed) {
        return allowed.error();
    }
    return static_cast<std::int64_t>(allowed->size());
}

}  // namespace

Result<LoadPlan> plan_compile(const LoadOptions& options) {
    if (const Status found = check_programs(); !found) {
        return found.error();
    }
    const Result<std::int64_t> jobs = jobs_of(options);
    if (!jobs) {
        return jobs.error();
    }
    Result<Guardian> folder = make_load_folder();
    if (!folder) {
        return folder.error();
    }
    const std::filesystem::path scratch = folder->scratch();
    LoadPlan plan;
    plan.folder.emplace(std::move(folder).value());
    for (std::int64_t copy = 0; copy < options.copies; ++copy) {
        const std::filesystem::path tree = scratch / fmt::format("tree-{}", copy);
        const std::filesystem::path temporary = scratch / fmt::format("tmp-{}", copy);
        for (const std::filesystem::path& made : {tree, temporary}) {
            std::error_code code;
            if (!std::filesystem::create_directory(made, code)) {
                return Error{code.value(), "mkdir", made.string(), {}};
            }
        }
        if (const Status written = write_compile_tree(tree, {}); !written) {
            return written.error();
        }
        SupervisedCommand command;
        command.argv = {"/bin/sh", "-c", kBuildForEver, "bench-load", std::to_string(*jobs)};
        // What the caller builds with must not change the load; a cache would take its work away.
        command.environment = {"MAKEFLAGS",
                               "GNUMAKEFLAGS",
                               "MFLAGS",
                               "MAKELEVEL",
                               "CC",
                               "CFLAGS",
                               "CPPFLAGS",
                               "LDFLAGS",
                               "CPATH",
                               "CCACHE_DISABLE=1",
                               "TMPDIR=" + temporary.string()};
        command.working_directory = tree;
        command.output = scratch / fmt::format("output-{}", copy);
        plan.commands.push_back(std::move(command));
    }
    return plan;
}

}  // namespace bench
