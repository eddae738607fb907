// fmt's own non-template code, compiled once. Debian ships it as a shared library only, which a static executable can't
// link, and compiling it into every source doubles the time of a build.
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

// What <fmt/format.h> declares and leaves to the library.
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float);
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

}  // namespace detail
}  // namespace v9
}  // namespace fmt
