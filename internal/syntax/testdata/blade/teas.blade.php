{{-- The catalogue of the shop. 茶の一覧。 @include('not.this') --}}
@extends('layouts.app')

@use('App\Models\Tea')
@use('App\Support\Money', 'Yen')
@inject('stock', 'App\Services\Stock')

@php
    use App\Enums\Kind;

    /** How many columns the shelf has. */
    $columns = $dense ? 6 : 4;
    $kinds = collect(Kind::cases())
        ->map(fn (Kind $kind) => $kind->label())
        ->sort();

    function shelf_class(int $columns): string
    {
        return "shelf shelf--{$columns}";
    }
@endphp

@section('title', __('Teas') . ' (' . count($teas) . ')')

@section('meta')
    <meta name="description" content="{{ $description ?? 'Tea from @ 日本 ("green", black)' }}">
    <link rel="canonical" href="{{ route('teas.index', ['page' => $page]) }}">
    <link rel="stylesheet" href="/css/teas.css">
    @parent
@endsection

@push('styles')
    <style>
        @media (max-width: {{ $breakpoint }}px) {
            .shelf { grid-template-columns: 1fr; }
        }
        @supports (display: grid) {
            .shelf--wide { display: grid; gap: {{ $gap }}rem }
        }
        @keyframes steam { from { opacity: 0 } }
    </style>
@endpush

@section('content')
    <header class="bar @if($dense) bar--dense @endif" id="bar">
        <h1>{{ $title }} <small>({{ trans_choice('teas.count', $teas->total()) }})</small></h1>

        @hasSection('subtitle')
            <p class="subtitle">@yield('subtitle')</p>
        @endif

        <form method="GET" action="{{ route('teas.index') }}" class="search">
            <label for="query">Search</label>
            <input
                id="query"
                name="query"
                value="{{ old('query', request('query')) }}"
                @class(['field', 'field--wide' => ! $dense, 'has-error' => $errors->has('query')])
                @required($kinds->isEmpty())
                @readonly(auth()->guest() && config('shop.locked'))
            >
            @error('query')
                <span class="error">{{ $message }}</span>
            @enderror

            <select name="kind" id="kind">
                @foreach ($kinds as $value => $label)
                    <option value="{{ $value }}" @selected(old('kind') === $value)>{{ $label }}</option>
                @endforeach
            </select>

            <x-button type="submit" variant="primary" :disabled="$teas->isEmpty()">
                <x-icons.search class="icon" />
                {{ __('Search') }}
            </x-button>
        </form>
    </header>

    @if (session()->has('status') && strlen(session('status')) > 0)
        <x-alert type="success" :message="session('status')" dismissible />
    @elseif (count($errors) > 0 /* a ) in a comment */)
        @include('partials.errors', ['errors' => $errors->all()])
    @else
        {{-- nothing to say --}}
    @endif

    @unless ($teas->isEmpty())
        <ul class="{{ shelf_class($columns) }} shelf" id="shelf" data-columns="{{ $columns }}">
            @foreach ($teas as $index => $tea)
                @continue($tea->hidden)
                @php($price = Yen::of($tea->price)->format())

                <li @class([
                    'card',
                    'card--offer' => $tea->offer,
                    'card--sold-out' => $stock->of($tea) === 0,
                ]) id="tea-{{ $tea->id }}" wire:key="tea-{{ $tea->id }}">
                    <x-tea-card :$tea :price="$price" :index="$loop->index" ::class="{ open: isOpen }">
                        <x-slot:image class="image">
                            <img src="{{ $tea->image->url('thumb') }}" alt="{{ $tea->name }}">
                        </x-slot>

                        <x-slot name="actions">
                            <button class="button" wire:click="add({{ $tea->id }}, 100)" @click="open = ! open">
                                Add
                            </button>
                            @can('update', $tea)
                                <a href="{{ route('teas.edit', $tea) }}">Edit</a>
                            @endcan
                        </x-slot>

                        {!! Str::markdown($tea->notes) !!}
                    </x-tea-card>

                    @switch($tea->kind)
                        @case(Kind::Green)
                            <span class="kind kind--green">Green</span>
                            @break
                        @case(Kind::Black)
                            <span class="kind kind--black">Black</span>
                            @break
                        @default
                            <span class="kind">{{ ucfirst($tea->kind->value) }}</span>
                    @endswitch

                    @isset($tea->award, $tea->award->year)
                        <em>@lang('teas.award', ['year' => $tea->award->year])</em>
                    @endisset

                    @includeWhen($tea->reviews_count > 0, 'teas.reviews', ['reviews' => $tea->reviews])
                    @includeFirst(['teas.custom.' . $tea->slug, 'teas.details'], ['tea' => $tea])
                </li>

                @if ($loop->iteration % $columns === 0 && ! $loop->last)
                    <li class="row-break" aria-hidden="true"></li>
                @endif
            @endforeach
        </ul>

        {{ $teas->withQueryString()->links('pagination.simple') }}
    @endunless

    @forelse ($recent as $order)
        <p>{{ $order->customer->name }}: {{ money($order->total) }}, @datetime($order->created_at)</p>
    @empty
        <p id="no-orders">No orders yet. Write to shop@example.org or @teahouse.</p>
    @endforelse

    @each('teas.tag', $tags, 'tag', 'teas.no-tags')

    @for ($i = 0; $i < 3; $i++)
        <hr class="rule">
    @endfor

    @while ($line = array_shift($lines))
        <p>{{ $line }}</p>
    @endwhile

    @auth('web')
        @livewire('cart', ['user' => auth()->user()])
        <livewire:order.history :limit="5" />
    @endauth

    @guest
        <a href="{{ route('login') }}">Sign in</a>
    @endguest

    @component('components.panel', ['title' => 'Delivery'])
        @slot('icon', 'truck')
        @slot('footer')
            <a href="#bar">Up</a>
        @endslot
        <p>Within a week.</p>
    @endcomponent

    @feature('reviews')
        <section id="reviews">
            @fragment('review-list')
                <x-dynamic-component :component="$reviewComponent" class="mt-4" />
                <x-shop::rating stars="5" />
            @endfragment
        </section>
    @else
        <p>Reviews come later.</p>
    @endfeature

    <div
        id="filters"
        x-data="{ open: false, kind: @js($kind), toggle() { this.open = ! this.open } }"
        x-show="open"
        x-on:keydown.escape="close()"
        @click.outside="open = false"
    >
        <template x-for="kind in kinds()">
            <button x-text="kind.label" @click="choose(kind)"></button>
        </template>
        <input wire:model.live="filter.max" x-ref="max">
    </div>

    <table class="table" id="history">
        <caption>@lang('teas.history', ['name' => $tea?->name])</caption>
        <thead>
            <tr>
                @foreach (['date', 'grams', 'price'] as $column)
                    <th scope="col" @class(['sorted' => $sort == $column])>
                        <a href="{{ request()->fullUrlWithQuery(['sort' => $column]) }}">
                            {{ __("teas.columns.{$column}") }}
                        </a>
                    </th>
                @endforeach
            </tr>
        </thead>
        <tbody>
            @forelse ($history->groupBy(fn (Order $order) => $order->created_at->format('Y-m')) as $month => $orders)
                <tr class="month"><th colspan="3">{{ $month }}</th></tr>
                @foreach ($orders as $order)
                    <tr @style(['opacity: 0.5' => $order->isPending(), 'color: crimson' => $order->failed])>
                        <td>{{ $order->created_at->isoFormat('LL') }}</td>
                        <td>{{ $order->lines->sum('grams') }} g</td>
                        <td>{{ Yen::of($order->total)->format() }}</td>
                    </tr>
                @endforeach
            @empty
                <tr><td colspan="3">Nothing yet. まだありません。</td></tr>
            @endforelse
        </tbody>
    </table>

    @session('notice')
        <x-alert type="info" :message="$value" />
    @endsession

    @env(['local', 'staging'])
        <p class="notice">This is {{ app()->environment() }}.</p>
    @endenv

    @production
        <x-analytics :id="config('services.analytics.id')" />
    @endproduction

    @verbatim
        <script type="text/x-template" id="line-template">
            <p>{{ line.name }}: @{{ kept }} @if (this is text)</p>
        </script>
    @endverbatim

    <p>Escaped: @{{ name }}, @@include('nothing'), {{{ $legacy }}}.</p>

    <?php if ($debug): ?>
        <pre id="debug"><?= json_encode($debug, JSON_PRETTY_PRINT) ?></pre>
    <?php endif; ?>

    @once
        <x-modal name="confirm" id="confirm-modal" x-on:close="reset()">
            <h2>{{ $slot ?? 'Sure?' }}</h2>
        </x-modal>
    @endonce
@endsection

@section('sidebar')
    <nav class="side">
        @foreach (Tea::kinds() as [$slug, $name])
            <a href="/teas/{{ $slug }}" @class(['active' => request()->is("teas/{$slug}")])>{{ $name }}</a>
        @endforeach
    </nav>
@show

@prepend('scripts')
    @vite(['resources/js/teas.js', 'resources/css/teas.css'])
@endprepend

@push('scripts')
    <script>
        const teas = @json($teas->items());
        const columns = {{ $columns }};
        window.shop = { locale: '{{ app()->getLocale() }}', teas };

        /** Draws the price of a tea. 値段。 */
        function drawPrice(tea) {
            return new Intl.NumberFormat('ja-JP').format(tea.price * {{ $rate }});
        }

        @if ($track)
            document.getElementById('shelf').addEventListener('click', (event) => {
                track('{{ $trackId }}', event.target.id);
            });
        @endif
    </script>
@endpush

@pushOnce('scripts', 'chart')
    <script src="/js/chart.js" defer></script>
@endPushOnce

{{-- What every page ends with. --}}

@section('footer')
    @stack('footer-links')
    <p class="small">© {{ date('Y') }} {{ config('app.name') }}</p>
    @yield('legal', View::make('partials.legal'))
@stop
