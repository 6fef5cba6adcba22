// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// {fmt}, compiled once instead of in every unit that formats a string.  Debian packages it only as
// a shared library, but a program that is copied to another machine should run there.  Below are
// the templates that fmt/format.h declares extern (9.x).
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
}  // namespace detail
FMT_END_NAMESPACE
