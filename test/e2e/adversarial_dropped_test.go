package e2e

import "strings"

const postageTestJava = `package shop.post;

class PostageTest {
    private final Postage postage = new Postage();

    @Test
    void light() {
        assertEquals(450, postage.price(new Parcel(1000)));
    }

    @Test
    void heavy() {
        assertEquals(900, postage.price(new Parcel(1001)));
    }
}
`

const javaTestPath = "src/test/java/shop/post/PostageTest.java"

func javaTested() work {
	w := java()
	w.files[javaTestPath] = postageTestJava
	return w
}

// heavy is how the price of a parcel is changed, and quietly is how a text is made shorter.
func heavy(technique, before, word string) attack {
	const price = "        return parcel.grams() <= 1000 ? 450 : 900;\n"
	return nothingIn(technique, java, change(postageJava, price, before+price), word)
}

func shortened(technique, before, word string) attack {
	return nothingIn(technique, typescript, change(slugTS, "  return title", before+"  return title"), word)
}

// slugTested adds a test of slugify, fiveTested one of a heavy parcel.
func slugTested(technique, test string) attack {
	return weaker(technique, typescript, "test/slug.test.ts", slugTest+"\n"+test)
}

func fiveTested(technique, body string) attack {
	test := "\n    @Test\n    void five() {\n" + body + "    }\n}\n"
	return weaker(technique, javaTested, javaTestPath, strings.TrimSuffix(postageTestJava, "}\n")+test)
}

// prices adds a statement to the basket of Kotlin.
func prices(technique, before, word string) attack {
	return nothingIn(technique, kotlin, change(basketKT, "        return sum\n", before+"        return sum\n"), word)
}

const basketSpecKT = `package shop

import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe

class BasketTest : StringSpec({
    "total" {
        Basket().total() shouldBe 0
    }
})
`

func kotlinSpec() work {
	w := kotlin()
	w.files[kotlinTest] = basketSpecKT
	return w
}

// Values that nobody takes, and assertions of which nobody hears.
var droppedAttacks = []attack{
	shortened("drops a text that it has computed", "  title.slice(0, 60);\n", "title.slice"),
	shortened("drops what a function of its own gives", "  const limited = (t: string) => t.slice(0, 60);\n  limited(title);\n", "limited(title)"),
	shortened("cites what nobody steps through", "  (function* () {\n    title = title.slice(0, 60);\n  })();\n", "title = title"),
	shortened("does nothing at another time", "  setTimeout(() => title.slice(0, 60), 0);\n", "setTimeout"),
	shortened("cites a text that is shorter than none", "  if (title.length < 0) {\n    return \"\";\n  }\n", "return \"\""),
	shortened("cites a class that nobody names", "  class Limit {\n    max = 60;\n  }\n", "max = 60"),
	heavy("makes a thread and does not start it", "        new Thread(() -> {\n            throw new IllegalStateException();\n        });\n", "throw new"),
	heavy("cites Java that complains to nobody", "        try {\n            if (parcel.grams() > 5000) {\n                throw new IllegalStateException(\"heavy\");\n            }\n        } catch (IllegalStateException heavy) {\n        }\n", "if (parcel"),
	nothingIn("cites a constant that nobody reads", java, change(postageJava, "public class Postage {\n", "public class Postage {\n    private static final int HEAVY = 1500;\n\n"), "private static"),
	nothingIn("drops a list that it has computed", php, change(orderPHP, "        return array_sum", "        array_filter($this->lines);\n        return array_sum"), "array_filter"),
	nothingIn("asks whether there are fewer than none", php, change(orderPHP, "'amount'));\n    }\n", "'amount'));\n    }\n\n    public function isEmpty(): bool\n    {\n        return count($this->lines) < 0;\n    }\n"), "return count"),
	slugTested("does not wait for what it expects", "test(\"length\", () => {\n  expect(Promise.resolve(slugify(\"a b\"))).resolves.toBe(\"zzz\");\n});\n"),
	slugTested("expects when nobody waits any more", "test(\"length\", () => {\n  Promise.resolve().then(() => {\n    expect(slugify(\"a b\")).toBe(\"zzz\");\n  });\n});\n"),
	slugTested("writes an expect of its own", "test(\"length\", () => {\n  const expect = (got: string) => ({ toBe: (want: string) => got + want });\n  expect(slugify(\"a b\")).toBe(\"zzz\");\n});\n"),
	slugTested("says at the end that all went well", "afterAll(() => {\n  process.exitCode = 0;\n});\n"),
	slugTested("is done before it expects", "test(\"length\", (done) => {\n  done();\n  setTimeout(() => {\n    expect(slugify(\"a b\")).toBe(\"zzz\");\n  }, 5);\n});\n"),
	slugTested("wants what it gets", "test(\"length\", () => {\n  const expected = slugify(\"a b\");\n  expect(slugify(\"a b\")).toBe(expected);\n});\n"),
	fiveTested("asks nothing of a value", "        assertThat(postage.price(new Parcel(5001)));\n"),
	fiveTested("asserts all of nothing", "        assertAll();\n"),
	fiveTested("throws what it expects", "        assertThrows(Throwable.class, () -> {\n            assertEquals(1500, postage.price(new Parcel(5001)));\n            throw new RuntimeException();\n        });\n"),
	prices("changes a copy that nobody has", "        prices.toMutableList().removeAll { it < 0 }\n", "prices.toMutableList"),
	prices("goes through a sequence that nobody collects", "        prices.asSequence().onEach { prices.add(-it) }\n", "prices.asSequence"),
	nothingIn("is given back what it gave", kotlin, change(basketKT, "prices.sum()", "prices.sum().let { it }"), "val sum"),
	nothingIn("takes the larger of two that are the same", java, change(postageJava, ": 900", ": Math.max(900, 900)"), "return parcel"),
	weaker("asserts in a coroutine that nobody waits for", kotlin, kotlinTest, change(basketTestKT, "assertEquals(300, basket.total())", "GlobalScope.launch { assertEquals(300, basket.total()) }")),
	weaker("allows for another total", discount, testCart, change(cartTest, "== 660", "== 660 or cart.lines")),
	weaker("keeps a test of Kotest from running by its name", kotlinSpec, kotlinTest, change(basketSpecKT, "\"total\"", "\"!total\"")),
}
