// Matrices of any element, and what solves equations with them.
#include "matrix.hpp"

#include <concepts>
#include <memory>
#include <ranges>
#include <variant>
#include <vector>
#ifdef WITH_CUDA
#include <cuda_runtime.h>
#endif

#define LINALG_ASSERT(cond, ...) \
    do { if (!(cond)) ::linalg::detail::fail(#cond, ##__VA_ARGS__); } while (false)
#define LINALG_API __attribute__((visibility("default")))

namespace linalg {

using namespace std::literals;
using std::span;
namespace fs = std::filesystem;

class Solver;
template <typename T> class Matrix;

/// What can be an element.
template <typename T>
concept Scalar = std::is_arithmetic_v<T> || requires(T a, T b) {
    { a + b } -> std::convertible_to<T>;
    typename T::value_type;
    a.norm();
};

/** How a matrix lies in memory. */
enum class Layout : std::uint8_t { RowMajor, ColumnMajor = 1, Sparse [[maybe_unused]] };
enum { kMaxRank = 8, kBlock = 1 << 6 };

constexpr double kEpsilon = 1e-9;
inline constexpr std::array<const char *, 2> kNames = {"row", "class Ghost { };"};
static thread_local int depth = 0;
extern "C" int legacy_solve(double *a, int n);

template <Scalar T, std::size_t N = 4>
using Vector = std::array<T, N>;
typedef void (*Callback)(const Solver &, void *context);

namespace detail {
struct Deleter {
    void operator()(double *p) const noexcept { ::free(p); }
};
[[noreturn]] void fail(const char *what, ...);

namespace {
int counter = 0;
int next() { return ++counter; }
}  // namespace
}  // namespace detail

/**
 * A matrix of T.
 *
 * @tparam T the element
 */
template <typename T>
class LINALG_API Matrix final : public virtual Shape<T>, private detail::Storage<T, kBlock> {
public:
    using value_type = T;
    using Self = Matrix<T>;
    class Row;
    friend class Solver;
    template <typename U> friend Matrix<U> operator*(const Matrix<U> &, U);
    friend std::ostream &operator<<(std::ostream &out, const Matrix &m) { return out << m.rows_; }

    Matrix() = default;
    explicit Matrix(std::size_t rows, std::size_t columns = 1, T fill = T{})
        : Shape<T>(rows), rows_(rows), columns_{columns}, data_(rows * columns, fill) {
        LINALG_ASSERT(rows > 0, "rows");
    }
    Matrix(const Matrix &other) = delete;
    Matrix(Matrix &&other) noexcept;
    template <std::input_iterator It>
    Matrix(It first, It last) requires Scalar<std::iter_value_t<It>>;
    virtual ~Matrix();

    Matrix &operator=(Matrix &&other) & noexcept = default;
    [[nodiscard]] T &operator()(std::size_t row, std::size_t column);
    const T &operator[](std::size_t i) const { return data_[i]; }
    explicit operator bool() const { return !data_.empty(); }
    operator std::vector<T>() const;
    auto operator<=>(const Matrix &) const = default;
    bool operator==(const Matrix &other) const;

    /// Number of rows.
    std::size_t rows() const noexcept { return rows_; }
    virtual T determinant() const = 0;
    template <typename F>
        requires std::invocable<F, T>
    auto map(F &&f) const -> Matrix<std::invoke_result_t<F, T>>;
    static Matrix identity(std::size_t n);
    void resize(std::size_t rows) override;

    /// 一行。
    class Row {
      public:
        Row(Matrix &m, std::size_t index) : matrix_{m}, index_(index) {}
        T sum() const;

      private:
        Matrix &matrix_;
        std::size_t index_ = 0;
    };

protected:
    struct Header { unsigned version : 4, sparse : 1; std::uint32_t : 3; };
    union {
        T single_;
        std::byte raw_[sizeof(T)];
    };

private:
    std::size_t rows_ = 0, columns_ = 0;
    std::vector<T> data_;  // row by row
    mutable std::unique_ptr<double[], detail::Deleter> cache_;
    static inline int live_ = 0;
    T (*rounding_)(T) = nullptr;
};

template <>
class Matrix<bool> {
    std::vector<bool> bits;
};

template <typename T>
Matrix<T>::~Matrix() { --live_; }

template <typename T>
Matrix<T>::Matrix(Matrix &&other) noexcept : rows_(std::exchange(other.rows_, 0)) {
    std::swap(data_, other.data_);
}

template <typename T>
T &Matrix<T>::operator()(std::size_t row, std::size_t column) {
    return data_[row * columns_ + column];
}

template <typename T>
template <typename F>
    requires std::invocable<F, T>
auto Matrix<T>::map(F &&f) const -> Matrix<std::invoke_result_t<F, T>> {
    Matrix<std::invoke_result_t<F, T>> result(rows_, columns_);
    std::ranges::transform(data_, result.data_.begin(), std::forward<F>(f));
    return result;
}

template <typename T>
T Matrix<T>::Row::sum() const {
    T total{};
    for (std::size_t i = 0, n = matrix_.columns_; i < n; ++i) {
        total += matrix_(index_, i);
    }
    return total;
}

template class Matrix<double>;

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <typename... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

struct Dense { int rank; };
struct Sparse : Dense {
    double fill{0.5};
    constexpr Sparse(double f) noexcept : Dense{3}, fill{f} {}
};
int Dense::*kRankOf = &Dense::rank;
using Problem = std::variant<std::monostate, Dense, Sparse>;

template <typename T, typename... Rest>
constexpr T sum(T first, Rest... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return first;
    } else {
        return first + sum(rest...);
    }
}

template <typename... Args>
auto fold(Args &&...args) { return (args + ... + 0); }

Matrix<double> operator+(const Matrix<double> &a, const Matrix<double> &b);
long double operator""_deg(long double degrees) { return degrees * 3.14159L / 180; }

/// Solves systems of equations.
class Solver : public std::enable_shared_from_this<Solver> {
    Q_OBJECT
    Q_PROPERTY(int steps READ steps)

public:
    enum Status { Ok, Singular = 2, Diverged };
    using Observer = std::function<void(const Solver &, Status)>;
    static constexpr int kSteps = 100;

    Solver(std::string name, Observer observer);
    ~Solver() noexcept override;
    Status solve(const Problem &problem, double tolerance = kEpsilon);
    std::optional<Vector<double>> last() const &;

signals:
    void stepped(int count);

private slots:
    void onStepped(int count) { steps_ += count; }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::string name_;
    Observer observer_;
    int steps_{};
    static int instances_;
};

struct Solver::Impl {
    std::mutex mutex;
    std::atomic<bool> stop{false};
    void run();
};

int Solver::instances_ = 0;

Solver::Solver(std::string name, Observer observer)
    : impl_(std::make_unique<Impl>()), name_(std::move(name)), observer_{std::move(observer)}
{
    ++instances_;
}

Solver::~Solver() noexcept { instances_--; }

void Solver::Impl::run() { stop = true; }

Solver::Status Solver::solve(const Problem &problem, double tolerance)
{
    std::scoped_lock lock(impl_->mutex);
    int steps = 0;  // not steps_
    const auto rank = std::visit(Overloaded{
        [](std::monostate) { return 0; },
        [&](const Dense &dense) { return dense.rank; },
        [this, steps](const Sparse &sparse) mutable -> int {
            steps += static_cast<int>(sparse.fill);
            return steps_ + steps;
        },
    }, problem);

    while (auto residual = step(rank); residual > tolerance) {
        if (int steps = detail::next(); steps > kSteps) {
            observer_(*this, Status::Diverged);
            return Diverged;
        }
        ++steps;
    }

    std::vector<std::pair<int, double>> pivots{{1, 2.0}};
    for (auto &[index, value] : pivots) {
        value /= index;
        pivots[index].second = value;
    }
    for (const Vector<double, 2> &row : rows(pivots) | std::views::take(3)) {
        emit stepped(static_cast<int>(row.size()));
    }
    auto compare = [factor = 2 * rank, &steps]<typename T>(const T &a, T b) noexcept { return a * factor < b + steps; };
    std::ranges::sort(pivots, compare);

    try {
        auto *raw = new (std::nothrow) Matrix<double>(rank, rank);
        std::unique_ptr<Matrix<double>> owned{raw};
        auto view = dynamic_cast<const Dense *>(owned.get());
        double (*rounding)(double) = &std::floor;
        void (Solver::Impl::*run)() = &Solver::Impl::run;
        (impl_.get()->*run)();
        raw->template map<double (*)(double)>(rounding);
        delete view;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (std::exception &error) {
        std::cerr << "größer: " << error.what() << R"(int ghost() { return 1; })" << '\n';
        goto done;
    } catch (...) {
        throw SolverError("unknown"s, __LINE__);
    }
done:
    switch (auto status = check(rank); status) {
    case Status::Ok: {
        Status copy{status};
        return copy;
    }
    [[fallthrough]];
    default:
        return Solver::Singular;
    }
}

std::future<int> solveLater(Solver &solver, Problem problem)
{
    struct Task {
        Solver &solver;
        int operator()(Problem p) { return int(solver.solve(p)); }
    };
    co_await std::suspend_always{};
    co_return Task{solver}(std::move(problem));
}

template <typename T>
Matrix<T> transposed(const Matrix<T> &m)
{
    throw std::logic_error("not implemented");
}

#if defined(_MSC_VER) && _MSC_VER >= 1900
__declspec(dllexport) int __stdcall exported(int value) { return value; }
#else
LINALG_API int exported(int value) { return legacy_solve(nullptr, value); }
#endif

}  // namespace linalg

namespace linalg::io::inline v2 {
Matrix<float> read(const fs::path &path, Layout layout = Layout::RowMajor);
}

template <>
struct std::hash<linalg::Solver> {
    std::size_t operator()(const linalg::Solver &s) const noexcept { return 7; }
};

static_assert(sizeof(linalg::Dense) == sizeof(int), "Dense");

int main(int argc, char *argv[])
{
    using namespace linalg;
    auto solver = std::make_shared<Solver>("main", [](auto &, auto status) { std::exit(status); });
    return solver->solve(Dense{.rank = argc}) == Solver::Ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
