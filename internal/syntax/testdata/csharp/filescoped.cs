using System;

namespace Shop.Billing;

/// <summary>Sends <see cref="Invoice"/>s to <paramref name="to"/>.</summary>
public class Sender
{
    protected internal void Send(Invoice invoice) => _ = invoice.Total;
}

public class Refund(string why) : Exception(why), IKnown;
internal sealed class Lost : Refund where T : new();
file class Local(int a);
interface IKnown;
struct Nothing : IKnown;
readonly record struct Pair(int Left, int Right);
[Serializable] class Marked<T> : Dictionary<string, T>;

public class Outer
{
    class Inner : Outer;
    public ref struct Span;
    void After(Lost lost) { }
}
