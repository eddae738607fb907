// Apart from the image: the guest reads them, and links nothing that packs or unpacks.
#include <nlohmann/json.hpp>

#include "vm/guest_image.h"

namespace bench {

std::string format_guest_orders(const GuestOrders& orders) {
    const nlohmann::ordered_json json = {{"settle_ms", orders.settle_ms},
                                         {"rest_ms", orders.rest_ms},
                                         {"vcpus", orders.vcpus},
                                         {"cells", orders.cells}};
    // Bytes that are no UTF-8 become U+FFFD, as everywhere in JSON.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<GuestOrders> parse_guest_orders(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    GuestOrders orders;
    try {
        json.at("settle_ms").get_to(orders.settle_ms);
        json.at("rest_ms").get_to(orders.rest_ms);
        json.at("vcpus").get_to(orders.vcpus);
        json.at("cells").get_to(orders.cells);
    } catch (const nlohmann::json::exception& exception) {
        return plain_error("read", kGuestOrders, exception.what());
    }
    return orders;
}

}  // namespace bench
