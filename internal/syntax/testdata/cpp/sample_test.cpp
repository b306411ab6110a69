#include "sample.hpp"

template <class T, class E>
class Result {
 public:
  template <class U>
  explicit operator Result<U, E>() const& noexcept(std::is_nothrow_constructible<U, const T&>::value &&
                                                    std::is_nothrow_copy_constructible<E>::value);
  operator T*() const { return value_; }
  T* value_;
};

namespace {

TEST_CASE("vectors can be sized", "[vector]") {
  int size = 1;
  SECTION("resizing") { resize(size); }
}

SCENARIO("a cart is filled") { fill(); }

TEST_CASE_METHOD(Cart, "uses a fixture") { fill(); }

TEST(ResultTest, ConvertsToBool) { fill(); }

TEST_F(
    CartTest, IsEmpty) {
  fill();
}

BOOST_AUTO_TEST_CASE(sizes) { fill(); }
BOOST_FIXTURE_TEST_CASE(prices, Cart) { fill(); }

}  // namespace

static int last() { return CHECK_SIZE("no test"); }
