#pragma once

namespace bench {

/// The first process of a guest: mounts what a cell needs, rests, runs `bench` with the orders of
/// the image as a child, reaps whatever is orphaned, hands the results to the host and turns the
/// guest off. Does not return.
[[noreturn]] void run_as_guest_init();

}  // namespace bench
