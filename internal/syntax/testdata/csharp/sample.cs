// Orders and those who watch them.
using System;
using System.Collections.Generic;
using static System.Math;
using Json = System.Text.Json.JsonSerializer;
global using System.Linq;

[assembly: InternalsVisibleTo("Shop.Tests")]

namespace Shop.Orders
{
    /// <summary>What became of an order.</summary>
    public enum Status
    {
        /// <summary>Nobody looked at it.</summary>
        Open = 1,
        [Obsolete] Lost,
        Paid, // 支払済み
    }

    public delegate void Changed<T>(object sender, T item);

    /// <summary>Where orders are kept.</summary>
    public interface IStore<in TKey, out TItem> : IDisposable where TKey : notnull
    {
        int Count { get; }
        TItem Find(TKey key);
        event Changed<Order> OnChange;
    }

    /// <summary>
    /// An order of one customer.
    /// </summary>
    [Serializable, DebuggerDisplay("{Id}")]
    public sealed partial class Order : Entity<int>, IComparable<Order>
    {
        public const int MaxLines = 100;
        private static readonly Dictionary<string, decimal> rates = new();
        private readonly List<Line> _lines = new List<Line>(), _gone;
        private int _version;

        public event EventHandler<EventArgs>? Updated;

        static Order()
        {
            rates["eur"] = 1.0m;
        }

        /// <summary>Makes an order.</summary>
        public Order(int id, string? note = null) : base(id)
        {
            Note = note ?? string.Empty;
            this._version = 1;
        }

        ~Order() { Dispose(false); }

        public string Note { get; set; } = "";
        public decimal Total => _lines.Sum(l => l.Price * l.Count);
        internal Status State
        {
            get { return _state; }
            private set
            {
                _state = value;
                Updated?.Invoke(this, EventArgs.Empty);
            }
        }
        private Status _state;

        public Line this[int index] => _lines[index];

        [HttpGet("{id}")]
        public async Task<IReadOnlyList<Line>> LinesAsync<T>(int id, CancellationToken token = default)
            where T : class, new()
        {
            var found = new List<Line>();
            foreach (var line in _lines)
            {
                if (line is { Count: > 0, Price: var price } and not Gift)
                    found.Add(line with { Price = Max(price, 0) });
            }
            for (int i = 0, n = found.Count; i < n; i++)
            {
                found[i].Index = i;
            }
            await using var scope = await Scope.OpenAsync(token);
            try
            {
                int.TryParse(Note, out var number);
                return await Task.FromResult(found);
            }
            catch (InvalidOperationException ex) when (ex.HResult == 3)
            {
                Log.Write($"failed {ex.Message} after {number:D2}", level: 2);
                throw;
            }
            int Local(int x) => x + _version;
        }

        public int CompareTo(Order? other) => Id.CompareTo(other!.Id);

        public static Order operator +(Order a, Line b)
        {
            a._lines.Add(b);
            return a;
        }

        public static implicit operator int(Order o) => o.Id;

        void IDisposable.Dispose() => throw new NotImplementedException();

        public string Describe(object shape) => shape switch
        {
            Circle c when c.Radius > 1 => $"circle {c.Radius}",
            Square { Side: var side } => Name(side),
            string or null => nameof(Order),
            _ => throw new ArgumentException(),
        };

        public IEnumerable<Line> Cheap(decimal limit) =>
            from line in _lines
            where line.Price < limit
            orderby line.Price descending
            select line;

        public void Handle()
        {
            Func<int, int, int> add = (a, b) => a + b;
            Action<string> log = delegate(string text) { Console.WriteLine(text); };
            var (x, y) = Split(add(1, 2));
            (int left, int right) = (x, y);
            object boxed = (object)left;
            var anonymous = new { Name = Note, right };
            _version += (int)boxed;
            _version++;
            lock (_lines) { log(@"c:\temp"); }
            Type t = typeof(Order);
        }

        /// <summary>A line of an order. 明細。</summary>
        public record Line(string Name, decimal Price, int Count)
        {
            public int Index { get; init; }
        }

        private protected struct Point<T> where T : struct
        {
            public T X, Y;
        }
    }

    public static class Extensions
    {
        public static bool IsEmpty(this string text) => text.Length == 0;
    }

    public class Service(IStore<int, Order> store, ILogger log) : Base(store)
    {
        public Order Load(int id) => store.Find(id);
    }
}

namespace Shop.Web
{
#if DEBUG
    class Debugging
    {
        internal void Dump() { }
    }
#endif
}
