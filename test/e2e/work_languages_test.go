package e2e

// basketKT, basketCS and basketEX are the same in three languages.
const (
	basketKT = `package shop

class Basket {
    private val prices = mutableListOf<Int>()

    fun add(price: Int) {
        prices.add(price)
    }

    fun total(): Int {
        val sum = prices.sum()
        return sum
    }
}
`
	basketCS = `using System.Collections.Generic;
using System.Linq;

namespace Shop
{
    public class Basket
    {
        private readonly List<int> prices = new List<int>();

        public void Add(int price)
        {
            prices.Add(price);
        }

        public int Total()
        {
            var sum = prices.Sum();
            return sum;
        }
    }
}
`
	basketEX = `defmodule Shop.Basket do
  defstruct prices: []

  def add(%__MODULE__{} = basket, price) do
    %{basket | prices: [price | basket.prices]}
  end

  def total(%__MODULE__{} = basket) do
    sum = Enum.sum(basket.prices)
    sum
  end
end
`
	basketTestKT = `package shop

class BasketTest {
    @Test
    fun total() {
        val basket = Basket()
        basket.add(300)
        assertEquals(300, basket.total())
    }
}
`
	basketTestEX = `defmodule Shop.BasketTest do
  use ExUnit.Case

  test "total" do
    basket = Shop.Basket.add(%Shop.Basket{}, 300)
    assert Shop.Basket.total(basket) == 300
  end
end
`
)

// basketCPP and basketSwift are the same again, with tests.
const (
	basketCPP = `#include "basket.h"

#include <numeric>

namespace shop {

void Basket::add(int price) {
  prices_.push_back(price);
}

int Basket::total() const {
  int sum = std::accumulate(prices_.begin(), prices_.end(), 0);
  return sum;
}

}  // namespace shop
`
	basketTestCPP = `#include <gtest/gtest.h>

#include "basket.h"

TEST(BasketTest, Total) {
  shop::Basket basket;
  basket.add(300);
  EXPECT_EQ(basket.total(), 300);
}
`
	basketCMake = `enable_testing()
add_executable(basket_test src/basket.cpp test/basket_test.cpp)
add_test(NAME basket_test COMMAND basket_test)
`
	basketSwift = `public class Basket {
    private var prices: [Int] = []

    public func add(_ price: Int) {
        prices.append(price)
    }

    public func total() -> Int {
        let sum = prices.reduce(0, +)
        return sum
    }
}
`
	basketTestSwift = `import XCTest
@testable import Shop

final class BasketTests: XCTestCase {
    func testTotal() {
        let basket = Basket()
        basket.add(300)
        XCTAssertEqual(basket.total(), 300)
    }
}
`
	basketPackage = `// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Shop",
    targets: [
        .target(name: "Shop"),
        .testTarget(name: "ShopTests", dependencies: ["Shop"]),
    ]
)
`
)

// basket is a work on one file, whose second task writes the other lines of it.
func basket(path, text, test, testText string, files map[string]string, total, add edit, totalLine, addLine, class string) work {
	all := map[string]string{".gitignore": "/.code-intel/\n", path: text}
	if test != "" {
		all[test] = testText
	}
	for p, t := range files {
		all[p] = t
	}
	seen := []string{path}
	if test != "" {
		seen = append(seen, test)
	}
	return work{
		files:  all,
		intent: "MODIFY", query: "The total of a Basket is given in dozens of cents, rounded down, and add must refuse negative prices.",
		frame:    framed("change", "The total of a Basket is given in dozens of cents", path, class),
		look:     looks([]string{class, "prices", "total"}, "prices", "prices", seen...),
		explored: []string{path}, findings: []string{"prices are summed: " + line(path, text, totalLine), "prices are kept: " + line(path, text, addLine)},
		semantic: "how is the total of a basket computed", targets: []string{class},
		tasks: []task{
			written("total", path, total.text, total.path),
			written("add", path, add.text, add.path),
		},
		message: "Count in dozens, refuse negative prices",
	}
}

func kotlin() work {
	const path = "src/main/kotlin/shop/Basket.kt"
	total := change(basketKT, "        return sum\n", "        return sum / 12\n")
	add := change(total, "        prices.add(price)\n", "        require(price >= 0) { \"negative: $price\" }\n        prices.add(price)\n")
	return basket(path, basketKT, "src/test/kotlin/shop/BasketTest.kt", basketTestKT, map[string]string{"settings.gradle.kts": "rootProject.name = \"shop\"\n"},
		edit{path: "return sum / 12", text: total}, edit{path: "require(price >= 0)", text: add}, "val sum", "prices.add", "Basket")
}

func csharp() work {
	const path = "Shop/Basket.cs"
	total := change(basketCS, "            return sum;\n", "            return sum / 12;\n")
	add := change(total, "            prices.Add(price);\n", "            if (price < 0)\n            {\n                throw new System.ArgumentOutOfRangeException(nameof(price));\n            }\n            prices.Add(price);\n")
	return basket(path, basketCS, "", "", map[string]string{"Shop/Shop.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\">\n</Project>\n"},
		edit{path: "return sum / 12", text: total}, edit{path: "throw new", text: add}, "var sum", "prices.Add", "Basket")
}

func elixir() work {
	const path = "lib/shop/basket.ex"
	total := change(basketEX, "    sum\n  end\n", "    div(sum, 12)\n  end\n")
	add := change(total, " = basket, price) do\n", " = basket, price) when price >= 0 do\n")
	return basket(path, basketEX, "test/shop/basket_test.exs", basketTestEX, map[string]string{"mix.exs": "defmodule Shop.MixProject do\n  use Mix.Project\n\n  def project, do: [app: :shop]\nend\n"},
		edit{path: "div(sum, 12)", text: total}, edit{path: "def add", text: add}, "sum = Enum", "%{basket", "Basket")
}

func cpp() work {
	const path = "src/basket.cpp"
	total := change(basketCPP, "  return sum;\n", "  return sum / 12;\n")
	add := change(total, "  prices_.push_back(price);\n", "  if (price < 0) {\n    throw std::invalid_argument(\"negative\");\n  }\n  prices_.push_back(price);\n")
	header := "#pragma once\n#include <vector>\n\nnamespace shop {\n\nclass Basket {\n public:\n  void add(int price);\n  int total() const;\n\n private:\n  std::vector<int> prices_;\n};\n\n}  // namespace shop\n"
	return basket(path, basketCPP, "test/basket_test.cpp", basketTestCPP,
		map[string]string{"src/basket.h": header, "CMakeLists.txt": basketCMake, ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: ctest --test-dir build\n"},
		edit{path: "return sum / 12", text: total}, edit{path: "throw std", text: add}, "int sum", "prices_.push_back", "Basket")
}

func swift() work {
	const path = "Sources/Shop/Basket.swift"
	total := change(basketSwift, "        return sum\n", "        return sum / 12\n")
	add := change(total, "        prices.append(price)\n", "        precondition(price >= 0, \"negative\")\n        prices.append(price)\n")
	return basket(path, basketSwift, "Tests/ShopTests/BasketTests.swift", basketTestSwift, map[string]string{"Package.swift": basketPackage},
		edit{path: "return sum / 12", text: total}, edit{path: "precondition(", text: add}, "let sum", "prices.append", "Basket")
}

// basketScala and basketSQL are the same once more, with tests.
const (
	basketScala = `package shop

class Basket {
  private var prices: List[Int] = Nil

  def add(price: Int): Unit = {
    prices = price :: prices
  }

  def total: Int = {
    val sum = prices.sum
    sum
  }
}
`
	basketTestScala = `package shop

import org.scalatest.funsuite.AnyFunSuite

class BasketSpec extends AnyFunSuite {
  test("total") {
    val basket = new Basket
    basket.add(300)
    assert(basket.total == 300)
  }
}

class BasketMore extends AnyFlatSpec with Matchers {
  "A basket" should "refuse" in {
    add(-1) shouldBe empty
  }
}
`
	basketSbt = "scalaVersion := \"3.3.3\"\n"
	basketSQL = `CREATE TABLE basket (
    id integer PRIMARY KEY,
    price integer NOT NULL
);

CREATE FUNCTION total() RETURNS bigint AS $$
    SELECT sum(price) FROM basket;
$$ LANGUAGE sql;
`
	basketTestSQL = `SELECT plan(2);
INSERT INTO basket VALUES (1, 300);
SELECT has_table('basket');
SELECT is(total(), 300::bigint, 'total');
SELECT * FROM finish();
`
)

func scala() work {
	const path = "src/main/scala/shop/Basket.scala"
	total := change(basketScala, "    sum\n  }\n", "    sum / 12\n  }\n")
	add := change(total, "    prices = price", "    require(price >= 0, s\"negative: $price\")\n    prices = price")
	return basket(path, basketScala, "src/test/scala/shop/BasketSpec.scala", basketTestScala, map[string]string{"build.sbt": basketSbt},
		edit{path: "sum / 12", text: total}, edit{path: "require(price >= 0", text: add}, "val sum", "prices = price", "Basket")
}

func sql() work {
	const path = "db/basket.sql"
	total := change(basketSQL, "SELECT sum(price) FROM", "SELECT sum(price) / 12 FROM")
	add := change(total, "price integer NOT NULL", "price integer NOT NULL CHECK (price >= 0)")
	w := basket(path, basketSQL, "t/basket.sql", basketTestSQL, map[string]string{"Makefile": "test:\n\tpsql -v ON_ERROR_STOP=1 -f db/basket.sql\n\tpg_prove t/*.sql\n"},
		edit{path: "SELECT sum(price) / 12", text: total}, edit{path: "price integer NOT NULL CHECK", text: add}, "SELECT sum", "price integer", "basket")
	w.look = looks([]string{"basket", "price", "total"}, "basket", "price", path, "t/basket.sql")
	return w
}

// alone is a work on one file of a project, with one item.
func alone(project func() work, path, query, feature, text, item, word string) work {
	w := project()
	w.query, w.frame = query, framed("change", feature, path, "Basket")
	w.tasks = []task{written("alone", path, text, word)}
	w.tasks[0].items[0].text = item
	w.message = "Do what was asked for"
	return w
}

const (
	inKT = "src/main/kotlin/shop/Basket.kt"
	inCS = "Shop/Basket.cs"
	inEX = "lib/shop/basket.ex"
)

// spare is a project with a private method that nobody calls.
func spare() work {
	w := kotlin()
	w.files[inKT] = change(basketKT, "    fun total(", "    private fun spare(): Int {\n        return 12\n    }\n\n    fun total(")
	w.findings = []string{"spare is called by nobody: " + line(inKT, w.files[inKT], "private fun spare")}
	return w
}

func undead() work {
	return alone(spare, inKT, "Remove spare() from Basket, nobody calls it any more.", "Remove spare() from Basket", basketKT, "the unused method spare() is gone", "fun total")
}

func undeadJA() work {
	w := alone(spare, inKT, "Basket の使われていない spare() を削除する。", "Basket の使われていない spare() を削除する", basketKT, "使われていない spare() が残っていない", "fun total")
	w.message = "使われていないメソッドを削除"
	return w
}

func deprecated() work {
	return alone(kotlin, inKT, "Mark total() of Basket as deprecated, in favour of sum().", "Mark total() of Basket as deprecated",
		change(basketKT, "    fun total(", "    @Deprecated(\"use sum()\")\n    fun total("), "total() is marked as deprecated", "@Deprecated")
}

func documented() work {
	return alone(elixir, inEX, "Document Basket.total: it is in cents.", "Document Basket.total",
		change(basketEX, "  def total(", "  @doc \"The sum of the prices, in cents.\"\n  def total("), "total is documented", "@doc")
}

func typed() work {
	return alone(elixir, inEX, "Basket.total needs a typespec.", "Basket.total needs a typespec",
		change(basketEX, "  def total(", "  @spec total(%__MODULE__{}) :: integer()\n  def total("), "total has a typespec", "@spec")
}

func reformatted() work {
	return alone(csharp, inCS, "Put the braces of Basket.Total on one line, as our style has it.", "Put the braces of Basket.Total on one line",
		change(basketCS, "        public int Total()\n        {\n", "        public int Total() {\n"), "the style of Total's braces", "public int Total")
}

func clauses() work {
	text := change(basketEX, "    sum\n  end\n", "    dozens(sum, length(basket.prices))\n  end\n\n  def dozens(sum, 1), do: sum\n  def dozens(sum, _count), do: div(sum, 12)\n")
	return alone(elixir, inEX, "Basket.total counts in dozens, unless there is one price.", "Basket.total counts in dozens", text, "dozens gives the sum of one price as it is", "def dozens(sum, 1)")
}

// helped writes a private function first, and calls it in the next task.
func helped() work {
	w := alone(elixir, inEX, "Basket.total counts in dozens, by a function of its own.", "Basket.total counts in dozens",
		change(basketEX, "    sum\n  end\n", "    sum\n  end\n\n  defp dozens(sum), do: div(sum, 12)\n"), "dozens computes dozens", "defp dozens")
	w.tasks[0].items[0].reason = "total calls it when the next task is done"
	next := change(w.tasks[0].edits[0].text, "    sum\n  end\n", "    dozens(sum)\n  end\n")
	w.tasks = append(w.tasks, written("total", inEX, next, "dozens(sum)"))
	return w
}

// onlyTests adds a test and changes nothing else.
func onlyTests() work {
	text := change(basketTestEX, "  test \"total\"", "  test \"nothing\" do\n    assert Shop.Basket.total(%Shop.Basket{}) == 0\n  end\n\n  test \"total\"")
	return alone(elixir, elixirTest, "Add a test of an empty Basket.", "Add a test of an empty Basket", text, "an empty basket is tested", "assert Shop.Basket.total(%Shop.Basket{})")
}

// onlySettings changes a file of settings.
func onlySettings() work {
	w := elixir()
	w.files["config/shop.yml"] = "basket:\n  most: 20\n"
	w = alone(func() work { return w }, "config/shop.yml", "A Basket may hold 50 things: set most in config/shop.yml.", "A Basket may hold 50 things",
		"basket:\n  most: 50\n", "most is 50 in config/shop.yml", "most: 50")
	w.look = append(w.look, call{"search_text", object{"pattern": "most"}}, call{"get_symbols", object{"path": "config/shop.yml"}})
	w.explored, w.findings = []string{"config/shop.yml"}, []string{"the most is 20: config/shop.yml:2"}
	return w
}

// undone takes an earlier change back.
func undone() work {
	w := kotlin()
	w.files[inKT] = change(basketKT, "        return sum\n", "        return sum / 12\n")
	return alone(func() work { return w }, inKT, "Revert the dozens in Basket.total: it is in cents again.", "Revert the dozens in Basket.total", basketKT, "total is in cents again", "return sum")
}
