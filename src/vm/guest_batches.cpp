#include "vm/guest_batches.h"

#include <algorithm>
#include <map>

namespace bench {

std::vector<std::vector<std::size_t>> batch_cells(const std::vector<GuestCell>& cells,
                                                  Boots boots) {
    std::int64_t last = 1;
    for (const GuestCell& cell : cells) {
        last = std::max(last, cell.repetition);
    }
    const auto share = [&](const GuestCell& cell) -> std::int64_t {
        switch (boots) {
            case Boots::per_cell:
                return static_cast<std::int64_t>(cell.index);
            case Boots::per_repetition:
                return cell.repetition;
            case Boots::twice:
                return cell.repetition * 2 > last + 1 ? 1 : 0;
            case Boots::once:
                break;
        }
        return 0;
    };
    using Key = std::pair<std::vector<std::pair<std::string, std::string>>, std::int64_t>;
    std::vector<std::vector<std::size_t>> batches;
    std::map<Key, std::size_t> open;
    for (const GuestCell& cell : cells) {
        const Key key(cell.place, share(cell));
        auto found = open.find(key);
        if (found == open.end() || batches[found->second].size() >= kMostCellsABoot) {
            found = open.insert_or_assign(key, batches.size()).first;
            batches.emplace_back();
        }
        batches[found->second].push_back(cell.index);
    }
    return batches;
}

}  // namespace bench
