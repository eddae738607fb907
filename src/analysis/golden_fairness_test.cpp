#include "analysis/midranks.h"
#include "analysis/testing/golden_handlers.h"
#include "common/fairness.h"
#include "common/statistics.h"

namespace bench::analysis::testing {
namespace {

void by_finish(GoldenCase& golden) {
    const Json& input = golden.input();
    const double finish_1 = input["finish_user1_s"];
    const double finish_2 = input["finish_user2_s"];
    // A run without a reference in the file is the reference of its own block.
    const double reference = input["reference_makespan_s"].is_null()
                                 ? std::max(finish_1, finish_2)
                                 : input["reference_makespan_s"].get<double>();
    const auto users = two_users_by_finish(finish_1, finish_2, reference);
    if (golden.expects("error")) {
        golden.leave("error");
        ASSERT_FALSE(users) << golden.name();
        EXPECT_NE(users.error().detail.find("more than twice"), std::string::npos);
        return;
    }
    ASSERT_TRUE(users);
    golden.check("contention_window_s", users->window);
    golden.check("work_per_user_s", users->work_per_user);
    golden.check("share_user1", users->share_1);
    golden.check("share_user2", users->share_2);
    golden.check("misallocated_cpu_fraction", users->fairness.misallocated);
    golden.check("jain_between", users->fairness.jain_between);
    golden.check("efficiency", users->fairness.efficiency);
    golden.check("fairness_number", users->fairness.number);
    // What is unknown inside the groups takes nothing away.
    golden.leave("within_set");
    EXPECT_DOUBLE_EQ(users->fairness.within, 1);

    const auto alone = two_users_by_finish(finish_1, finish_2, std::nullopt);
    ASSERT_TRUE(alone);
    EXPECT_FALSE(alone->fairness.efficiency || alone->fairness.number) << "nothing to refer to";
}

void by_work(GoldenCase& golden) {
    const Json& input = golden.input();
    const TwoUsersBound bound = two_users_by_work(input["finish_user2_s"], input["finish_user1_s"],
                                                  input["work_per_user_cpu_s"], input["cpus"]);
    golden.check("share_user2_at_least", bound.first_share_at_least);
    golden.check("jain_between_at_most_unfair", bound.jain_at_most);
    golden.check("mean_cpus_used", bound.cpus_used);
}

void throughput(GoldenCase& golden) {
    const auto vanilla = golden.numbers("vanilla");
    const auto patched = golden.numbers("patched");
    golden.check("jain_vanilla", jain_index(vanilla));
    golden.check("jain_patched", jain_index(patched));
    const double efficiency = *mean(patched) / *mean(vanilla);
    golden.check("efficiency", efficiency);
    const auto users =
        fairness_of_tasks(std::vector<std::vector<double>>{{patched[0]}, {patched[1]}},
                          std::vector{0.5, 0.5}, efficiency);
    ASSERT_TRUE(users);
    golden.check("fairness_number_if_two_users", users->number);
    golden.check("mwu_two_sided_p_if_repeats",
                 mann_whitney_midranks(vanilla, patched)->p_two_sided);
}

void number(GoldenCase& golden) {
    const auto result =
        fairness_of_tasks(golden.input()["groups"].get<std::vector<std::vector<double>>>(),
                          golden.numbers("entitlement"), golden.input()["efficiency"]);
    ASSERT_TRUE(result);
    golden.check("jain_between", result->jain_between);
    golden.check("within_factor", result->within);
    golden.check("jain_total", result->jain_between * result->within);
    golden.check("efficiency", result->efficiency);
    golden.check("fairness_number", result->number);
}

}  // namespace

GoldenHandlers fairness_handlers() {
    return {{"fairness_two_users_finish_times", by_finish},
            {"fairness_two_users_known_work", by_work},
            {"fairness_throughput", throughput},
            {"fairness_number", number}};
}

}  // namespace bench::analysis::testing
