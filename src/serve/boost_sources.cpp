// Asio and Beast, compiled once (BOOST_ASIO_SEPARATE_COMPILATION,
// BOOST_BEAST_SEPARATE_COMPILATION).
// clang-format off: they need this order.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
// clang-format on
