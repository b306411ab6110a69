@props([
    'tea',
    'price' => null,
    'size' => config('ui.card.size', 'medium'), // one of small, medium
    'onSelect' => fn ($tea) => $tea->id,
])
@aware(['theme' => 'light'])

<article {{ $attributes->class(['card', "card--$size"])->merge(['data-theme' => $theme]) }}>
    @isset($image)
        <figure {{ $image->attributes }}>{{ $image }}</figure>
    @endisset

    <h3 class="card__title">{{ $tea->name }}</h3>

    <div class="card__body">
        {{ $slot }}
    </div>

    @if ($price)
        <strong class="card__price">{{ $price }}</strong>
    @endif

    <footer class="card__actions">{{ $actions ?? '' }}</footer>
</article>
