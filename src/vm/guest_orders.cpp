// Apart from the image: the guest reads them, and links nothing that packs or unpacks.
#include <nlohmann/json.hpp>

#include "vm/guest_image.h"

namespace bench {

std::string format_guest_orders(const GuestOrders& orders) {
    const nlohmann::ordered_json json = {{"settle_ms", orders.settle_ms},
                                         {"arguments", orders.arguments}};
    // Bytes that are no UTF-8 become U+FFFD, as everywhere in JSON.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<GuestOrders> parse_guest_orders(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("settle_ms") || !json.contains("arguments") ||
        !json["settle_ms"].is_number_integer() || !json["arguments"].is_array()) {
        return plain_error("read", kGuestOrders, "no orders");
    }
    GuestOrders orders;
    orders.settle_ms = json["settle_ms"].get<std::int64_t>();
    for (const auto& word : json["arguments"]) {
        if (!word.is_string()) {
            return plain_error("read", kGuestOrders, "an argument that is no text");
        }
        orders.arguments.push_back(word.get<std::string>());
    }
    return orders;
}

}  // namespace bench
