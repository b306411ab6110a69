// Stock of a chain of tea houses: what lies where, and who may move it.
package jp.chaya.stock;

import static jp.chaya.stock.Units.GRAMS;
import static jp.chaya.stock.Units.Factors.*;

import java.lang.annotation.*;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.*;
import java.util.stream.Stream;

/**
 * A warehouse counts what it holds. It is safe for use by several threads.
 *
 * <p>Use it like this: {@code new Warehouse<>(clock).receive(lot)}.
 *
 * @param <L> the lots it takes
 * @see Shelf
 */
@Audited(by = "stock", level = Warehouse.Level.FULL, tags = {"a", "b"})
public final class Warehouse<L extends Lot & Comparable<? super L>> implements Store<L>, AutoCloseable {
    /** Longest time a lot waits, in days. */
    public static final int MAX_DAYS = 30, MIN_DAYS = MAX_DAYS / 10;

    private static final AtomicLong NEXT = new AtomicLong(1_000L);
    static final String SCHEMA = """
        create table lots (id bigint, name text);
        -- class Ghost { void method() {} }
        insert into lots values (1, "\u8336");
        """;

    private final Map<Level, List<L>> shelves = new EnumMap<>(Level.class);
    private final Supplier<Instant> clock;
    protected transient volatile int version;
    private Listener<? extends L>[] listeners;
    int[][] grid = {{1, 2}, {3, 4}}, cache[];

    static {
        String unit = GRAMS.toString();
        System.setProperty("unit", unit);
    }

    /** Makes a warehouse by a clock. */
    public Warehouse(Supplier<Instant> clock) {
        this(clock, MAX_DAYS);
    }

    private <C extends Supplier<Instant>> Warehouse(C clock, int days) throws IllegalArgumentException {
        super();
        assert days > 0 : "days: " + days;
        this.clock = clock;
        for (Level level : Level.values()) {
            shelves.put(level, new ArrayList<L>(days));
        }
    }

    /** 荷を受け取る。 */
    @Override
    public synchronized boolean receive(L lot) {
        final int version = this.version + 1; // hides the field
        if (lot == null || !lot.isFresh(clock.get())) {
            return false;
        }
        List<L> shelf = shelves.computeIfAbsent(lot.level(), unused -> new ArrayList<>());
        shelf.add(lot);
        this.version = version;
        grid[0][version % 2] += lot.grams();
        Warehouse.log("received {} at {}", lot, version);
        return true;
    }

    // Several at once; stops at the first that is refused.
    @SafeVarargs
    public final int receive(L first, L... rest) {
        int count = receive(first) ? 1 : 0;
        next:
        for (int i = 0, n = rest.length; i < n; i++) {
            for (L other : shelves.get(Level.FULL)) {
                if (other.compareTo(rest[i]) == 0) continue next;
            }
            if (!receive(rest[i])) break next;
            ++count;
        }
        return count;
    }

    public <K, V extends Comparable<V>> Map<K, List<L>> groupBy(Function<? super L, ? extends K> key, V... ignored) {
        return lots().collect(java.util.stream.Collectors.groupingBy(key));
    }

    private Stream<L> lots() {
        return shelves.values().stream().<L>flatMap(List::stream).sorted(Comparator.comparing(Lot::grams).thenComparing(Lot::name));
    }

    CompletableFuture<Integer> countLater(Predicate<L> wanted) {
        return CompletableFuture.supplyAsync(() -> {
            int sum = 0;
            var all = lots().filter(wanted.and(lot -> lot.grams() > MIN_DAYS)).toArray(Lot[]::new);
            for (var lot : all) sum += lot.grams();
            return sum;
        }).thenApply(this::rounded).exceptionally(error -> {
            log("lost", error);
            return -1;
        });
    }

    private int rounded(int grams) {
        IntUnaryOperator round = (int n) -> n / KILO * KILO;
        BinaryOperator<Integer> max = (a, b) -> a > b ? a : b;
        return max.apply(round.applyAsInt(grams), 0);
    }

    /** Describes a lot for a label. */
    static String describe(Object thing) {
        if (thing instanceof Crate(Lot(var name, int grams), Position where) && grams > 0) {
            return name + "@" + where.row();
        }
        if (!(thing instanceof Lot lot)) {
            return "?";
        }
        return switch (lot) {
            case GreenTea(String name, var grams, _) when grams > 500 -> "big " + name;
            case GreenTea green -> green.name();
            case BlackTea black -> {
                char mark = '"';
                String text = "class Fake { int x = 1; } // " + black.name();
                yield mark + text;
            }
            default -> throw new IllegalStateException("unknown: " + lot);
        };
    }

    int priority(Level level) {
        switch (level) {
            case EMPTY:
            case LOW:
                int low = level.ordinal();
                return low * Level.LOW.factor;
            case FULL:
                return Level.FULL.factor(2.5);
            default:
                return (int) (long) Math.round(1.5e3 * level.factor);
        }
    }

    Iterable<L> backwards(Level level) {
        class Backwards implements java.util.Iterator<L> {
            private int at = shelves.get(level).size();

            Backwards() {
                at--;
            }

            @Override public boolean hasNext() { return at >= 0; }
            @Override public L next() { return shelves.get(level).get(at--); }
        }
        record Pair<A, B>(A left, B right) {
            Pair<B, A> swapped() { return new Pair<>(right, left); }
        }
        enum Way { UP, DOWN }
        Pair<Way, Integer> pair = new Pair<>(Way.DOWN, 1);
        log("going {}", pair.swapped().left());
        return () -> new Backwards();
    }

    void listen(final Listener<L> listener) {
        Listener<L> guarded = new Listener<>() {
            private int failures = 0;

            @Override
            public void moved(L lot, Position to) {
                try {
                    listener.moved(lot, to);
                } catch (final RuntimeException | Error failure) {
                    failures++;
                    Warehouse.this.version--;
                    log("listener", failure);
                } finally {
                    lot.touch();
                }
            }
        };
        Runnable both = (Runnable & java.io.Serializable) () -> guarded.moved(null, Position.ORIGIN);
        both.run();
        Shelf.Slot slot = new Shelf("A").new Slot(3);
        slot.owner().label = "zwölf";
        Class<?>[] types = {int[].class, Lot.class, void.class};
        synchronized (types) {
            do {
                version ^= types.length;
            } while (version > 10);
        }
    }

    private static void log(String format, Object... args) {
        System.out.printf(format.replace("{}", "%s") + "%n", args);
    }

    @Override
    public void close() throws Exception {
        try (var first = open("a.csv"); AutoCloseable second = open("b.csv"); first) {
            Store.super.close();
        } catch (java.io.IOException e) {
            throw new StockException("close", e) {
                @Override public boolean isFinal() { return true; }
            };
        }
    }

    native AutoCloseable open(String path) throws java.io.IOException;

    void prune(int days) {
        // TODO: throw lots away
    }

    int forecast(int days) { throw new UnsupportedOperationException(); }

    /** How full a shelf is. */
    public enum Level implements Supplier<String> {
        /** Nothing there. */
        EMPTY,
        LOW(1) { @Override int factor(double by) { return 0; } },
        @Deprecated FULL(2) {
            private final int extra = 1;

            @Override
            int factor(double by) {
                return super.factor(by) + extra;
            }
        };

        final int factor;
        private static final Level[] ALL = values();

        Level() { this(0); }

        Level(int factor) {
            this.factor = factor;
        }

        int factor(double by) { return (int) (factor * by); }

        @Override
        public String get() { return name().toLowerCase(); }
    }

    /** A shelf, which has slots. */
    static class Shelf {
        String label;

        Shelf(String label) { this.label = label; }

        /** One place on its shelf. */
        class Slot {
            private final int index;
            Slot(int index) { this.index = index; }
            Shelf owner() { return Shelf.this; }
        }
    }

    public interface Listener<T> extends java.util.EventListener {
        int LIMIT = 8, STEP = LIMIT >> 1;

        void moved(T lot, Position to);

        default Listener<T> and(Listener<? super T> other) {
            return (lot, to) -> {
                moved(lot, to);
                other.moved(lot, to);
            };
        }

        static <T> Listener<T> none() { return (lot, to) -> {}; }

        private void hidden() {}
    }
}

/** What can be stored. */
sealed interface Lot permits GreenTea, BlackTea, Herb {
    String name();
    int grams();
    default boolean isFresh(Instant now) { return now.isAfter(Instant.EPOCH); }
    default void touch() {}
    Warehouse.Level level();
}

/**
 * @param name  what stands on the label
 * @param grams how much it weighs
 */
record GreenTea(@NotNull String name, int grams, Instant... picked) implements Lot {
    private static int made;
    static final GreenTea 煎茶 = new GreenTea("煎茶", 100);

    GreenTea {
        if (grams < 0) throw new IllegalArgumentException("grams: " + grams);
        made += 1;
    }

    GreenTea(String name) { this(name, 100); }

    @Override public Warehouse.Level level() { return Warehouse.Level.LOW; }
}

non-sealed class Herb implements Lot {
    public String name() { return "herb"; }
    public int grams() { return Units.Factors.KILO; }
    public Warehouse.Level level() { return null; }
}

record Crate<T extends Lot>(T lot, Position at) {}

class StockException extends Exception {
    private static final long serialVersionUID = 0x1fL;

    StockException(String what, Throwable why) {
        super(String.format("%s: %s", what, why.getMessage()), why);
    }

    public boolean isFinal() { return false; }
}

/** Who looks at it. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface Audited {
    String by() default "nobody";
    Warehouse.Level level() default Warehouse.Level.EMPTY;
    String[] tags() default {};

    @interface Many {
        Audited[] value();
    }
}
