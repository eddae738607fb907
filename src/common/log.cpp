#include "common/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace bench {
namespace {

spdlog::logger& logger() {
    static spdlog::logger instance = [] {
        spdlog::logger made("bench", std::make_shared<spdlog::sinks::stderr_sink_st>());
        made.set_pattern("%n: %l: %v");
        made.set_level(spdlog::level::info);
        made.flush_on(spdlog::level::trace);
        return made;
    }();
    return instance;
}

}  // namespace

void log_error(std::string_view message) {
    logger().error("{}", message);
}
void log_warning(std::string_view message) {
    logger().warn("{}", message);
}
void log_debug(std::string_view message) {
    logger().debug("{}", message);
}

void set_verbose(bool verbose) {
    logger().set_level(verbose ? spdlog::level::debug : spdlog::level::info);
}

}  // namespace bench
