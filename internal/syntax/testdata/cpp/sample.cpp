// Shapes and the scene that holds them.
#include <map>
#include <memory>
#include "scene.hpp"

using namespace std::literals;
using std::vector;
namespace fs = std::filesystem;

namespace scene {

class Canvas;
constexpr int kLayers = 4;
inline const double pi = 3.14;

/// What can be drawn.
class Shape {
public:
    Shape() = default;
    explicit Shape(std::string name, int layer = 0) : name_(std::move(name)), layer_(layer) {}
    Shape(const Shape&) = delete;
    virtual ~Shape();

    /// Draws it. 描く。
    virtual void draw(Canvas& canvas) const = 0;
    virtual double area() const { return 0; }
    const std::string& name() const noexcept { return name_; }
    Shape& operator=(const Shape& other);
    bool operator==(const Shape& other) const { return name_ == other.name_; }
    explicit operator bool() const { return layer_ > 0; }

    static int count;
    static Shape* make(const char* kind);

protected:
    enum class Mode { Solid, Dashed };
    Mode mode_ = Mode::Solid;

private:
    std::string name_;
    int layer_{0}, depth_ = kLayers;
    std::function<void(int)> on_change;
    friend class Scene;
    friend std::ostream& operator<<(std::ostream& out, const Shape& s);
};

struct Point {
    double x = 0, y = 0;
    Point() {}
    Point operator+(Point o) const { return {x + o.x, y + o.y}; }
};

template <typename T, int N = 4>
class Grid : public Shape, private Base<T> {
public:
    using value_type = T;
    typedef T* iterator;

    template <class U>
    void fill(const U& value) {
        for (auto& cell : cells_) {
            cell = static_cast<T>(value);
        }
    }

    T& at(int row, int col) { return cells_[row * N + col]; }
    void draw(Canvas& canvas) const override;

    class Iterator {
    public:
        Iterator& next() { ++pos_; return *this; }
    private:
        int pos_ = 0;
    };

private:
    std::array<T, N * N> cells_;
};

template <typename T, int N>
void Grid<T, N>::draw(Canvas& canvas) const {
    canvas.line(Point{}, Point{1.0, 2.0});
}

template <>
struct std::hash<Point> {
    size_t operator()(const Point& p) const { return std::hash<double>{}(p.x); }
};

int Shape::count = 0;

Shape::~Shape() { --count; }

Shape* Shape::make(const char* kind) {
    static std::map<std::string, Factory> factories;
    auto it = factories.find(kind);
    if (auto found = it; found != factories.end()) {
        return found->second();
    }
    throw std::runtime_error("not implemented");
}

Shape& Shape::operator=(const Shape& other) {
    this->name_ = other.name_;
    layer_ = other.layer_;
    return *this;
}

namespace {
int helper(int n) { return n * 2; }
}

namespace detail::deep {
template <typename... Args>
auto call(Args&&... args) -> decltype(auto) {
    return invoke(std::forward<Args>(args)...);
}
}

template <typename T>
concept Drawable = requires(T t, Canvas& c) {
    t.draw(c);
    { t.area() } -> std::convertible_to<double>;
};

using ShapePtr = std::unique_ptr<Shape>;

/** A scene owns shapes. */
class Scene final {
    std::vector<ShapePtr> shapes_;
    std::map<int, std::vector<Shape*>> layers_;
    mutable std::mutex mu_;

public:
    template <Drawable T, typename... Args>
    T* add(Args&&... args) {
        auto shape = std::make_unique<T>(std::forward<Args>(args)...);
        T* raw = shape.get();
        shapes_.push_back(std::move(shape));
        return raw;
    }

    double area() const;
    [[nodiscard]] bool empty() const { return shapes_.empty(); }
};

double Scene::area() const {
    std::lock_guard<std::mutex> lock(mu_);
    double sum = 0;
    for (const auto& [layer, list] : layers_) {
        for (size_t i = 0; i < list.size(); ++i) sum += list[i]->area();
    }
    auto scale = [this, sum](double factor) mutable { return sum * factor + shapes_.size(); };
    try {
        sum = scale(2.0);
        Grid<int> *grid = new Grid<int>();
        delete grid;
    } catch (const std::exception& e) {
        log_error(e.what());
    }
    return sum;
}

}  // namespace scene

enum Color : unsigned char { Red, Green = 2 };

extern "C" int scene_version(void) { return scene::kLayers; }

int main(int argc, char* argv[]) {
    scene::Scene s;
    s.add<scene::Grid<int>>()->fill(3);
    std::cout << s.area() << std::endl;
    return EXIT_SUCCESS;
}
