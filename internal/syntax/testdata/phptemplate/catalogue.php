<?php
/**
 * Template: the catalogue of the shop.
 *
 * @var Tea[]  $teas
 * @var string $title
 */

use Teahouse\Model\Tea;
use Teahouse\View\{Escaper, Pager as Pages};
use function Teahouse\View\{asset, url};

require_once __DIR__ . '/helpers.php';

$columns = $columns ?? 4;
$pager = new Pages($teas, perPage: 24);
$kinds = array_unique(array_map(static fn (Tea $tea): string => $tea->kind, $teas));

/** Writes the price of a tea. 値段を書く。 */
function price_tag(Tea $tea, int $grams = 100): void
{
    $amount = $tea->price * $grams / 100;
    ?>
    <span class="price<?= $tea->offer ? ' price--offer' : '' ?>" title="per <?= $grams ?> g">
        ¥<?= number_format($amount) ?>
    </span>
    <?php
}

function stars(float $rating): string
{
    return str_repeat('★', (int) round($rating)) . ' ?> is no end';
}
?>
<!DOCTYPE html>
<html lang="<?= $lang ?>">
<head>
    <meta charset="utf-8">
    <title><?= Escaper::html($title) ?> — Teahouse</title>
    <link rel="stylesheet" href="/css/teahouse.css">
    <link rel="stylesheet" href="<?= asset('css/catalogue.css') ?>">
    <style>
        .shelf { display: grid; grid-template-columns: repeat(<?= $columns ?>, 1fr); }
        .card.is-new::after { content: "New"; }
        #shelf > .card--<?= $theme ?> { color: <?php echo $color; ?>; }
        @media (max-width: 40em) {
            .shelf { grid-template-columns: 1fr; }
        }
    </style>
    <script src="/js/cart.js" defer></script>
    <script>
        const cart = <?= json_encode($cart, JSON_HEX_TAG) ?>;
        const locale = '<?= $lang ?>';

        function addToCart(id, grams) {
            cart.lines.push({ id, grams });
            updateBadge(cart.lines.length);
        }

        <?php if ($debug): ?>
        console.log('debug', <?= json_encode($_GET) ?>);
        <?php endif; ?>

        function updateBadge(count) {
            document.getElementById('cart-badge').textContent = count;
        }
    </script>
</head>
<body class="page page--<?= $page ?> catalogue" onload="updateBadge(<?= count($cart) ?>)">
<?php include 'partials/header.php'; ?>

<main id="content">
    <header class="bar <?php echo $dense ? 'bar--dense' : ''; ?>">
        <h1 id="title"><?= Escaper::html($title) ?></h1>
        <form id="search-form" class="search" action="<?= url('teas') ?>">
            <label for="query">Search</label>
            <input id="query" name="query" value="<?= Escaper::attr($_GET['query'] ?? '') ?>">
            <select name="kind" id="kind" onchange="this.form.submit()">
                <?php foreach ($kinds as $kind): ?>
                    <option value="<?= $kind ?>"<?= $kind === ($_GET['kind'] ?? null) ? ' selected' : '' ?>>
                        <?= ucfirst($kind) ?>
                    </option>
                <?php endforeach ?>
            </select>
            <button class="button" type="submit">Go</button>
        </form>
    </header>

<?php if (count($errors) > 0) : ?>
    <ul class="errors" id="errors" role="alert">
    <?php foreach ($errors as $field => $messages) { ?>
        <?php foreach ($messages as $message) { ?>
            <li class="error" data-field="<?= $field ?>"><?= $message ?></li>
        <?php } ?>
    <?php } ?>
    </ul>
<?php elseif ($pager->isEmpty()): ?>
    <p id="nothing-found">Nothing found. 見つかりません。</p>
<?php else: ?>
    <ul class="shelf" id="shelf">
    <?php
        // The newest come first.
        usort($teas, function (Tea $a, Tea $b): int {
            return $b->added <=> $a->added;
        });
        $index = 0;

        foreach ($pager->current() as $tea):
            $isNew = $tea->added > new DateTimeImmutable('-30 days');
    ?>
        <li class="card<?= $isNew ? ' is-new' : '' ?>" id="tea-<?= $tea->id ?>">
            <tea-thumbnail src="<?= asset("img/{$tea->slug}.webp") ?>"></tea-thumbnail>
            <h2 class="card__title">
                <a href="<?= url('tea', ['slug' => $tea->slug]) ?>"><?= Escaper::html($tea->name) ?></a>
            </h2>
            <?php price_tag($tea) ?>
            <?php if ($tea->rating !== null) { echo '<b class="rating">' . stars($tea->rating) . '</b>'; } ?>
            <p class="card__notes">
                <?php switch ($tea->kind): ?>
<?php case Tea::GREEN: ?>
                        Steamed or pan-fired.
                    <?php break; ?>
                    <?php case Tea::BLACK: ?>
                        Fully oxidised.
                    <?php break; ?>
                    <?php default: ?>
                        <?= Escaper::html($tea->notes) ?>
                <?php endswitch; ?>
            </p>
            <button class="button" type="button" onclick="addToCart(<?= $tea->id ?>, 100)">Add</button>
        </li>
    <?php
            if (++$index % $columns === 0):
                ?><li class="row-break" aria-hidden="true"></li><?php
            endif;
        endforeach;
    ?>
    </ul>
<?php endif; ?>

    <nav class="pages" aria-label="Pages">
        <?php for ($n = 1; $n <= $pager->count(); $n++): ?>
            <a href="?page=<?= $n ?>"<?php if ($n === $pager->page) echo ' aria-current="page"' ?>><?= $n ?></a>
        <?php endfor; ?>
    </nav>

    <section id="newsletter">
        <?php while ($note = array_shift($notes)): ?>
            <article class="note"><?= $note /* "?>" here ends nothing */ ?></article>
        <?php endwhile ?>
        <?php
        echo <<<HTML
            <div class="heredoc" id="not-an-element">
                {$title} ?> still text
            </div>
            HTML;
        ?>
    </section>
</main>

<?php
abstract class Widget
{
    public function __construct(protected readonly string $name, private array $options = [])
    {
    }

    abstract protected function body(): void;

    final public function render(): void
    {
        ?>
        <aside class="widget widget--<?= $this->name ?>" id="widget">
            <h3><?= Escaper::html($this->options['title'] ?? $this->name) ?></h3>
            <?php $this->body() ?>
        </aside>
        <?php
    }
}

final class Weather extends Widget
{
    private const UNIT = '°C';

    protected function body(): void
    {
        $degrees = file_get_contents('/var/weather.txt');
        ?>
        <p class="weather" id="weather"><?= trim($degrees) . self::UNIT ?></p>
        <?php
    }
}

(new Weather('weather', ['title' => 'In Uji now']))->render();
?>

<?php
/**
 * Writes the form for a review.
 *
 * @param array<string, string> $old what was written before
 */
function review_form(Tea $tea, array $old = []): void
{
    ?>
    <form id="review-form" class="review-form" method="post" action="<?= url('review', ['id' => $tea->id]) ?>">
        <fieldset>
            <legend>What do you think of <?= Escaper::html($tea->name) ?>?</legend>
            <label for="review-text">Text</label>
            <textarea id="review-text" name="text" rows="4"><?= Escaper::html($old['text'] ?? '') ?></textarea>
            <?php for ($star = 1; $star <= 5; $star++) { ?>
                <label><input type="radio" name="stars" value="<?= $star ?>"<?= $star === (int) ($old['stars'] ?? 0) ? ' checked' : '' ?>> <?= stars($star) ?></label>
            <?php } ?>
        </fieldset>
        <button class="button button--primary" type="submit" onclick="return confirmReview(this.form)">Send</button>
    </form>
    <?php
}

foreach ($pager->current() as $tea) {
    if ($tea->mayBeReviewedBy($user)) {
        review_form($tea, $_POST);
    }
}
?>

<dialog id="confirm" class="dialog" aria-labelledby="confirm-title">
    <h2 id="confirm-title">Sure?</h2>
    <menu>
        <li><button class="button" value="no">No</button></li>
        <li><button class="button" value="yes">Yes</button></li>
    </menu>
</dialog>

<?php
/** What a page knows of the teas that go with another one. */
interface Pairing
{
    public function with(Tea $tea): iterable;
}

$pairing = new class($teas) implements Pairing {
    public function __construct(private readonly array $teas)
    {
    }

    public function with(Tea $tea): iterable
    {
        foreach ($this->teas as $slug => $other) {
            if ($other !== $tea && $other->kind === $tea->kind) {
                yield $slug => $other;
            }
        }
    }
};

list('first' => $first, 'second' => [$second]) = $pairing->with($teas[0]);
?>
<section id="pairing" class="pairing">
    <?= $first->name . ' ' . $second->name ?>
    <?php foreach ($pairing->with($first) as ['name' => $name, 'price' => $price]): ?>
        <p><?= "{$name}: {$price}" ?></p>
    <?php endforeach; ?>
</section>

<footer class="footer">
    <?php // one line only ?>
    <p>© <?= date('Y') ?> Teahouse<?php # and this ?></p>
    <?php include __DIR__ . '/partials/' . $footer . '.php' ?>
</footer>
<script type="module">
    import { start } from '/js/app.js';

    class Shelf {
        #element = document.querySelector('#shelf');

        constructor(options) {
            this.options = options;
        }

        /** Lets a tea blink. 光らせる。 */
        highlight(id) {
            this.#element.querySelector(`#tea-${id}`)?.classList.add('is-new');
        }
    }

    start(new Shelf(<?= json_encode([
        'columns' => $columns,
        'locale' => $lang,
    ]) ?>));

    function confirmReview(form) {
        const dialog = document.getElementById('confirm');
        dialog.showModal();
        return form.elements.stars.value > <?= $minimum ?>;
    }

    window.confirmReview = confirmReview;
</script>
<noscript>
    <p class="notice">Without scripts the cart stays empty.</p>
</noscript>
</body>
</html>
