#include "vm/vm_options.h"

#include <fmt/format.h>

#include <algorithm>

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

void add_vm_options(CLI::App& app, VmOptions& options) {
    add_repeated(app, "--kernel", options.kernels,
                 "Kernel to boot in a guest and measure there: a bzImage or vmlinuz, a Debian "
                 "package, a built tree, a release in /boot; host: the running one")
        ->type_name("KERNEL");
    const auto guests_only = [&options](CLI::Option* option) {
        options.guests_only.push_back(option);
        return option;
    };
    guests_only(add_choice_option<GuestTime>(
        app, "--time", options.machine.time,
        "Time in guests: virtual repeats itself to the byte, real is as noisy as the host",
        {{"virtual", GuestTime::virtual_time}, {"real", GuestTime::real_time}}));
    guests_only(app.add_option_function<std::string>(
                    "--vcpus",
                    [](const std::string& text) {
                        const auto count = parse_integer(text, 1, 1024);
                        if (!count || *count != 1) {
                            throw CLI::ValidationError("--vcpus",
                                                       count ? "'" + text +
                                                                   "': guests have one CPU so far, "
                                                                   "so 1 is all that is allowed"
                                                             : count.error().detail);
                        }
                    },
                    "CPUs of a guest (1 so far)"))
        ->type_name("N")
        ->default_str("1");
    guests_only(add_size_option(app, "--memory", options.machine.memory,
                                "Memory of a guest, in whole MiB", {32U << 20U},
                                {std::uint64_t{64} << 30U}));
    guests_only(add_repeated(app, "--append", options.appends,
                             "Words added to the guests' kernel command line"))
        ->type_name("WORDS");
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
