#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/environment_sections.h"
#include "common/environment_text.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace bench::environment {

namespace {

constexpr std::string_view kClockSources =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";

/// The twelve letters with which a hypervisor signs on x86 ("KVMKVMKVM", "TCGTCGTCGTCG"); nullopt
/// where there is no such place to look.
std::optional<std::string> hypervisor_signature() {
#if defined(__x86_64__) || defined(__i386__)
    unsigned eax = 0;
    std::array<unsigned, 3> letters{};
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned kHypervisorBit = 1U << 31U;
    if (__get_cpuid(1, &eax, &letters[0], &ecx, &edx) == 0 || (ecx & kHypervisorBit) == 0) {
        return std::nullopt;
    }
    __cpuid(0x40000000U, eax, letters[0], letters[1], letters[2]);
    std::array<char, sizeof letters> text{};
    std::memcpy(text.data(), letters.data(), sizeof letters);
    const std::string_view all(text.data(), text.size());
    std::string signature(all.substr(0, all.find('\0')));
    if (std::all_of(signature.begin(), signature.end(),
                    [](char c) { return c >= ' ' && c <= '~'; }) &&
        !signature.empty()) {
        return signature;
    }
#endif
    return std::nullopt;
}

std::optional<bool> hypervisor_flag(std::string_view cpuinfo) {
    const auto flags = value_of(cpuinfo, "flags");
    if (!flags) {
        return std::nullopt;
    }
    const std::vector<std::string_view> all = words(*flags);
    return std::find(all.begin(), all.end(), "hypervisor") != all.end();
}

/// By name of whoever made the machine; nullopt for real makers.
std::optional<std::string> kind_by_dmi(std::string_view vendor, std::string_view product) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 9> kVendors = {
        {{"QEMU", "qemu"},
         {"VMware", "vmware"},
         {"Xen", "xen"},
         {"innotek GmbH", "virtualbox"},
         {"Firecracker", "firecracker"},
         {"Red Hat", "kvm"},
         {"OpenStack", "openstack"},
         {"Parallels", "parallels"},
         {"Bochs", "bochs"}}};
    if (product.starts_with("KVM")) {
        return "kvm";
    }
    if (product == "VirtualBox") {
        return "virtualbox";
    }
    if (vendor == "Microsoft Corporation" && product == "Virtual Machine") {
        return "hyperv";
    }
    for (const auto& [name, kind] : kVendors) {
        if (vendor.starts_with(name)) {
            return kind;
        }
    }
    if (vendor == "Amazon EC2" && product.find(".metal") == std::string_view::npos) {
        return "amazon";
    }
    if (vendor == "Google" && product == "Google Compute Engine") {
        return "google";
    }
    return std::nullopt;
}

std::optional<std::string> kind_by_signature(std::string_view signature) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 8> kSignatures = {
        {{"KVMKVMKVM", "kvm"},
         {"Linux KVM Hv", "kvm"},
         {"TCGTCGTCGTCG", "qemu"},
         {"VMwareVMware", "vmware"},
         {"XenVMMXenVMM", "xen"},
         {"Microsoft Hv", "hyperv"},
         {"VBoxVBoxVBox", "virtualbox"},
         {"bhyve bhyve ", "bhyve"}}};
    for (const auto& [text, kind] : kSignatures) {
        if (signature == text) {
            return kind;
        }
    }
    return std::nullopt;
}

/// Whether the CPUs are the host's own (kvm) or emulated (tcg), as far as something says so.
std::optional<std::string> acceleration(const SystemRoot& system, std::string_view cpuinfo,
                                        const std::optional<std::string>& signature) {
    if (signature && signature->starts_with("TCG")) {
        return "tcg";
    }
    if (signature && signature->find("KVM") != std::string::npos) {
        return "kvm";
    }
    const std::vector<std::string_view> model =
        words(value_of(cpuinfo, "model name").value_or(std::string_view()));
    if (std::find(model.begin(), model.end(), "TCG") != model.end()) {
        return "tcg";
    }
    const std::optional<std::string> clocks = fact(system, kClockSources);
    if (clocks && clocks->find("kvm-clock") != std::string::npos) {
        return "kvm";
    }
    return std::nullopt;
}

std::optional<std::string> container(const SystemRoot& system) {
    if (auto name = fact(system, "/run/systemd/container"); name && !name->empty()) {
        return name;
    }
    if (system.exists("/.dockerenv")) {
        return "docker";
    }
    if (system.exists("/run/.containerenv")) {
        return "podman";
    }
    // Of process 1, for those who may look.
    if (const auto environ = fact(system, "/proc/1/environ")) {
        constexpr std::string_view kName = "container=";
        std::string_view rest = *environ;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\0'), rest.size());
            const std::string_view entry = rest.substr(0, end);
            if (entry.starts_with(kName) && entry.size() > kName.size()) {
                return std::string(entry.substr(kName.size()));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return std::nullopt;
}

}  // namespace

Json virtualisation_section(const SystemRoot& system, std::string_view release) {
    Json json = Json::object();
    const std::string cpuinfo = system.read("/proc/cpuinfo").optional().value_or("");
    put(json, "hypervisor_flag", hypervisor_flag(cpuinfo));
    const std::optional<std::string> signature =
        system.is_host() ? hypervisor_signature() : std::nullopt;
    put(json, "signature", signature);
    const auto vendor = fact(system, "/sys/class/dmi/id/sys_vendor");
    const auto product = fact(system, "/sys/class/dmi/id/product_name");
    put(json, "dmi_vendor", vendor);
    put(json, "dmi_product", product);

    std::optional<std::string> kind = fact(system, "/sys/hypervisor/type");
    if (!kind && release.find("icrosoft") != std::string_view::npos) {
        kind = "wsl";
    }
    if (!kind) {
        kind = kind_by_dmi(vendor.value_or(""), product.value_or(""));
    }
    if (!kind && signature) {
        kind = kind_by_signature(*signature);
    }
    put(json, "kind", kind);
    put(json, "accel", acceleration(system, cpuinfo, signature));
    put(json, "container", container(system));
    return json;
}

}  // namespace bench::environment
