# Shopping carts: one process a cart.

defmodule Shop.Money do
  @moduledoc """
  Amounts in cents.

  Nothing here rounds – niemals.
  """

  @enforce_keys [:cents]
  defstruct [:cents, currency: "EUR"]

  @type t :: %__MODULE__{cents: integer(), currency: String.t()}
  @typep rate :: float()
  @opaque token :: binary()

  @zero 0

  @doc "Makes an amount."
  @spec new(integer(), String.t()) :: t()
  def new(cents, currency \\ "EUR") when is_integer(cents) do
    %__MODULE__{cents: cents, currency: currency}
  end

  @doc """
  Adds two amounts of one currency.
  """
  @spec add(t(), t()) :: t()
  def add(%__MODULE__{currency: c} = a, %__MODULE__{currency: c} = b) do
    %{a | cents: a.cents + b.cents}
  end

  def add(_, _), do: raise(ArgumentError, "two currencies")

  def zero, do: new(@zero)

  @spec scale(t(), rate()) :: t()
  defp scale(%__MODULE__{cents: cents} = money, factor) do
    %{money | cents: round(cents * factor)}
  end

  def discount(money, percent) when percent in 0..100 do
    money |> scale(1 - percent / 100)
  end

  defguard is_positive(value) when is_integer(value) and value > 0

  defdelegate inspect(money), to: Kernel
end

defprotocol Shop.Priced do
  @doc "What it costs."
  @spec price(t) :: Shop.Money.t()
  def price(thing)
end

defmodule Shop.Item do
  alias Shop.Money
  alias Shop.Catalog.{Entry, Search}

  defstruct sku: nil, title: "", price: nil, quantity: 1

  defimpl Shop.Priced do
    def price(item), do: item.price
  end

  def from_entry(%Entry{} = entry) do
    %__MODULE__{
      sku: entry.sku,
      title: String.trim(entry.title),
      price: Money.new(entry.cents)
    }
  end

  def search(term) do
    term
    |> Search.find(limit: 10)
    |> Enum.map(&from_entry/1)
    |> Enum.filter(& &1.quantity > 0)
  end
end

defimpl Shop.Priced, for: List do
  def price(items) do
    Enum.reduce(items, Shop.Money.zero(), fn item, sum ->
      Shop.Money.add(sum, Shop.Priced.price(item))
    end)
  end
end

defmodule Shop.CartError do
  defexception [:message, :code]

  @impl true
  def exception(code) do
    %__MODULE__{message: "cart: #{code}", code: code}
  end
end

defmodule Shop.Store do
  @callback load(id :: String.t()) :: {:ok, list()} | {:error, term()}
  @callback save(id :: String.t(), list()) :: :ok
  @optional_callbacks save: 2
end

defmodule Shop.Macros do
  defmacro __using__(opts) do
    quote do
      import Shop.Macros
      @store Keyword.get(unquote(opts), :store, Shop.Memory)
    end
  end

  @doc "Logs how long a block took."
  defmacro timed(name, do: block) do
    quote do
      start = System.monotonic_time()
      result = unquote(block)
      Logger.debug("#{unquote(name)}: #{System.monotonic_time() - start}")
      result
    end
  end

  defmacrop hidden(x), do: x
end

defmodule Shop.Cart do
  @moduledoc "A cart, as a process."

  use GenServer
  use Shop.Macros, store: Shop.Disk

  require Logger
  import Enum, only: [find: 2, reject: 2]
  alias Shop.{Item, Money}
  alias Shop.CartError, as: Problem

  @behaviour Shop.Store
  @timeout :timer.minutes(30)
  @attributes ~w(sku title)a
  @pattern ~r/^[A-Z]{3}-\d+$/u

  # Client

  @doc """
  Starts a cart.
  """
  def start_link(opts) do
    {id, opts} = Keyword.pop(opts, :id, make_ref())
    GenServer.start_link(__MODULE__, id, opts)
  end

  def put(cart, %Item{sku: sku} = item) do
    if sku =~ @pattern do
      GenServer.call(cart, {:put, item})
    else
      {:error, :invalid}
    end
  end

  def put!(cart, item) do
    case put(cart, item) do
      :ok -> cart
      {:error, reason} -> raise Problem, reason
    end
  end

  def remove(cart, sku), do: GenServer.cast(cart, {:remove, sku})

  @spec total(pid()) :: Money.t()
  def total(cart) do
    GenServer.call(cart, :total)
  end

  # Server

  @impl true
  def init(id) do
    state = %{id: id, items: [], touched: now()}
    {:ok, state, {:continue, :load}}
  end

  @impl true
  def handle_continue(:load, %{id: id} = state) do
    with {:ok, items} <- load(id),
         true <- Enum.all?(items, &valid?/1),
         count = length(items) do
      Logger.info("geladen: #{count} Artikel für #{id}")
      {:noreply, %{state | items: items}}
    else
      {:error, :enoent} ->
        {:noreply, state}

      other ->
        {:stop, other, state}
    end
  end

  @impl true
  def handle_call({:put, item}, _from, state) do
    items =
      case find(state.items, fn known -> known.sku == item.sku end) do
        nil ->
          [item | state.items]

        %Item{quantity: quantity} = known ->
          [%{known | quantity: quantity + item.quantity} | reject(state.items, &(&1.sku == item.sku))]
      end

    {:reply, :ok, %{state | items: items, touched: now()}}
  end

  def handle_call(:total, _from, %{items: items} = state) do
    timed "total" do
      sum = Shop.Priced.price(items)
      {:reply, sum, state}
    end
  end

  @impl true
  def handle_cast({:remove, sku}, state) do
    {:noreply, Map.update!(state, :items, &reject(&1, fn item -> item.sku == sku end))}
  end

  @impl true
  def handle_info(:timeout, state), do: {:stop, :normal, state}

  @impl Shop.Store
  def load(id) do
    path = Path.join(["carts", "#{id}.bin"])

    try do
      {:ok, path |> File.read!() |> :erlang.binary_to_term()}
    rescue
      e in File.Error -> {:error, e.reason}
    catch
      :exit, reason -> {:error, reason}
    after
      :ok
    end
  end

  defp valid?(%Item{sku: sku}) when is_binary(sku), do: true
  defp valid?(_), do: false

  defp now, do: System.system_time(:second)

  def summary(items, opts \\ []) do
    width = opts[:width] || 20

    for %Item{title: title} = item <- items, item.quantity > 0, into: %{} do
      {String.pad_trailing(title, width), item.quantity}
    end
  end

  def describe(items) do
    text = ~s"""
    Warenkorb „#{length(items)}“
      #{Enum.map_join(items, ", ", & &1.title)}
    """

    String.trim(text) <> "\n"
  end

  def left ~> right do
    left ++ right
  end

  def later(_cart) do
    raise "not implemented"
  end
end

defmodule Shop.CartTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, cart: start_supervised!(Shop.Cart)}
  end

  describe "put/2" do
    test "takes an item", %{cart: cart} do
      item = %Shop.Item{sku: "TEE-1"}
      assert :ok = Shop.Cart.put(cart, item)
      assert_receive {:put, ^item}, 100
    end

    test "refuses nonsense", context do
      refute Shop.Cart.put(context.cart, %Shop.Item{sku: "x"}) == :ok
    end
  end
end

defmodule Shop.Application do
  use Application

  def start(_type, _args) do
    children = [
      {Registry, keys: :unique, name: Shop.Registry},
      Shop.Cart
    ]

    Supervisor.start_link(children, strategy: :one_for_one)
  end

  defmodule Config do
    def get(key, default \\ nil), do: Application.get_env(:shop, key, default)
  end
end
