// Warehouse stock: what lies where, and who may take it away.
@file:JvmName("InventoryKt")

package shop.stock

import java.time.Instant
import java.util.UUID as Uuid
import kotlin.math.*
import shop.money.Price
import shop.money.times

/** The greatest number of pieces on one shelf. */
const val MAX_PIECES = 10_000

private const val TAG = "Lager – Überblick"

/** How an article is called in the catalogue. */
typealias Sku = String

typealias Listener<T> = (old: T?, new: T) -> Unit

/** Errors that a caller can do something about. */
sealed class StockError(message: String) : Exception(message) {
    /** There is too little left. */
    class Shortage(val sku: Sku, val missing: Int) : StockError("$missing of $sku are missing")
    data object Closed : StockError("the warehouse is closed")
}

/**
 * One article.
 *
 * @property sku its number
 */
data class Article(
    val sku: Sku,
    val title: String,
    var price: Price = Price.ZERO,
    private val tags: Set<String> = emptySet(),
) : Comparable<Article> {
    val label: String
        get() = "$title (${sku.uppercase()})"

    var visits: Int = 0
        private set

    var discount: Double = 0.0
        set(value) {
            require(value in 0.0..1.0) { "a discount of $value" }
            field = value
        }

    constructor(sku: Sku) : this(sku, "ohne Namen")

    init {
        check(sku.isNotBlank())
    }

    override fun compareTo(other: Article): Int = sku.compareTo(other.sku)

    operator fun plus(tag: String): Article = copy(tags = tags + tag)

    infix fun isLike(other: Article): Boolean {
        return tags.intersect(other.tags).isNotEmpty()
    }

    fun visit() {
        visits++
    }

    companion object {
        private val pattern = Regex("[A-Z]{3}-\\d+")

        @JvmStatic
        fun parse(line: String): Article? {
            val (sku, title) = line.split(";", limit = 2)
            if (!pattern.matches(sku)) return null
            return Article(sku, title)
        }
    }
}

/** Where things lie. */
enum class Zone(val code: Char) {
    /** Room temperature. */
    DRY('d'),
    COLD('c') {
        override fun degrees() = 4
    },
    FROZEN('f') {
        override fun degrees() = -18
    };

    open fun degrees(): Int = 20

    val isCool: Boolean get() = degrees() < 10
}

interface Repository<K, V : Any> {
    val size: Int

    suspend fun find(key: K): V?

    suspend fun save(key: K, value: V)

    fun isEmpty(): Boolean = size == 0
}

fun interface Clock {
    fun now(): Instant
}

@JvmInline
value class Quantity(val pieces: Int) {
    operator fun minus(other: Quantity) = Quantity(pieces - other.pieces)
}

/** Keeps everything in memory. */
class MemoryRepository<K, V : Any>(
    private val clock: Clock,
    capacity: Int = 16,
) : Repository<K, V> {
    private val entries = HashMap<K, V>(capacity)
    private var changed: Instant? = null
    lateinit var owner: String

    override val size: Int
        get() = entries.size

    override suspend fun find(key: K): V? = entries[key]

    override suspend fun save(key: K, value: V) {
        entries[key] = value
        changed = clock.now()
    }

    inner class Cursor(private var position: Int = 0) : Iterator<V> {
        private val snapshot = entries.values.toList()

        override fun hasNext(): Boolean = position < snapshot.size

        override fun next(): V {
            val value = snapshot[position]
            position += 1
            return value
        }
    }

    internal fun cursor(): Cursor = Cursor()
}

object Warehouse : AutoCloseable {
    private val listeners = mutableListOf<Listener<Article>>()
    private val shelves: MutableMap<Zone, MutableList<Article>> = mutableMapOf()
    val id: Uuid by lazy { Uuid.randomUUID() }

    @Volatile
    var isOpen: Boolean = true
        internal set

    fun listen(listener: Listener<Article>) {
        listeners += listener
    }

    /** Puts an article on a shelf; tells those who listen. */
    @Throws(StockError::class)
    fun put(article: Article, zone: Zone = Zone.DRY): Int {
        if (!isOpen) throw StockError.Closed
        val shelf = shelves.getOrPut(zone) { mutableListOf() }
        val old = shelf.find { it.sku == article.sku }
        if (old != null) {
            shelf.remove(old)
        }
        shelf.add(article)
        for (listener in listeners) {
            listener(old, article)
        }
        return shelf.size
    }

    fun take(sku: Sku, count: Int): List<Article> {
        val found = shelves.values.flatten().filter { article -> article.sku == sku }
        if (found.size < count) {
            throw StockError.Shortage(sku, missing = count - found.size)
        }
        return found.take(count)
    }

    override fun close() {
        isOpen = false
        listeners.clear()
    }
}

/** An article with no price costs nothing. */
val Article.isFree: Boolean
    get() = price == Price.ZERO

fun Article.describe(verbose: Boolean = false): String = when {
    isFree -> "gratis: $title"
    verbose && visits > 100 -> """
        |${label.trim()}
        |  Preis: $price
        |  € ${price.amount * 2}
    """.trimMargin()
    else -> title
}

inline fun <reified T : Any> Iterable<*>.firstOf(): T? {
    for (element in this) {
        if (element is T) return element
    }
    return null
}

fun total(articles: List<Article>, discount: (Article) -> Double): Price {
    var sum = Price.ZERO
    articles.forEach { a ->
        sum += a.price * (1 - discount(a))
    }
    return sum
}

internal fun describeZone(zone: Any?): String {
    fun degrees(value: Int) = "$value °C"
    return when (zone) {
        is Zone -> degrees(zone.degrees())
        in listOf(1, 2, 3) -> "numbered"
        null -> "nowhere"
        else -> zone as? String ?: "unknown"
    }
}

tailrec fun gcd(a: Int, b: Int): Int = if (b == 0) a else gcd(b, a % b)

private fun retry(times: Int, block: () -> Boolean): Boolean {
    var attempts = 0
    do {
        try {
            if (block()) return true
        } catch (e: IllegalStateException) {
            println("$TAG: ${e.message}")
        } finally {
            attempts++
        }
    } while (attempts < times)
    return false
}

class Report(val title: String) {
    private val rows = StringBuilder()

    fun row(text: String): Report = apply { rows.append(text).append('\n') }

    fun chapters(vararg names: String, body: Report.(Int) -> Unit) {
        names.forEachIndexed { index, name ->
            row("# $name")
            body(index)
        }
    }

    override fun toString() = "$title\n$rows"
}

fun report(title: String, build: Report.() -> Unit): Report = Report(title).apply(build)

annotation class Audited(val by: String, val level: Int = 1)

abstract class Job<in I, out O> protected constructor(private val name: String) {
    abstract fun run(input: I): O

    protected open fun log(message: String) {
        println("[$name] $message")
    }
}

@Audited(by = "stock", level = 2)
class CountJob : Job<List<Article>, Int>("count") {
    override fun run(input: List<Article>): Int {
        log("counting ${input.size}")
        return input.sumOf { it.visits }
    }
}

fun later(): Int {
    TODO("not written yet")
}

fun main(args: Array<String>) {
    val articles = args.mapNotNull(Article::parse)
    Warehouse.listen { old, new -> println("$old -> ${new.label}") }
    articles.forEach(Warehouse::put)
    val job: Job<List<Article>, Int> = CountJob()
    val summary = report("Bestand") {
        row("Artikel: ${articles.size}")
        chapters("Kalt", "Trocken") { index -> row("Kapitel $index") }
    }
    val worth = total(articles) { 0.1 }
    outer@ for (i in 1..3) {
        for (j in 0 until i step 2) {
            if (i * j > 4) break@outer
        }
    }
    val counter = object : Clock {
        override fun now(): Instant = Instant.now()
    }
    println("$summary ${job.run(articles)} $worth ${counter.now()} ${min(1, 2)}")
}
