#nullable enable
// Orders of a harbour café: who wants what, and when it is served.
using System;
using System.Collections.Generic;
using System.Linq;
using static System.Math;
using Json = System.Text.Json.JsonSerializer;
using Pair = (int Left, string Right);
global using System.Threading.Tasks;
extern alias Legacy;

[assembly: InternalsVisibleTo("Harbour.Tests")]

namespace Harbour.Orders
{
    using System.Threading;

    /// <summary>How an order stands.</summary>
    [Flags]
    public enum Status : byte
    {
        /// <summary>Nobody has looked.</summary>
        Open = 1 << 0,
        Brewing = 2, // hot
        [Obsolete("use Served")] Done = Open | Brewing,
    }

    /// <summary>
    /// Told when an <see cref="Order"/> moves.
    /// </summary>
    /// <param name="order">which one</param>
    public delegate Task<bool> Moved<in TOrder>(TOrder order, Status to) where TOrder : IOrder;

    public interface IOrder : IEquatable<IOrder>, IDisposable
    {
        Guid Id { get; }
        Status Status { get; protected set; }
        event EventHandler<Status>? Changed;
        decimal this[string item] { get; }
        static abstract IOrder Parse(ReadOnlySpan<char> text);
        bool IsOpen => (Status & Status.Open) != 0;
        void Cancel(string? reason = null);
    }

    /// <summary>A line of an order.</summary>
    public readonly record struct Line(string Item, [property: JsonIgnore] int Count = 1, params decimal[] Prices)
    {
        public decimal Total => Prices.Sum() * Count;
        public static Line operator +(Line left, Line right) => left with { Count = left.Count + right.Count };
        public static bool operator true(Line line) => line.Count > 0;
        public static bool operator false(Line line) => !line;
        public static implicit operator Line(string item) => new(item);
        public static explicit operator (string, int)(Line line) => (line.Item, line.Count);
    }

    public abstract record Event(DateTimeOffset At)
    {
        public sealed record Opened(DateTimeOffset At, Guid Id) : Event(At);
        public sealed record Closed(DateTimeOffset At, Status Last) : Event(At) { public string? Why { get; init; } }
        private protected abstract void Apply();
    }

    /// <summary>
    /// An order of several lines; see <c>Line</c>.
    /// </summary>
    /// <typeparam name="T">what it is for</typeparam>
    [Serializable, DebuggerDisplay("{Id} class Ghost { }")]
    public abstract partial class Order<T> : IOrder, IAsyncEnumerable<Line>
        where T : class, IComparable<T>, new()
    {
        /// <summary>Most lines of one order.</summary>
        public const int MaxLines = 64, MinLines = 1;
        private static readonly Dictionary<Guid, WeakReference<Order<T>>> all = new();
        protected internal readonly List<Line> lines = [];
        [ThreadStatic] private static int depth;
        internal volatile bool dirty;
        private readonly Lock gate = new Lock(), other = new();
        private unsafe fixed byte buffer[16];

        public event EventHandler<Status>? Changed;
        public event Moved<Order<T>> Moved
        {
            add { moved += value; }
            remove { moved -= value; }
        }
        private Moved<Order<T>>? moved;

        static Order()
        {
            AppDomain.CurrentDomain.ProcessExit += (_, _) => all.Clear();
        }

        /// <summary>Makes an order.</summary>
        protected Order(Guid id, T purpose) : this(id) => Purpose = purpose ?? throw new ArgumentNullException(nameof(purpose));

        private Order(Guid id)
        {
            Id = id;
            all[id] = new WeakReference<Order<T>>(this);
        }

        ~Order() => Dispose(false);

        public Guid Id { get; }
        public T Purpose { get; init; } = new();
        public required string Guest { get; set; }

        /// <summary>状態。</summary>
        public Status Status
        {
            get => status;
            protected set
            {
                if (status == value) return;
                var before = status;
                status = value;
                Changed?.Invoke(this, before);
            }
        }
        private Status status = Status.Open;

        public virtual decimal this[string item] => lines.Where(l => l.Item == item).Sum(l => l.Total);
        public Line this[Index at, bool copy = false]
        {
            get { return copy ? lines[at] with { } : lines[at]; }
            set => lines[at] = value;
        }

        Status IOrder.Status { get => Status; set => Status = value; }
        static IOrder IOrder.Parse(ReadOnlySpan<char> text) => throw new NotImplementedException();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryAdd(in Line line, out int index, ref int total)
        {
            index = lines.Count;
            if (line is { Count: > 0 and < MaxLines, Item: { Length: not 0 } name } && !lines.Contains(line))
            {
                lines.Add(line);
                total += line.Count;
                Log.Debug($"added {name,10} of {lines.Count:D3} {{no}} {(total > 9 ? "many" : "few")}");
                return true;
            }
            return false;
        }

        public void Cancel(string? reason = null)
        {
            const string Path = @"C:\orders\""class""";
            var text = """
                public class Phantom { void Method() { } }
                """;
            goto end;
        end:
            Status &= ~Status.Open;
            Log.Info(Path + text, reason!);
        }

        /// <inheritdoc/>
        public async IAsyncEnumerator<Line> GetAsyncEnumerator([EnumeratorCancellation] CancellationToken token = default)
        {
            await foreach (var (item, count) in Source(token).ConfigureAwait(false))
            {
                if (count is 0) continue;
                yield return new Line(item, count);
            }
            yield break;
        }

        protected abstract IAsyncEnumerable<(string Item, int Count)> Source(CancellationToken token);

        public void Dispose()
        {
            Dispose(disposing: true);
            GC.SuppressFinalize(this);
        }

        protected virtual void Dispose(bool disposing) { }

        partial void OnServed(Line line);

        public TResult Visit<TResult, TState>(Func<Line, TState, TResult> visit, TState state)
            where TResult : struct
            where TState : notnull
        {
            TResult last = default;
            foreach (ref readonly var line in CollectionsMarshal.AsSpan(lines))
            {
                var depth = Order<T>.depth + 1; // hides the field
                last = visit(line, state);
                Order<T>.depth = depth;
            }
            return last;
        }

        private sealed class Comparer : IComparer<Order<T>>, IEqualityComparer<Line>
        {
            public static readonly Comparer Instance = new();
            public int Compare(Order<T>? x, Order<T>? y) => (x?.Purpose, y?.Purpose) switch
            {
                (null, null) => 0,
                (var left, null) when left is not null => 1,
                ({ } left, { } right) => left.CompareTo(right),
                _ => -1,
            };
            bool IEqualityComparer<Line>.Equals(Line a, Line b) => a.Item == b.Item;
            int IEqualityComparer<Line>.GetHashCode(Line line) => HashCode.Combine(line.Item, line.Count);
        }
    }

    public static class OrderExtensions
    {
        /// <summary>Groups by guest.</summary>
        public static ILookup<string, decimal> ByGuest<T>(this IEnumerable<Order<T>> orders, decimal least)
            where T : class, IComparable<T>, new()
            => (from order in orders
                let total = order["tea"]
                join guest in Guests.All on order.Guest equals guest.Name into matches
                from match in matches.DefaultIfEmpty()
                where total > least && match != null
                orderby total descending, match.Name
                group total by match.Name into grouped
                from each in grouped
                select (grouped.Key, each)).ToLookup(pair => pair.Key, pair => pair.each);

        internal static string Describe(object? thing) => thing switch
        {
            Event.Opened(var at, _) => $"opened {at:O}",
            Event.Closed { Last: Status.Done or Status.Brewing, Why: var why } => why ?? "?",
            Line { Prices: [var first, .., > 2m] } => Round(first).ToString(),
            int n when n > Order<object>.MaxLines => nameof(Order<object>.MaxLines),
            IOrder order => order.Id.ToString("N"),
            _ => throw new ArgumentOutOfRangeException(nameof(thing), thing, null),
        };
    }

    internal sealed class Counter(string name, int start = 0) : IDisposable
    {
        private int count = start;
        public string Name { get; } = name.Trim();

        public int Next()
        {
            lock (this)
            {
                int Step(int by) => count += by;
                static int Twice(int n) => n * 2;
                return checked(Step(Twice(1)));
            }
        }

        public unsafe int Sum(int* values, int length)
        {
            int sum = 0;
            Span<int> copy = stackalloc int[length];
            delegate*<int, int> twice = &Double;
            fixed (int* at = copy)
            {
                for (int i = 0, n = length; i < n; i++) sum += twice(*(values + i)) + at[i];
            }
            return sum;
            static int Double(int n) => n << 1;
        }

        public void Run(string[] args)
        {
            Action<int> print = delegate (int n) { Console.WriteLine(n); };
            Func<int, int, int> add = static (a, b) => a + b;
            var anonymous = new { Name, Count = count, args.Length };
            int[,] grid = new int[2, 3] { { 1, 2, 3 }, { 4, 5, 6 } };
            var (x, y) = (grid[0, 1], anonymous.Count);
            (count, _) = (y, x);
            using var file = System.IO.File.OpenRead(args[^1]);
            try
            {
                print(add(x, y));
                if (int.TryParse(args[0], out var parsed) && parsed is > 3 or < -3) count ^= parsed;
            }
            catch (FormatException e) when (e.Message.Contains("größer"))
            {
                Legacy::Harbour.Log.Error(e);
                throw;
            }
            finally
            {
                count ??= 0;
            }
            switch (count)
            {
                case 1:
                case int big when big > 10:
                    goto default;
                default:
                    break;
            }
        }

        [DllImport("kernel32.dll", SetLastError = true)]
        private static extern bool Beep(uint frequency, uint duration);

        void IDisposable.Dispose() => throw new NotImplementedException();
    }

#if DEBUG
    public static class Probe { public static int Depth { get; private set; } }
#elif TRACE
    public static class Probe { }
#endif

    #region Old
    struct Point { public int X, Y; public Point(int x) { X = x; Y = 0; } }
    [StructLayout(LayoutKind.Explicit)]
    internal ref struct Overlay
    {
        [FieldOffset(0)] public float Number;
        [FieldOffset(0)] public uint Bits;
    }
    #endregion
}
