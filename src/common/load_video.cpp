#include "common/load_supervised.h"
namespace bench {
Result<LoadPlan> plan_video(const LoadOptions&) {
    return plain_error("video", "", "soon");
}
}  // namespace bench
