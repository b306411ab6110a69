using System;

namespace Shop.Billing;

/// <summary>Sends <see cref="Invoice"/>s to <paramref name="to"/>.</summary>
public class Sender
{
    protected internal void Send(Invoice invoice) => _ = invoice.Total;
}
