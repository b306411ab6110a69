/*
 * Ledger of a small shop.
 */
package shop.ledger;

import java.io.IOException;
import java.util.*;
import java.util.function.Function;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.*;

/**
 * A ledger keeps entries by day.
 *
 * @param <K> what entries are found by
 */
@Deprecated(since = "2.1", forRemoval = false)
@SuppressWarnings({"unchecked", "rawtypes"})
public abstract class Ledger<K extends Comparable<K>> extends Base<K> implements Iterable<Entry>, AutoCloseable {
    /** How many entries one page holds. */
    public static final int PAGE = 64;
    private static final Map<String, Integer> RATES = new HashMap<>();

    protected final List<Entry> entries = new ArrayList<>();
    private int total, count = 0; // 合計と件数
    volatile long[] sums[];

    static {
        RATES.put("eur", 100);
        for (int i = 0; i < PAGE; i++) {
            RATES.merge("x" + i, i, Integer::sum);
        }
    }

    {
        total = PAGE;
    }

    // Only subclasses make ledgers.
    protected Ledger(String name) {
        super(requireNonNull(name));
        this.total = name.length();
        entries.add(Entry.of(name, total));
    }

    Ledger() {
        this("none");
    }

    /** 一件を加える。 */
    @Override
    public boolean add(final Entry entry, int... more) throws IOException, LedgerException {
        int sum = entry.amount();
        for (int each : more) {
            sum += each;
        }
        total = total + sum;
        count++;
        entries.get(0).note.text = "first";
        if (entry instanceof Special special && special.rate() > 1) {
            special.apply(sum);
        }
        return entries.add(entry);
    }

    public boolean add(Entry entry) throws IOException {
        return add(entry, new int[] {1, 2});
    }

    @Nullable abstract K keyOf(Entry entry);

    public <T> T map(Function<? super Ledger<K>, ? extends T> f) {
        T result = f.apply(this);
        Runnable r = () -> log(result);
        java.util.function.BiFunction<Integer, Integer, Integer> plus = (a, b) -> a + b + count;
        Comparator<Entry> byDay = Comparator.comparing(Entry::day);
        Callback callback = new Callback() {
            private int calls;

            @Override
            public void done(Entry e) {
                calls++;
                keep(e);
            }
        };
        r.run();
        return result;
    }

    String describe(Shape shape) {
        return switch (shape) {
            case Circle c when c.radius() > 10 -> "big " + c.radius();
            case Square(double side, var label) -> label + side;
            case null, default -> {
                String text = shape.toString();
                yield text;
            }
        };
    }

    void load(String path) {
        try (var in = new java.io.FileInputStream(path); Scanner s = new Scanner(in)) {
            outer:
            while (s.hasNext()) {
                if (s.next().isEmpty()) continue outer;
                break outer;
            }
        } catch (IOException | RuntimeException e) {
            throw new LedgerException("cannot load " + path, e);
        } finally {
            count = 0;
        }
        synchronized (this) { notifyAll(); }
    }

    void pending() {
        throw new UnsupportedOperationException("not implemented");
    }

    /** What went wrong. */
    public static class LedgerException extends RuntimeException {
        LedgerException(String message, Throwable cause) { super(message, cause); }
    }

    interface Callback {
        int LIMIT = 3;
        void done(Entry e);
        default void keep(Entry e) { Ledger.hold(e, LIMIT); }
    }
}

/** One line of a ledger. */
record Entry(String name, int amount, Day day) implements Comparable<Entry> {
    static int made;

    Entry {
        if (amount < 0) throw new IllegalArgumentException();
        made++;
    }

    static Entry of(String name, int amount) {
        return new Entry(name, amount, Day.MON);
    }

    @Override public int compareTo(Entry other) { return Integer.compare(amount, other.amount); }
}

/** Days of the week. */
public enum Day implements Labelled {
    /** The first. */
    MON("Mo") {
        @Override public boolean open() { return false; }
    },
    TUE("Tu"), // second
    WED;

    private final String label;

    Day(String label) { this.label = label; }
    Day() { this("?"); }

    public boolean open() { return true; }
    public String label() { return label; }
}

sealed interface Shape permits Circle, Square {}
record Circle(double radius) implements Shape {}

@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Audited {
    String by() default "nobody";
    int level() default Ledger.PAGE;
}
