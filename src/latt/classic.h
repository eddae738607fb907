#pragma once

namespace bench::latt {

/// The classic program latt 0.1: its options, its output, the exit status of its command.
[[nodiscard]] int classic_main(int argc, char** argv);

}  // namespace bench::latt
