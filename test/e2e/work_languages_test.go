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
