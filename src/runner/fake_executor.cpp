#include "runner/fake_executor.h"

#include "common/units.h"

namespace bench {

std::string FakeExecutor::argument(const CellRequest& request, std::string_view name) {
    const std::string prefix = std::string(name) + "=";
    for (const auto& argument : request.arguments) {
        if (argument.starts_with(prefix)) {
            return argument.substr(prefix.size());
        }
    }
    return {};
}

Result<CellExecution> FakeExecutor::run(const CellRequest& request, const Tick& tick) {
    requests_.push_back(request);
    if (!tick()) {
        return CellExecution{CellConduct::interrupted, 0, {}};
    }
    CellRecord record;
    record.cell = std::stoll(argument(request, "--cell"));
    record.key.test = request.arguments.at(1);
    record.key.clients = std::stoll(argument(request, "--clients"));
    record.key.seed = std::stoull(argument(request, "--seed"));
    const CellExecution execution = script_(request, record);
    if (execution.conduct != CellConduct::finished || execution.exit_code > 128) {
        return execution;
    }
    auto writer = BundleWriter::create(request.bundle, Json::object());
    if (!writer) {
        return writer.error();
    }
    if (auto added = writer->add(record); !added) {
        return added.error();
    }
    if (auto finished = writer->finish("complete"); !finished) {
        return finished.error();
    }
    return execution;
}

}  // namespace bench
