#include "vm/vm_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/affinity.h"
#include "common/options.h"
#include "vm/vm_executor.h"

namespace bench {
namespace {

/// An option with free text that varies by being repeated.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
    return app
        .add_option_function<std::vector<std::string>>(
            name,
            [&values, name](const std::vector<std::string>& given) {
                for (const std::string& value : given) {
                    if (std::find(values.begin(), values.end(), value) != values.end()) {
                        throw CLI::ValidationError(name, "'" + value + "' is given twice");
                    }
                    values.push_back(value);
                }
            },
            help + "; repeat it to compare")
        ->allow_extra_args(false)
        ->take_all();
}

}  // namespace

bool VmOptions::any_guest() const {
    return std::any_of(kernels.begin(), kernels.end(),
                       [](const std::string& kernel) { return kernel != kHostKernel; });
}

bool VmOptions::only_guests() const {
    return !kernels.empty() &&
           std::find(kernels.begin(), kernels.end(), kHostKernel) == kernels.end();
}

bool VmOptions::all_virtual() const {
    return only_guests() && machine.time == GuestTime::virtual_time;
}

std::int64_t VmOptions::seed_count() const {
    constexpr std::int64_t kWithOneCpu = 10;
    constexpr std::int64_t kWithMore = 20;
    return seeds.value_or(machine.vcpus == 1 ? kWithOneCpu : kWithMore);
}

Boots VmOptions::boots_wanted() const {
    return boots.value_or(machine.time == GuestTime::virtual_time ? Boots::twice : Boots::per_cell);
}

void add_vm_options(CLI::App& app, VmOptions& options) {
    add_repeated(app, "--kernel", options.kernels,
                 "Kernel to boot in a guest and measure there: a bzImage or vmlinuz, a Debian "
                 "package, a built tree, a release in /boot; host: the running one")
        ->type_name("KERNEL");
    options.guests_only.push_back(add_choice_option<GuestTime>(
        app, "--time", options.machine.time,
        "Time in guests: virtual repeats itself to the byte, real is as noisy as the host",
        {{"virtual", GuestTime::virtual_time}, {"real", GuestTime::real_time}}));
    options.guests_only.push_back(add_repeated(app, "--append", options.appends,
                                               "Words added to the guests' kernel command line")
                                      ->type_name("WORDS"));
    add_guest_options(app, options);
}

void add_guest_options(CLI::App& app, VmOptions& options) {
    constexpr std::int64_t kMostVcpus = 64;
    constexpr std::int64_t kMostSeeds = 100'000;
    const auto guests_only = [&options](CLI::Option* option) {
        options.guests_only.push_back(option);
        return option;
    };
    guests_only(add_integer_option(app, "--vcpus", options.machine.vcpus,
                                   "CPUs of a guest; in virtual time they take turns", 1,
                                   kMostVcpus));
    guests_only(add_integer_option(
        app, "--vm-seeds", options.seeds,
        "Seeds that each cell runs with in virtual time, in place of --reps (default: 10, with "
        "several CPUs 20: half a minute of two host CPUs for a cell of latt; 1 for a glance)",
        1, kMostSeeds));
    guests_only(add_choice_option<std::optional<Boots>>(
        app, "--boots", options.boots,
        "Cells of a kernel that share a boot: each alone (default in real time), those of a seed "
        "or repetition, the first half of the seeds and the second (default in virtual time), all",
        {{"per-cell", Boots::per_cell},
         {"per-repetition", Boots::per_repetition},
         {"twice", Boots::twice},
         {"once", Boots::once}}));
    guests_only(app.add_flag("--verify-determinism", options.verify,
                             "Run each cell twice in virtual time, a third time when that differs; "
                             "a row fails when all three do"));
    guests_only(add_size_option(app, "--memory", options.machine.memory,
                                "Memory of a guest, in whole MiB", {32U << 20U},
                                {std::uint64_t{64} << 30U}));
    guests_only(add_duration_option(app, "--boot-timeout", options.boot_timeout,
                                    "How long a guest may take to come up, in the host's time",
                                    std::chrono::milliseconds(1), std::chrono::hours(24)));
    guests_only(app.add_option("--qemu", options.qemu, "QEMU's executable"))
        ->type_name("PROGRAM")
        ->default_str(options.qemu);
}

Status check_vm_options(const VmOptions& options) {
    if (!options.any_guest()) {
        for (const CLI::Option* option : options.guests_only) {
            if (option->count() > 0) {
                return plain_error("", "--" + option->get_lnames().front(),
                                   "there is no guest: give a kernel to boot with --kernel");
            }
        }
    }
    if (!options.appends.empty() && !options.only_guests() && options.any_guest()) {
        return plain_error("", "--append", "the running kernel (--kernel host) has its own");
    }
    if (options.any_guest() && !options.all_virtual()) {
        if (options.seeds) {
            return plain_error("", "--vm-seeds",
                               "there are cells that are not in virtual time: --reps repeats all");
        }
        if (options.verify) {
            return plain_error("", "--verify-determinism", "only virtual time repeats itself");
        }
    }
    if (options.machine.time == GuestTime::real_time && options.any_guest()) {
        const auto allowed = get_affinity();
        if (allowed && options.machine.vcpus > std::ssize(allowed->cpus())) {
            return plain_error(
                "", "--vcpus",
                fmt::format("'{}' is more than the {} CPUs of the host that may be used, and in "
                            "real time each needs one",
                            options.machine.vcpus, allowed->size()));
        }
    }
    if (options.machine.memory.bytes % (1U << 20U) != 0) {
        return plain_error(
            "", "--memory",
            fmt::format("'{}' is not a whole number of MiB", format_size(options.machine.memory)));
    }
    for (const std::string& append : options.appends) {
        GuestMachine machine;
        machine.append = append;
        if (append.find_first_of("\n\r") != std::string::npos ||
            append.find('\0') < append.size()) {
            return plain_error("", "--append", "a kernel's command line is one line");
        }
        if (kernel_command_line(machine).size() > kLongestCommandLine) {
            return plain_error("", "--append",
                               fmt::format("{} bytes: with what every guest gets that is more "
                                           "than the {} that a kernel takes",
                                           append.size(), kLongestCommandLine));
        }
    }
    return {};
}

Result<std::vector<KernelFile>> read_kernels(const VmOptions& options) {
    std::vector<KernelFile> kernels;
    for (const std::string& given : options.kernels) {
        if (given == kHostKernel) {
            continue;
        }
        auto kernel = read_kernel(given);
        if (!kernel) {
            return kernel.error();
        }
        for (const KernelFile& other : kernels) {
            if (other.release == kernel->release) {
                return plain_error("read", given,
                                   fmt::format("it is a {}, as {} is: nobody could tell their rows "
                                               "apart (build with another CONFIG_LOCALVERSION)",
                                               kernel->release, other.given));
            }
        }
        kernels.push_back(std::move(*kernel));
    }
    return kernels;
}

std::vector<Axis> vm_places(const VmOptions& options) {
    std::vector<Axis> places;
    if (!options.kernels.empty()) {
        places.push_back({"--kernel", options.kernels});
    }
    if (!options.appends.empty()) {
        places.push_back({"--append", options.appends});
    }
    return places;
}

bool is_guest(const std::vector<std::pair<std::string, std::string>>& place) {
    const std::string kernel = place_value(place, "--kernel");
    return !kernel.empty() && kernel != kHostKernel;
}

}  // namespace bench
