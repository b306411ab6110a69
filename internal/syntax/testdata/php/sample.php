<!DOCTYPE html>
<?php
/**
 * Pages of a small wiki.
 */

declare(strict_types=1);

namespace Wiki\Pages;

use PDO;
use Wiki\Store\{Store, Cache as FastCache};
use function Wiki\Text\render;
use const Wiki\LIMIT;
use Psr\Log\LoggerInterface as Logger;

require_once __DIR__ . '/bootstrap.php';
include 'config.php';

const VERSION = '1.2';
define('WIKI_ROOT', dirname(__FILE__));

/** What can be shown. */
interface Viewable extends \JsonSerializable
{
    public const FORMAT = 'html';
    public function show(array $options = []): string;
}

trait Timestamps
{
    protected ?\DateTimeImmutable $changed = null;

    public function touch(): static
    {
        $this->changed = new \DateTimeImmutable();
        return $this;
    }

    abstract public function id(): int;
}

/** State of a page. 状態。 */
enum State: string implements HasLabel
{
    case Draft = 'draft';
    case Live = 'live'; // 公開中

    const Default = self::Draft;

    public static function parse(string $text): self
    {
        return self::from(strtolower($text));
    }

    public function label(): string
    {
        return match ($this) {
            self::Draft => 'Draft',
            State::Live => ucfirst($this->value),
        };
    }
}

/**
 * A page.
 *
 * @property string $title
 */
#[Entity(table: 'pages')]
final class Page extends Base implements Viewable, \Countable
{
    use Timestamps;
    use Loggable, Cached {
        Loggable::log insteadof Cached;
        Cached::log as protected cacheLog;
    }

    private const MAX = 10, MIN = 1;
    public static int $count = 0;
    /** @var string[] */
    private array $tags = [], $links;
    protected readonly string $body;

    public function __construct(
        private PDO $db,
        protected readonly string $title,
        public ?Logger $log = null,
        int $depth = self::MAX,
    ) {
        parent::__construct($title);
        $this->depth = $depth;
        self::$count++;
        static::boot();
    }

    public function show(array $options = []): string
    {
        $html = '';
        foreach ($this->tags as $i => $tag) {
            $html .= render($tag, $options['class'] ?? 'tag');
        }
        [$first, 'rest' => $rest] = $this->split($html);
        list($a, $b) = [1, 2];
        $this->log?->info("shown {$this->title} as $first", ['a' => $a + $b]);
        if ($rest instanceof FastCache) {
            $rest->put(key: $first, value: $html);
        }
        $text = <<<HTML
            <h1>{$this->title}</h1>
            $html
            HTML;
        return $text . Store::VERSION . namespace\helper($rest);
    }

    public function count(): int { return count($this->tags); }

    private function load(int $id): void
    {
        $upper = fn (string $s): string => strtoupper($s . $id);
        $save = function (Page $page) use ($id, &$upper): bool {
            return $this->db->exec("update pages set id = $id") > 0 && $upper($page->title);
        };
        try {
            $row = $this->db->query('select 1')->fetch(PDO::FETCH_ASSOC);
            static $calls = 0;
            $calls++;
            global $config;
            $this->tags[] = $row['tag'] . $config->name;
        } catch (\PDOException | StoreException $e) {
            throw new PageException($e->getMessage(), previous: $e);
        }
        $save($this);
        usort($this->tags, [$this, 'compare']);
        array_map('strtolower', $this->tags);
    }

    public static function find(int $id): ?static
    {
        throw new \BadMethodCallException('not implemented');
    }

    public function __get(string $name): mixed
    {
        return $this->{$name} ?? null;
    }
}

abstract class Base
{
    abstract protected function id(): int;
}

/** Shortens a text. */
function shorten(string $text, int &$length = 80, string ...$more): string
{
    if (mb_strlen($text) <= $length) {
        return $text;
    }
    $length = LIMIT;
    return mb_substr($text, 0, $length) . implode($more);
}

$page = Page::find((int) $_GET['id']) ?? new Page(new PDO('sqlite::memory:'), 'new');
$visitor = new class ($page) extends Base {
    public function __construct(private Page $page) {}
    protected function id(): int { return 1; }
};
if (!function_exists('e')) {
    function e($text) { return htmlspecialchars($text); }
}
?>
<html>
<body>
<h1><?= e($page->title) ?></h1>
<?php foreach ($page->tags() as $tag): ?>
  <li><?= shorten($tag) ?></li>
<?php endforeach; ?>
<p>おわり</p>
</body>
</html>
<?php
namespace Wiki\Search {

use ArrayAccess, Countable;
use Wiki\Pages\Page;

/** Weights of the fields; 重み。 */
enum Weight: int
{
    case Title = 8;
    case Heading = 4;
    case Body = 1;

    public const DEFAULT = self::Body;

    public static function of(?string $field): self
    {
        return match (true) {
            $field === null => self::DEFAULT,
            str_starts_with($field, 'h') => self::Heading,
            default => self::tryFrom(strlen($field)) ?? self::Body,
        };
    }
}

/**
 * An index of words.
 *
 * @template T of object
 * @implements ArrayAccess<string, list<T>>
 */
#[\AllowDynamicProperties]
final class Index implements ArrayAccess, Countable
{
    use Counts, Logs {
        Counts::reset insteadof Logs;
        Logs::write as protected log;
    }

    private static ?self $instance = null;

    /** @var array<string, array<int, float>> */
    private array $postings = [], $lengths = [];

    public int $size {
        get => count($this->lengths);
    }

    public private(set) string $name = 'index';

    private function __construct(
        private readonly \Closure $tokenise,
        protected int|float $boost = 1.5,
        ?\Psr\Log\LoggerInterface &$logger = null,
    ) {
        static $made = 0;
        $made++;
    }

    public static function instance(): static
    {
        return self::$instance ??= new static(self::words(...));
    }

    public function add(Page $page, Weight ...$weights): void
    {
        [$id, $text] = [$page->id(), $page->text];
        ['title' => $title, 'tags' => [$first, , $third]] = $page->meta;
        foreach (($this->tokenise)($text) as $position => ['word' => $word, 'field' => $field]) {
            $weight = Weight::of($field)->value;
            $this->postings[$word][$id] = ($this->postings[$word][$id] ?? 0.0) + $weight;
            if ($position > 10_000) {
                goto full;
            }
        }
        full:
        $this->lengths[$id] = \strlen($text) <=> mb_strlen($title);
        unset($first, $third);
    }

    /** @return \Generator<int, float> */
    public function search(string $query, int $limit = 10): \Generator
    {
        $scores = [];
        $rank = function (string $word) use (&$scores, $limit): int {
            foreach ($this->postings[$word] ?? [] as $id => $score) {
                $scores[$id] = ($scores[$id] ?? 0) + $score * $this->boost;
            }
            return $limit;
        };
        array_walk($words = self::words($query), $rank);
        arsort($scores);
        yield from array_slice($scores, 0, $limit, preserve_keys: true);
    }

    protected static function words(string $text): array
    {
        $pattern = <<<'REGEX'
            /\p{L}+/u
            REGEX;
        preg_match_all($pattern, mb_strtolower($text), $found);
        return array_map(static fn(string $word): array => compact('word') + ['field' => null], $found[0]);
    }

    public function offsetExists(mixed $offset): bool { return isset($this->postings[$offset]); }
    public function offsetGet(mixed $offset): mixed { return $this->postings[$offset] ?? throw new \OutOfBoundsException("no {$offset} in {$this->name}"); }
    public function offsetSet(mixed $offset, mixed $value): void {}
    public function offsetUnset(mixed $offset): void { unset($this->postings[$offset]); }
    public function count(): int { return $this->size; }

    public function __get(string $property)
    {
        return $this->{$property} ?? parent::$$property ?? null;
    }
}

function search(string $query): iterable
{
    global $settings;
    $class = Index::class;
    $index = $class::instance();
    try {
        return $index->search($query, limit: $settings['limit'] ?? \Wiki\LIMIT);
    } catch (\TypeError | \ValueError $error) {
        error_log($error?->getMessage());
        return [];
    } finally {
        $GLOBALS['searches'] = ($GLOBALS['searches'] ?? 0) + 1;
    }
}

}
