/* Double-entry bookkeeping, small. */
package bank.ledger

import java.time.LocalDate
import scala.collection.mutable
import scala.collection.immutable.{Map, SortedMap as Sorted}
import scala.util.{Failure, Success, Try}
import bank.money._
import bank.syntax.given

/** Things that every part of the ledger needs. */
package object defaults {
  val Currency = "EUR"
}

/** What an amount is counted in: cents. */
type Cents = Long

type Result[A] = Either[LedgerError, A]

/** What can go wrong. */
sealed trait LedgerError extends Product with Serializable {
  def message: String
}

object LedgerError {
  /** The sums differ. */
  final case class Unbalanced(by: Cents) extends LedgerError {
    override def message: String = s"out of balance by $by"
  }
  case object Closed extends LedgerError {
    val message = "the year is closed"
  }
  case class UnknownAccount(name: String) extends LedgerError {
    def message = s"""no account "${name.trim}" – gibt es nicht"""
  }
}

enum Side(val sign: Int) {
  case Debit extends Side(1)
  case Credit extends Side(-1)

  def other: Side = this match {
    case Debit  => Credit
    case Credit => Debit
  }
}

enum Color:
  case Red, Green, Blue

/**
 * An account.
 *
 * @param name how people call it
 * @param parent the account it is part of
 */
case class Account(name: String, parent: Option[Account] = None)(implicit val currency: String) {
  /** From the root down. */
  lazy val path: List[String] = parent.fold(List.empty[String])(_.path) :+ name

  def /(child: String): Account = copy(name = child, parent = Some(this))(currency)

  def isWithin(other: Account): Boolean =
    this == other || parent.exists(_.isWithin(other))

  override def toString: String = path.mkString(":")
}

object Account {
  implicit val defaultCurrency: String = defaults.Currency

  private val Pattern = """(\w+)(?::(\w+))?""".r

  def apply(text: String): Account = parse(text).getOrElse(throw new IllegalArgumentException(text))

  def parse(text: String): Option[Account] = text match {
    case Pattern(parent, null) => Some(new Account(parent))
    case Pattern(parent, child) => Some(new Account(child, Some(new Account(parent))))
    case _ => None
  }

  def unapply(account: Account): Option[(String, Option[Account])] = Some((account.name, account.parent))
}

case class Posting(account: Account, side: Side, amount: Cents)

final case class Entry(date: LocalDate, text: String, postings: Seq[Posting]) {
  require(postings.nonEmpty, "an entry without postings")

  val total: Cents = postings.map(p => p.side.sign * p.amount).sum

  def isBalanced = total == 0

  def accounts: Set[Account] = postings.iterator.map(_.account).toSet
}

/** Where entries are kept. */
trait Store[F[_], E <: Entry] {
  type Key
  protected var count: Int = 0

  def append(entry: E): F[Key]
  def all: F[Vector[E]]

  def size: Int = count
}

abstract class Base(protected val log: String => Unit) {
  def this() = this(println)

  protected def warn(text: String): Unit = log(s"! $text")
}

class Ledger private (name: String, val year: Int = 2026)(using clock: Clock)
    extends Base
    with Store[Try, Entry] {
  override type Key = Int

  private[this] val entries = mutable.ArrayBuffer.empty[Entry]
  private var closed = false
  @volatile var observers: List[Entry => Unit] = Nil

  @throws[IllegalStateException]("when it is closed")
  def append(entry: Entry): Try[Int] = {
    if (closed) return Failure(new IllegalStateException(LedgerError.Closed.message))
    check(entry) match {
      case Right(good) =>
        entries += good
        count = count + 1
        observers.foreach(observer => observer(good))
        Success(count)
      case Left(error: LedgerError.Unbalanced) if error.by.abs < 2 =>
        warn(s"rounded ${error.by}")
        Success(count)
      case Left(error) => Failure(new IllegalStateException(error.message))
    }
  }

  def all: Try[Vector[Entry]] = Try(entries.toVector)

  private def check(entry: Entry): Result[Entry] = {
    val difference = entry.total
    if (difference == 0) Right(entry) else Left(LedgerError.Unbalanced(difference))
  }

  def balance(account: Account): Cents = {
    var sum: Cents = 0
    for {
      entry <- entries
      posting <- entry.postings
      if posting.account.isWithin(account)
      signed = posting.side.sign * posting.amount
    } sum += signed
    sum
  }

  def close(): Unit = {
    closed = true
    val today = clock.today
    warn(s"closed on $today")
  }
}

object Ledger extends App {
  def apply(name: String)(using Clock): Ledger = new Ledger(name)

  def fromLines(lines: Iterator[String])(using Clock): Try[Ledger] = Try {
    val ledger = Ledger("gelesen")
    lines.map(_.split(';')).foreach {
      case Array(date, text, from, to, amount) =>
        val cents = amount.toLong
        ledger.append(
          Entry(LocalDate.parse(date), text, Seq(
            Posting(Account(from), Side.Credit, cents),
            Posting(Account(to), Side.Debit, cents))))
      case other => sys.error(s"Zeile: ${other.mkString}")
    }
    ledger
  }
}

trait Clock:
  def today: LocalDate

/** The clock on the wall. */
object SystemClock extends Clock:
  def today: LocalDate = LocalDate.now()
end SystemClock

given Clock = SystemClock

given entryOrdering: Ordering[Entry] with
  def compare(x: Entry, y: Entry): Int =
    x.date.compareTo(y.date)

extension (amount: Cents)
  def euros: String = f"${amount / 100}%d,${amount % 100}%02d €"
  def twice: Cents = amount * 2

implicit class RichEntry(private val entry: Entry) extends AnyVal {
  def shout: String = entry.text.toUpperCase
}

class Report[A: Ordering](items: Seq[A]):
  private val sorted = items.sorted

  def lines(render: A => String): Seq[String] =
    for item <- sorted yield
      val text = render(item)
      s"- $text"

  def grouped[K](key: A => K): Map[K, Seq[A]] =
    sorted.groupBy(key)

def total(entries: Entry*): Cents =
  val sums = entries.map(_.total)
  sums.foldLeft(0L)(_ + _)

inline def measure[T](inline block: => T): (T, Long) =
  val start = System.nanoTime()
  val result = block
  (result, System.nanoTime() - start)

def describe(value: Any): String = value match
  case n: Int if n > 0 => s"positive $n"
  case Account(name, Some(parent)) => s"$name in ${parent.name}"
  case list @ (head :: tail) => s"$head and ${tail.size} of ${list.size}"
  case (left, right) => s"($left, $right)"
  case Color.Red | Color.Green => "a colour"
  case s"$user@$host" => s"$user at $host"
  case _ => "?"

def later(): Int = ???

opaque type Token = String

object Token:
  def apply(text: String): Token = text

@main def run(files: String*): Unit =
  import scala.io.Source
  val (good, bad) = files.partition(_.endsWith(".csv"))
  var read = 0
  while read < good.size do
    val source = Source.fromFile(good(read))
    try
      Ledger.fromLines(source.getLines()) match
        case Success(ledger) =>
          println(ledger.balance(Account("bank")).euros)
        case Failure(error) =>
          System.err.println(error.getMessage)
    catch
      case e: java.io.IOException => println(e)
    finally source.close()
    read += 1
  val double = (x: Int) => x * 2
  val add: (Int, Int) => Int = _ + _
  val partial: PartialFunction[Int, String] = { case 1 => "one" }
  println(bad.map(double.compose[String](_.length)).reduce(add))
  lazy val text =
    """mehrzeilig
      |und mit ünïcode""".stripMargin
  println(partial.lift(1).getOrElse(text))

private[ledger] val cache = new mutable.HashMap[String, Account] with Observed {
  override def apply(key: String): Account = super.apply(key.toLowerCase)
}

trait Observed { self: mutable.Map[String, Account] =>
  def watch(): Unit = self.foreach { (key, value) => println(key -> value) }
}

/** A queue with a limit, the old way. */
class Bounded[T](limit: Int) extends Iterable[T] {
  private var items = Vector.empty[T]

  def push(item: T): Boolean = synchronized {
    val fits = items.size < limit
    if (fits) items = items :+ item
    fits
  }

  override def iterator: Iterator[T] = new Iterator[T] {
    private var index = 0
    def hasNext: Boolean = index < items.size
    def next(): T = {
      val item = items(index)
      index += 1
      item
    }
  }

  def partition2(p: T => Boolean): (Bounded[T], Bounded[T]) = {
    val (yes, no) = items.partition(p)
    def fill(from: Seq[T]): Bounded[T] = {
      val bounded = new Bounded[T](limit)
      from.foreach(bounded.push)
      bounded
    }
    (fill(yes), fill(no))
  }
}
