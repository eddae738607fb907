#include "analysis/client_words.h"

#include <gtest/gtest.h>

namespace bench::analysis {
namespace {

TEST(ClientWords, SayWhichCountsAreMeant) {
    const std::vector<std::int64_t> all = {1, 2, 4, 8, 16};
    EXPECT_EQ(clients_words({}, all), "");
    EXPECT_EQ(clients_words(all, all), "");
    EXPECT_EQ(clients_words({8, 16}, all), "from 8 clients up");
    EXPECT_EQ(clients_words({1, 2, 4}, all), "up to 4 clients");
    EXPECT_EQ(clients_words({16}, all), "at 16 clients");
    EXPECT_EQ(clients_words({1}, all), "at 1 client");
    EXPECT_EQ(clients_words({2, 4, 16}, all), "at 2..4, 16 clients");
}

}  // namespace
}  // namespace bench::analysis
