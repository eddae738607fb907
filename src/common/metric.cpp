#include "common/metric.h"

namespace bench {

std::string_view better_text(Better better) {
    switch (better) {
        case Better::lower:
            return "lower";
        case Better::higher:
            return "higher";
        case Better::none:
            break;
    }
    return "none";
}

std::optional<Better> parse_better(std::string_view text) {
    for (const Better better : {Better::lower, Better::higher, Better::none}) {
        if (text == better_text(better)) {
            return better;
        }
    }
    return std::nullopt;
}

}  // namespace bench
