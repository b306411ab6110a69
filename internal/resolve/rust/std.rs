// What code is told of std: names, parameters and results of what is common, by which
// types are inferred. It is never compiled. Slice stands for [T] and arrays; Iter for all
// iterators that adapters make.

struct str; struct u8; struct u16; struct u32; struct u64; struct u128; struct usize; struct i8; struct i16; struct i32;
struct i64; struct i128; struct isize; struct f32; struct f64; struct bool; struct char;
struct Slice<T>;
struct String; struct OsString; struct OsStr; struct Path; struct PathBuf; struct CString; struct CStr;

trait Deref { type Target; fn deref(&self) -> &Self::Target; }
trait DerefMut { fn deref_mut(&mut self) -> &mut Self::Target; }
trait Index<I> { type Output; fn index(&self, i: I) -> &Self::Output; }
trait IndexMut<I> { fn index_mut(&mut self, i: I) -> &mut Self::Output; }
trait Everywhere {
    fn clone(&self) -> Self; fn to_owned(&self) -> Self; fn to_string(&self) -> String;
    fn borrow(&self) -> &Self; fn borrow_mut(&mut self) -> &mut Self; fn as_ref(&self) -> &Self; fn as_mut(&mut self) -> &mut Self;
    fn by_ref(&mut self) -> &mut Self; fn eq(&self, o: &Self) -> bool; fn ne(&self, o: &Self) -> bool;
    fn lt(&self, o: &Self) -> bool; fn gt(&self, o: &Self) -> bool; fn le(&self, o: &Self) -> bool; fn ge(&self, o: &Self) -> bool;
    fn cmp(&self, o: &Self) -> Ordering; fn partial_cmp(&self, o: &Self) -> Option<Ordering>;
    fn max(self, o: Self) -> Self; fn min(self, o: Self) -> Self; fn clamp(self, a: Self, b: Self) -> Self;
    fn hash<H>(&self, h: &mut H); fn into(self) -> Unknown; fn try_into(self) -> Unknown; fn type_id(&self) -> TypeId;
}
trait Clone { fn clone(&self) -> Self; fn clone_from(&mut self, o: &Self); } trait Copy {} trait Debug {} trait Display {}
trait Default { fn default() -> Self; } trait Eq {} trait Hash {}
trait PartialEq<T> { fn eq(&self, o: &T) -> bool; } trait PartialOrd<T> { fn partial_cmp(&self, o: &T) -> Option<Ordering>; }
trait Ord { fn cmp(&self, o: &Self) -> Ordering; }
trait From<T> { fn from(t: T) -> Self; } trait Into<T> { fn into(self) -> T; }
trait TryFrom<T> { type Error; fn try_from(t: T) -> Result<Self, Self::Error>; }
trait FromStr { type Err; fn from_str(s: &str) -> Result<Self, Self::Err>; }
trait FromIterator<A> { fn from_iter<T: IntoIterator<Item = A>>(i: T) -> Self; }
trait AsRef<T> { fn as_ref(&self) -> &T; } trait AsMut<T> { fn as_mut(&mut self) -> &mut T; }
trait Borrow<T> { fn borrow(&self) -> &T; } trait ToOwned { type Owned; fn to_owned(&self) -> Self::Owned; }
trait ToString { fn to_string(&self) -> String; }
trait Send {} trait Sync {} trait Sized {} trait Unpin {} trait Drop { fn drop(&mut self); }
trait Error { fn source(&self) -> Option<&dyn Error>; fn description(&self) -> &str; }
trait Add<R> { type Output; fn add(self, r: R) -> Self::Output; } trait Sub<R> { type Output; fn sub(self, r: R) -> Self::Output; }
trait Mul<R> { type Output; fn mul(self, r: R) -> Self::Output; } trait Div<R> { type Output; fn div(self, r: R) -> Self::Output; }
trait Write { fn write_str(&mut self, s: &str) -> Result<(), Error>; fn write_char(&mut self, c: char) -> Result<(), Error>;
    fn write_fmt(&mut self, a: Arguments) -> Result<(), Error>; fn write_all(&mut self, b: &[u8]) -> Result<(), Error>;
    fn write(&mut self, b: &[u8]) -> Result<usize, Error>; fn flush(&mut self) -> Result<(), Error>; }
trait Read { fn read(&mut self, b: &mut [u8]) -> Result<usize, Error>; fn read_to_string(&mut self, s: &mut String) -> Result<usize, Error>;
    fn read_to_end(&mut self, v: &mut Vec<u8>) -> Result<usize, Error>; fn read_exact(&mut self, b: &mut [u8]) -> Result<(), Error>; }
trait BufRead { fn lines(self) -> Iter<Result<String, Error>>; fn read_line(&mut self, s: &mut String) -> Result<usize, Error>; }
trait Hasher { fn finish(&self) -> u64; fn write(&mut self, b: &[u8]); }

enum Ordering { Less, Equal, Greater }
impl Ordering { fn reverse(self) -> Ordering; fn then(self, o: Ordering) -> Ordering; fn then_with<F: FnOnce() -> Ordering>(self, f: F) -> Ordering;
    fn is_eq(self) -> bool; fn is_lt(self) -> bool; fn is_gt(self) -> bool; fn is_le(self) -> bool; fn is_ge(self) -> bool; fn is_ne(self) -> bool; }

enum Option<T> { Some(T), None }
use Option::{Some, None};
impl<T> Option<T> {
    fn unwrap(self) -> T; fn expect(self, m: &str) -> T; fn unwrap_or(self, d: T) -> T; fn unwrap_or_default(self) -> T;
    fn unwrap_or_else<F: FnOnce() -> T>(self, f: F) -> T; fn unwrap_unchecked(self) -> T;
    fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Option<U>; fn and_then<U, F: FnOnce(T) -> Option<U>>(self, f: F) -> Option<U>;
    fn map_or<U, F: FnOnce(T) -> U>(self, d: U, f: F) -> U; fn map_or_else<U, D: FnOnce() -> U, F: FnOnce(T) -> U>(self, d: D, f: F) -> U;
    fn inspect<F: FnOnce(&T)>(self, f: F) -> Option<T>; fn is_some_and<F: FnOnce(T) -> bool>(self, f: F) -> bool;
    fn is_none_or<F: FnOnce(T) -> bool>(self, f: F) -> bool;
    fn ok_or<E>(self, e: E) -> Result<T, E>; fn ok_or_else<E, F: FnOnce() -> E>(self, f: F) -> Result<T, E>;
    fn filter<P: FnOnce(&T) -> bool>(self, p: P) -> Option<T>; fn or(self, o: Option<T>) -> Option<T>;
    fn or_else<F: FnOnce() -> Option<T>>(self, f: F) -> Option<T>; fn xor(self, o: Option<T>) -> Option<T>; fn and<U>(self, o: Option<U>) -> Option<U>;
    fn as_ref(&self) -> Option<&T>; fn as_mut(&mut self) -> Option<&mut T>; fn as_deref(&self) -> Option<T>; fn as_deref_mut(&mut self) -> Option<T>;
    fn take(&mut self) -> Option<T>; fn replace(&mut self, t: T) -> Option<T>; fn insert(&mut self, t: T) -> &mut T;
    fn get_or_insert(&mut self, t: T) -> &mut T; fn get_or_insert_with<F: FnOnce() -> T>(&mut self, f: F) -> &mut T;
    fn cloned(self) -> Option<T>; fn copied(self) -> Option<T>; fn clone(&self) -> Option<T>; fn is_some(&self) -> bool; fn is_none(&self) -> bool;
    fn iter(&self) -> Iter<T>; fn iter_mut(&mut self) -> Iter<T>; fn into_iter(self) -> Iter<T>; fn zip<U>(self, o: Option<U>) -> Option<(T, U)>;
    fn unzip(self) -> Unknown; fn flatten(self) -> T; fn transpose(self) -> Unknown;
}
impl<T> IntoIterator for Option<T> { type Item = T; }
enum Result<T, E> { Ok(T), Err(E) }
use Result::{Ok, Err};
impl<T, E> Result<T, E> {
    fn unwrap(self) -> T; fn expect(self, m: &str) -> T; fn unwrap_or(self, d: T) -> T; fn unwrap_or_default(self) -> T;
    fn unwrap_or_else<F: FnOnce(E) -> T>(self, f: F) -> T; fn unwrap_err(self) -> E; fn expect_err(self, m: &str) -> E;
    fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Result<U, E>; fn map_err<O, F: FnOnce(E) -> O>(self, f: F) -> Result<T, O>;
    fn map_or<U, F: FnOnce(T) -> U>(self, d: U, f: F) -> U; fn map_or_else<U, D: FnOnce(E) -> U, F: FnOnce(T) -> U>(self, d: D, f: F) -> U;
    fn and_then<U, F: FnOnce(T) -> Result<U, E>>(self, f: F) -> Result<U, E>; fn or_else<O, F: FnOnce(E) -> Result<T, O>>(self, f: F) -> Result<T, O>;
    fn ok(self) -> Option<T>; fn err(self) -> Option<E>; fn is_ok(&self) -> bool; fn is_err(&self) -> bool;
    fn is_ok_and<F: FnOnce(T) -> bool>(self, f: F) -> bool; fn is_err_and<F: FnOnce(E) -> bool>(self, f: F) -> bool;
    fn as_ref(&self) -> Result<&T, &E>; fn as_mut(&mut self) -> Result<&mut T, &mut E>; fn iter(&self) -> Iter<T>; fn into_iter(self) -> Iter<T>;
    fn or(self, o: Result<T, E>) -> Result<T, E>; fn and<U>(self, o: Result<U, E>) -> Result<U, E>; fn cloned(self) -> Result<T, E>;
    fn copied(self) -> Result<T, E>; fn clone(&self) -> Result<T, E>; fn inspect_err<F: FnOnce(&E)>(self, f: F) -> Result<T, E>; fn transpose(self) -> Unknown;
}
impl<T, E> IntoIterator for Result<T, E> { type Item = T; }

struct Box<T>; struct Rc<T>; struct Arc<T>; struct Cow<T>; struct Pin<T>; struct Ref<T>; struct RefMut<T>; struct MutexGuard<T>;
struct RwLockReadGuard<T>; struct RwLockWriteGuard<T>; struct Weak<T>; struct Cell<T>; struct RefCell<T>; struct Mutex<T>; struct RwLock<T>;
struct OnceCell<T>; struct OnceLock<T>; struct LazyLock<T>; struct LazyCell<T>; struct ManuallyDrop<T>; struct Wrapping<T>; struct PhantomData<T>;
struct NonNull<T>; struct Reverse<T>;
impl<T> Deref for Box<T> { type Target = T; } impl<T> Deref for Rc<T> { type Target = T; } impl<T> Deref for Arc<T> { type Target = T; }
impl<T> Deref for Cow<T> { type Target = T; } impl<T> Deref for Pin<T> { type Target = T; } impl<T> Deref for Ref<T> { type Target = T; }
impl<T> Deref for RefMut<T> { type Target = T; } impl<T> Deref for MutexGuard<T> { type Target = T; } impl<T> Deref for LazyLock<T> { type Target = T; }
impl<T> Deref for LazyCell<T> { type Target = T; } impl<T> Deref for ManuallyDrop<T> { type Target = T; }
impl<T> Deref for RwLockReadGuard<T> { type Target = T; } impl<T> Deref for RwLockWriteGuard<T> { type Target = T; }
impl<T> Box<T> { fn new(t: T) -> Box<T>; fn pin(t: T) -> Pin<Box<T>>; fn clone(&self) -> Box<T>; fn into_inner(b: Box<T>) -> T; fn leak(b: Box<T>) -> &mut T; fn as_ref(&self) -> &T; fn as_mut(&mut self) -> &mut T; fn from(t: T) -> Box<T>; }
impl<T> Rc<T> { fn new(t: T) -> Rc<T>; fn clone(&self) -> Rc<T>; fn downgrade(r: &Rc<T>) -> Weak<T>; fn ptr_eq(a: &Rc<T>, b: &Rc<T>) -> bool; fn get_mut(r: &mut Rc<T>) -> Option<&mut T>; fn make_mut(r: &mut Rc<T>) -> &mut T; fn try_unwrap(r: Rc<T>) -> Result<T, Rc<T>>; fn as_ref(&self) -> &T; fn from(t: T) -> Rc<T>; }
impl<T> Arc<T> { fn new(t: T) -> Arc<T>; fn clone(&self) -> Arc<T>; fn downgrade(r: &Arc<T>) -> Weak<T>; fn ptr_eq(a: &Arc<T>, b: &Arc<T>) -> bool; fn get_mut(r: &mut Arc<T>) -> Option<&mut T>; fn make_mut(r: &mut Arc<T>) -> &mut T; fn try_unwrap(r: Arc<T>) -> Result<T, Arc<T>>; fn as_ref(&self) -> &T; fn from(t: T) -> Arc<T>; }
impl<T> Weak<T> { fn upgrade(&self) -> Option<Rc<T>>; fn new() -> Weak<T>; fn clone(&self) -> Weak<T>; }
impl<T> Cow<T> { fn into_owned(self) -> Unknown; fn to_mut(&mut self) -> &mut T; fn clone(&self) -> Cow<T>; fn is_empty(&self) -> bool; fn len(&self) -> usize; }
enum CowParts { Borrowed, Owned }
impl<T> Pin<T> { fn as_mut(&mut self) -> Pin<T>; fn get_mut(self) -> T; fn new(t: T) -> Pin<T>; }
impl<T> Cell<T> { fn new(t: T) -> Cell<T>; fn get(&self) -> T; fn set(&self, t: T); fn take(&self) -> T; fn replace(&self, t: T) -> T; }
impl<T> RefCell<T> { fn new(t: T) -> RefCell<T>; fn borrow(&self) -> Ref<T>; fn borrow_mut(&self) -> RefMut<T>; fn into_inner(self) -> T; fn replace(&self, t: T) -> T; fn take(&self) -> T; fn get_mut(&mut self) -> &mut T; }
impl<T> Mutex<T> { fn new(t: T) -> Mutex<T>; fn lock(&self) -> Result<MutexGuard<T>, Unknown>; fn try_lock(&self) -> Result<MutexGuard<T>, Unknown>; fn into_inner(self) -> Result<T, Unknown>; fn get_mut(&mut self) -> Result<&mut T, Unknown>; }
impl<T> RwLock<T> { fn new(t: T) -> RwLock<T>; fn read(&self) -> Result<RwLockReadGuard<T>, Unknown>; fn write(&self) -> Result<RwLockWriteGuard<T>, Unknown>; fn into_inner(self) -> Result<T, Unknown>; }
impl<T> OnceCell<T> { fn new() -> OnceCell<T>; fn get(&self) -> Option<&T>; fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T; fn set(&self, t: T) -> Result<(), T>; }
impl<T> OnceLock<T> { fn new() -> OnceLock<T>; fn get(&self) -> Option<&T>; fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T; fn set(&self, t: T) -> Result<(), T>; }
impl<T> LazyLock<T> { fn new<F: FnOnce() -> T>(f: F) -> LazyLock<T>; }
struct Future<T>; impl<T> FutureOutput for Future<T> { type Output = T; }

struct Vec<T>; struct VecDeque<T>; struct HashSet<T>; struct BTreeSet<T>; struct BinaryHeap<T>; struct LinkedList<T>;
struct HashMap<K, V>; struct BTreeMap<K, V>; struct Entry<K, V>; struct OccupiedEntry<K, V>; struct VacantEntry<K, V>;
impl<T> Deref for Vec<T> { type Target = [T]; }
impl Deref for String { type Target = str; } impl Deref for PathBuf { type Target = Path; } impl Deref for OsString { type Target = OsStr; }
impl<T> IntoIterator for Vec<T> { type Item = T; } impl<T> IntoIterator for Slice<T> { type Item = T; }
impl<T> IntoIterator for VecDeque<T> { type Item = T; } impl<T> IntoIterator for HashSet<T> { type Item = T; }
impl<T> IntoIterator for BTreeSet<T> { type Item = T; } impl<T> IntoIterator for BinaryHeap<T> { type Item = T; }
impl<T> IntoIterator for LinkedList<T> { type Item = T; }
impl<K, V> IntoIterator for HashMap<K, V> { type Item = (K, V); } impl<K, V> IntoIterator for BTreeMap<K, V> { type Item = (K, V); }
impl<T> Index<usize> for Vec<T> { type Output = T; fn index(&self, i: usize) -> &T; } impl<T> Index<usize> for Slice<T> { type Output = T; fn index(&self, i: usize) -> &T; }
impl<T> Index<usize> for VecDeque<T> { type Output = T; fn index(&self, i: usize) -> &T; }
impl<K, V> Index<K> for HashMap<K, V> { type Output = V; fn index(&self, k: K) -> &V; } impl<K, V> Index<K> for BTreeMap<K, V> { type Output = V; fn index(&self, k: K) -> &V; }
impl<T> Slice<T> {
    fn iter(&self) -> Iter<T>; fn iter_mut(&mut self) -> Iter<T>; fn into_iter(self) -> Iter<T>; fn len(&self) -> usize; fn is_empty(&self) -> bool;
    fn first(&self) -> Option<&T>; fn last(&self) -> Option<&T>; fn first_mut(&mut self) -> Option<&mut T>; fn last_mut(&mut self) -> Option<&mut T>;
    fn get(&self, i: usize) -> Option<&T>; fn get_mut(&mut self, i: usize) -> Option<&mut T>; fn get_unchecked(&self, i: usize) -> &T; fn get_unchecked_mut(&mut self, i: usize) -> &mut T;
    fn to_vec(&self) -> Vec<T>; fn into_vec(self) -> Vec<T>; fn into_boxed_slice(self) -> Box<[T]>; fn contains(&self, t: &T) -> bool; fn swap(&mut self, a: usize, b: usize); fn reverse(&mut self); fn fill(&mut self, t: T);
    fn sort(&mut self); fn sort_unstable(&mut self); fn sort_by<F: FnMut(&T, &T) -> Ordering>(&mut self, f: F); fn sort_unstable_by<F: FnMut(&T, &T) -> Ordering>(&mut self, f: F);
    fn sort_by_key<K, F: FnMut(&T) -> K>(&mut self, f: F); fn sort_unstable_by_key<K, F: FnMut(&T) -> K>(&mut self, f: F); fn sort_by_cached_key<K, F: FnMut(&T) -> K>(&mut self, f: F);
    fn binary_search(&self, t: &T) -> Result<usize, usize>; fn binary_search_by<F: FnMut(&T) -> Ordering>(&self, f: F) -> Result<usize, usize>;
    fn binary_search_by_key<K, F: FnMut(&T) -> K>(&self, k: &K, f: F) -> Result<usize, usize>; fn partition_point<P: FnMut(&T) -> bool>(&self, p: P) -> usize;
    fn windows(&self, n: usize) -> Iter<[T]>; fn chunks(&self, n: usize) -> Iter<[T]>; fn chunks_exact(&self, n: usize) -> Iter<[T]>; fn chunks_mut(&mut self, n: usize) -> Iter<[T]>;
    fn split_at(&self, i: usize) -> ([T], [T]); fn split_at_mut(&mut self, i: usize) -> ([T], [T]); fn split_first(&self) -> Option<(&T, &[T])>; fn split_last(&self) -> Option<(&T, &[T])>;
    fn split<P: FnMut(&T) -> bool>(&self, p: P) -> Iter<[T]>; fn starts_with(&self, s: &[T]) -> bool; fn ends_with(&self, s: &[T]) -> bool; fn copy_from_slice(&mut self, s: &[T]);
    fn clone_from_slice(&mut self, s: &[T]); fn concat(&self) -> T; fn join<S>(&self, s: S) -> String; fn as_ptr(&self) -> &T; fn as_slice(&self) -> &[T]; fn as_mut_slice(&mut self) -> &mut [T];
    fn map<U, F: FnMut(T) -> U>(self, f: F) -> [U]; fn eq_ignore_ascii_case(&self, o: &[T]) -> bool; fn iter_any(&self); fn to_owned(&self) -> Vec<T>; fn as_ref(&self) -> &[T]; fn as_mut(&mut self) -> &mut [T]; fn rotate_left(&mut self, n: usize); fn rotate_right(&mut self, n: usize); fn is_ascii(&self) -> bool; fn to_ascii_lowercase(&self) -> Vec<T>; fn copy_within(&mut self); fn strip_prefix(&self, s: &[T]) -> Option<&[T]>; fn strip_suffix(&self, s: &[T]) -> Option<&[T]>;
}
impl<T> Vec<T> {
    fn new() -> Vec<T>; fn with_capacity(n: usize) -> Vec<T>; fn from(s: Slice<T>) -> Vec<T>; fn push(&mut self, t: T); fn pop(&mut self) -> Option<T>; fn insert(&mut self, i: usize, t: T); fn remove(&mut self, i: usize) -> T; fn swap_remove(&mut self, i: usize) -> T;
    fn extend<I: IntoIterator<Item = T>>(&mut self, i: I); fn extend_from_slice(&mut self, s: &[T]); fn append(&mut self, v: &mut Vec<T>); fn clear(&mut self); fn truncate(&mut self, n: usize); fn retain<F: FnMut(&T) -> bool>(&mut self, f: F); fn retain_mut<F: FnMut(&mut T) -> bool>(&mut self, f: F); fn drain<R>(&mut self, r: R) -> Iter<T>; fn reserve(&mut self, n: usize); fn capacity(&self) -> usize; fn shrink_to_fit(&mut self); fn dedup(&mut self); fn dedup_by_key<K, F: FnMut(&mut T) -> K>(&mut self, f: F); fn dedup_by<F: FnMut(&mut T, &mut T) -> bool>(&mut self, f: F); fn split_off(&mut self, i: usize) -> Vec<T>; fn splice<R, I>(&mut self, r: R, i: I) -> Iter<T>; fn resize(&mut self, n: usize, t: T); fn clone(&self) -> Vec<T>; fn into_boxed_slice(self) -> Box<[T]>; fn leak(self) -> &mut [T]; fn set_len(&mut self, n: usize); fn from_iter<I>(i: I) -> Vec<T>; fn default() -> Vec<T>;
}
impl<T> VecDeque<T> {
    fn new() -> VecDeque<T>; fn with_capacity(n: usize) -> VecDeque<T>; fn push_back(&mut self, t: T); fn push_front(&mut self, t: T); fn pop_back(&mut self) -> Option<T>; fn pop_front(&mut self) -> Option<T>; fn front(&self) -> Option<&T>; fn back(&self) -> Option<&T>; fn front_mut(&mut self) -> Option<&mut T>; fn back_mut(&mut self) -> Option<&mut T>; fn iter(&self) -> Iter<T>; fn iter_mut(&mut self) -> Iter<T>; fn into_iter(self) -> Iter<T>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn get(&self, i: usize) -> Option<&T>; fn get_mut(&mut self, i: usize) -> Option<&mut T>; fn extend<I>(&mut self, i: I); fn clear(&mut self); fn drain<R>(&mut self, r: R) -> Iter<T>; fn remove(&mut self, i: usize) -> Option<T>; fn contains(&self, t: &T) -> bool; fn reserve(&mut self, n: usize);
}
impl<T> HashSet<T> { fn new() -> HashSet<T>; fn with_capacity(n: usize) -> HashSet<T>; fn insert(&mut self, t: T) -> bool; fn contains<Q>(&self, t: &Q) -> bool; fn remove<Q>(&mut self, t: &Q) -> bool; fn get<Q>(&self, t: &Q) -> Option<&T>; fn iter(&self) -> Iter<T>; fn into_iter(self) -> Iter<T>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn extend<I>(&mut self, i: I); fn drain(&mut self) -> Iter<T>; fn clear(&mut self); fn union(&self, o: &HashSet<T>) -> Iter<T>; fn intersection(&self, o: &HashSet<T>) -> Iter<T>; fn difference(&self, o: &HashSet<T>) -> Iter<T>; fn retain<F: FnMut(&T) -> bool>(&mut self, f: F); fn is_subset(&self, o: &HashSet<T>) -> bool; fn take<Q>(&mut self, t: &Q) -> Option<T>; fn replace(&mut self, t: T) -> Option<T>; fn default() -> HashSet<T>; fn from_iter<I>(i: I) -> HashSet<T>; }
impl<T> BTreeSet<T> { fn new() -> BTreeSet<T>; fn insert(&mut self, t: T) -> bool; fn contains<Q>(&self, t: &Q) -> bool; fn remove<Q>(&mut self, t: &Q) -> bool; fn iter(&self) -> Iter<T>; fn into_iter(self) -> Iter<T>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn first(&self) -> Option<&T>; fn last(&self) -> Option<&T>; fn range<R>(&self, r: R) -> Iter<T>; fn extend<I>(&mut self, i: I); fn pop_first(&mut self) -> Option<T>; fn clear(&mut self); fn get<Q>(&self, t: &Q) -> Option<&T>; }
impl<T> BinaryHeap<T> { fn new() -> BinaryHeap<T>; fn with_capacity(n: usize) -> BinaryHeap<T>; fn push(&mut self, t: T); fn pop(&mut self) -> Option<T>; fn peek(&self) -> Option<&T>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn into_sorted_vec(self) -> Vec<T>; fn into_vec(self) -> Vec<T>; fn iter(&self) -> Iter<T>; fn clear(&mut self); fn extend<I>(&mut self, i: I); }
impl<K, V> HashMap<K, V> {
    fn new() -> HashMap<K, V>; fn with_capacity(n: usize) -> HashMap<K, V>; fn insert(&mut self, k: K, v: V) -> Option<V>; fn get<Q>(&self, k: &Q) -> Option<&V>; fn get_mut<Q>(&mut self, k: &Q) -> Option<&mut V>; fn get_key_value<Q>(&self, k: &Q) -> Option<(&K, &V)>; fn remove<Q>(&mut self, k: &Q) -> Option<V>; fn remove_entry<Q>(&mut self, k: &Q) -> Option<(K, V)>; fn contains_key<Q>(&self, k: &Q) -> bool; fn entry(&mut self, k: K) -> Entry<K, V>; fn iter(&self) -> Iter<(K, V)>; fn iter_mut(&mut self) -> Iter<(K, V)>; fn into_iter(self) -> Iter<(K, V)>; fn keys(&self) -> Iter<K>; fn values(&self) -> Iter<V>; fn values_mut(&mut self) -> Iter<V>; fn into_keys(self) -> Iter<K>; fn into_values(self) -> Iter<V>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn extend<I>(&mut self, i: I); fn drain(&mut self) -> Iter<(K, V)>; fn clear(&mut self); fn retain<F: FnMut(&K, &mut V) -> bool>(&mut self, f: F); fn default() -> HashMap<K, V>; fn from_iter<I>(i: I) -> HashMap<K, V>; fn reserve(&mut self, n: usize); fn clone(&self) -> HashMap<K, V>;
}
impl<K, V> BTreeMap<K, V> {
    fn new() -> BTreeMap<K, V>; fn insert(&mut self, k: K, v: V) -> Option<V>; fn get<Q>(&self, k: &Q) -> Option<&V>; fn get_mut<Q>(&mut self, k: &Q) -> Option<&mut V>; fn get_key_value<Q>(&self, k: &Q) -> Option<(&K, &V)>; fn remove<Q>(&mut self, k: &Q) -> Option<V>; fn contains_key<Q>(&self, k: &Q) -> bool; fn entry(&mut self, k: K) -> Entry<K, V>; fn iter(&self) -> Iter<(K, V)>; fn iter_mut(&mut self) -> Iter<(K, V)>; fn into_iter(self) -> Iter<(K, V)>; fn keys(&self) -> Iter<K>; fn values(&self) -> Iter<V>; fn values_mut(&mut self) -> Iter<V>; fn into_keys(self) -> Iter<K>; fn into_values(self) -> Iter<V>; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn extend<I>(&mut self, i: I); fn range<R>(&self, r: R) -> Iter<(K, V)>; fn first_key_value(&self) -> Option<(&K, &V)>; fn last_key_value(&self) -> Option<(&K, &V)>; fn clear(&mut self); fn retain<F: FnMut(&K, &mut V) -> bool>(&mut self, f: F); fn default() -> BTreeMap<K, V>; fn pop_first(&mut self) -> Option<(K, V)>; fn clone(&self) -> BTreeMap<K, V>;
}
enum EntryParts<K, V> { Occupied(OccupiedEntry<K, V>), Vacant(VacantEntry<K, V>) }
impl<K, V> Entry<K, V> { fn or_insert(self, v: V) -> &mut V; fn or_insert_with<F: FnOnce() -> V>(self, f: F) -> &mut V; fn or_default(self) -> &mut V; fn and_modify<F: FnOnce(&mut V)>(self, f: F) -> Entry<K, V>; fn key(&self) -> &K; }
impl<K, V> OccupiedEntry<K, V> { fn get(&self) -> &V; fn get_mut(&mut self) -> &mut V; fn into_mut(self) -> &mut V; fn insert(&mut self, v: V) -> V; fn remove(self) -> V; fn key(&self) -> &K; }
impl<K, V> VacantEntry<K, V> { fn insert(self, v: V) -> &mut V; fn key(&self) -> &K; }

trait IntoIterator { type Item; type IntoIter; fn into_iter(self) -> Iter<Self::Item>; }
trait Iterator {
    type Item;
    fn next(&mut self) -> Option<Self::Item>; fn nth(&mut self, n: usize) -> Option<Self::Item>; fn last(self) -> Option<Self::Item>; fn count(self) -> usize; fn into_iter(self) -> Self; fn by_ref(&mut self) -> &mut Self; fn size_hint(&self) -> (usize, Option<usize>);
    fn map<B, F: FnMut(Self::Item) -> B>(self, f: F) -> Iter<B>; fn filter<P: FnMut(&Self::Item) -> bool>(self, p: P) -> Iter<Self::Item>; fn filter_map<B, F: FnMut(Self::Item) -> Option<B>>(self, f: F) -> Iter<B>; fn flat_map<U, F: FnMut(Self::Item) -> U>(self, f: F) -> Iter<U::Item>; fn flatten(self) -> Iter<<Self::Item as IntoIterator>::Item>;
    fn for_each<F: FnMut(Self::Item)>(self, f: F); fn inspect<F: FnMut(&Self::Item)>(self, f: F) -> Iter<Self::Item>; fn enumerate(self) -> Iter<(usize, Self::Item)>; fn zip<U: IntoIterator>(self, o: U) -> Iter<(Self::Item, U::Item)>; fn chain<U>(self, o: U) -> Iter<Self::Item>; fn rev(self) -> Iter<Self::Item>; fn skip(self, n: usize) -> Iter<Self::Item>; fn take(self, n: usize) -> Iter<Self::Item>; fn step_by(self, n: usize) -> Iter<Self::Item>; fn cycle(self) -> Iter<Self::Item>; fn fuse(self) -> Iter<Self::Item>; fn peekable(self) -> Peekable<Self::Item>; fn cloned(self) -> Iter<Self::Item>; fn copied(self) -> Iter<Self::Item>;
    fn skip_while<P: FnMut(&Self::Item) -> bool>(self, p: P) -> Iter<Self::Item>; fn take_while<P: FnMut(&Self::Item) -> bool>(self, p: P) -> Iter<Self::Item>; fn map_while<B, P: FnMut(Self::Item) -> Option<B>>(self, p: P) -> Iter<B>; fn scan<S, B, F: FnMut(&mut S, Self::Item) -> Option<B>>(self, s: S, f: F) -> Iter<B>;
    fn find<P: FnMut(&Self::Item) -> bool>(&mut self, p: P) -> Option<Self::Item>; fn find_map<B, F: FnMut(Self::Item) -> Option<B>>(&mut self, f: F) -> Option<B>; fn position<P: FnMut(Self::Item) -> bool>(&mut self, p: P) -> Option<usize>; fn rposition<P: FnMut(Self::Item) -> bool>(&mut self, p: P) -> Option<usize>; fn any<P: FnMut(Self::Item) -> bool>(&mut self, p: P) -> bool; fn all<P: FnMut(Self::Item) -> bool>(&mut self, p: P) -> bool;
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, b: B, f: F) -> B; fn try_fold<B, R, F: FnMut(B, Self::Item) -> R>(&mut self, b: B, f: F) -> R; fn reduce<F: FnMut(Self::Item, Self::Item) -> Self::Item>(self, f: F) -> Option<Self::Item>; fn try_for_each<R, F: FnMut(Self::Item) -> R>(&mut self, f: F) -> R;
    fn max(self) -> Option<Self::Item>; fn min(self) -> Option<Self::Item>; fn max_by_key<K, F: FnMut(&Self::Item) -> K>(self, f: F) -> Option<Self::Item>; fn min_by_key<K, F: FnMut(&Self::Item) -> K>(self, f: F) -> Option<Self::Item>; fn max_by<F: FnMut(&Self::Item, &Self::Item) -> Ordering>(self, f: F) -> Option<Self::Item>; fn min_by<F: FnMut(&Self::Item, &Self::Item) -> Ordering>(self, f: F) -> Option<Self::Item>;
    fn partition<B, F: FnMut(&Self::Item) -> bool>(self, f: F) -> (B, B); fn unzip<A, B>(self) -> (A, B); fn collect<B>(self) -> B; fn sum<S>(self) -> S; fn product<S>(self) -> S; fn eq<I>(self, o: I) -> bool; fn next_back(&mut self) -> Option<Self::Item>; fn rfind<P: FnMut(&Self::Item) -> bool>(&mut self, p: P) -> Option<Self::Item>; fn len(&self) -> usize; fn nth_back(&mut self, n: usize) -> Option<Self::Item>; fn as_str(&self) -> &str; fn as_slice(&self) -> &[Self::Item];
}
trait DoubleEndedIterator { fn next_back(&mut self) -> Option<Self::Item>; fn rev(self) -> Iter<Self::Item>; }
trait ExactSizeIterator { fn len(&self) -> usize; }
struct Iter<T>; impl<T> Iterator for Iter<T> { type Item = T; }
impl<T> Iter<T> { fn clone(&self) -> Iter<T>; }
struct Peekable<T>; impl<T> Iterator for Peekable<T> { type Item = T; }
impl<T> Peekable<T> { fn peek(&mut self) -> Option<&T>; fn peek_mut(&mut self) -> Option<&mut T>; fn next_if<F: FnOnce(&T) -> bool>(&mut self, f: F) -> Option<T>; fn next_if_eq<R>(&mut self, r: &R) -> Option<T>; fn clone(&self) -> Peekable<T>; }
struct Range<T>; impl<T> Iterator for Range<T> { type Item = T; }
impl<T> Range<T> { fn contains(&self, t: &T) -> bool; fn is_empty(&self) -> bool; fn start(&self) -> &T; fn end(&self) -> &T; fn clone(&self) -> Range<T>; fn len(&self) -> usize; }
struct RangeInclusive<T>; struct Duration; struct Instant; struct SystemTime; struct TypeId; struct Arguments; struct Formatter;
impl Formatter { fn write_str(&mut self, s: &str) -> Result<(), Error>; fn write_char(&mut self, c: char) -> Result<(), Error>; fn write_fmt(&mut self, a: Arguments) -> Result<(), Error>; fn pad(&mut self, s: &str) -> Result<(), Error>; fn alternate(&self) -> bool; fn debug_struct(&mut self, n: &str) -> DebugStruct; fn debug_tuple(&mut self, n: &str) -> DebugStruct; fn debug_list(&mut self) -> DebugStruct; fn debug_map(&mut self) -> DebugStruct; fn debug_set(&mut self) -> DebugStruct; fn width(&self) -> Option<usize>; fn precision(&self) -> Option<usize>; }
struct DebugStruct; impl DebugStruct { fn field<N, V>(&mut self, n: N, v: V) -> &mut DebugStruct; fn entries<I>(&mut self, i: I) -> &mut DebugStruct; fn entry<N, V>(&mut self, n: N, v: V) -> &mut DebugStruct; fn finish(&mut self) -> Result<(), Error>; fn finish_non_exhaustive(&mut self) -> Result<(), Error>; }

impl str {
    fn len(&self) -> usize; fn is_empty(&self) -> bool; fn chars(&self) -> Iter<char>; fn bytes(&self) -> Iter<u8>; fn char_indices(&self) -> Iter<(usize, char)>; fn lines(&self) -> Iter<str>; fn as_bytes(&self) -> &[u8]; fn as_str(&self) -> &str; fn to_string(&self) -> String; fn to_owned(&self) -> String; fn into_string(self) -> String; fn as_ptr(&self) -> &u8; fn into_boxed_str(self) -> Box<str>;
    fn split<P>(&self, p: P) -> Iter<str>; fn rsplit<P>(&self, p: P) -> Iter<str>; fn splitn<P>(&self, n: usize, p: P) -> Iter<str>; fn rsplitn<P>(&self, n: usize, p: P) -> Iter<str>; fn split_whitespace(&self) -> Iter<str>; fn split_ascii_whitespace(&self) -> Iter<str>; fn split_terminator<P>(&self, p: P) -> Iter<str>; fn split_inclusive<P>(&self, p: P) -> Iter<str>; fn split_once<P>(&self, p: P) -> Option<(&str, &str)>; fn rsplit_once<P>(&self, p: P) -> Option<(&str, &str)>; fn split_at(&self, i: usize) -> (&str, &str); fn matches<P>(&self, p: P) -> Iter<str>; fn match_indices<P>(&self, p: P) -> Iter<(usize, str)>;
    fn trim(&self) -> &str; fn trim_start(&self) -> &str; fn trim_end(&self) -> &str; fn trim_matches<P>(&self, p: P) -> &str; fn trim_start_matches<P>(&self, p: P) -> &str; fn trim_end_matches<P>(&self, p: P) -> &str; fn strip_prefix<P>(&self, p: P) -> Option<&str>; fn strip_suffix<P>(&self, p: P) -> Option<&str>; fn starts_with<P>(&self, p: P) -> bool; fn ends_with<P>(&self, p: P) -> bool; fn contains<P>(&self, p: P) -> bool; fn find<P>(&self, p: P) -> Option<usize>; fn rfind<P>(&self, p: P) -> Option<usize>; fn get<I>(&self, i: I) -> Option<&str>; fn replace<P>(&self, p: P, s: &str) -> String; fn replacen<P>(&self, p: P, s: &str, n: usize) -> String; fn repeat(&self, n: usize) -> String; fn to_lowercase(&self) -> String; fn to_uppercase(&self) -> String; fn to_ascii_lowercase(&self) -> String; fn to_ascii_uppercase(&self) -> String; fn eq_ignore_ascii_case(&self, s: &str) -> bool; fn is_char_boundary(&self, i: usize) -> bool; fn parse<F>(&self) -> Result<F, Unknown>; fn is_ascii(&self) -> bool; fn escape_debug(&self) -> Iter<char>; fn escape_default(&self) -> Iter<char>; fn from_utf8(b: &[u8]) -> Result<&str, Error>; fn get_unchecked<I>(&self, i: I) -> &str; fn into(self) -> Unknown; fn as_ref(&self) -> &str;
}
impl String { fn new() -> String; fn from<T>(t: T) -> String; fn with_capacity(n: usize) -> String; fn push(&mut self, c: char); fn push_str(&mut self, s: &str); fn pop(&mut self) -> Option<char>; fn clear(&mut self); fn insert(&mut self, i: usize, c: char); fn insert_str(&mut self, i: usize, s: &str); fn remove(&mut self, i: usize) -> char; fn truncate(&mut self, n: usize); fn into_bytes(self) -> Vec<u8>; fn from_utf8(b: Vec<u8>) -> Result<String, Error>; fn from_utf8_lossy(b: &[u8]) -> Cow<str>; fn capacity(&self) -> usize; fn reserve(&mut self, n: usize); fn clone(&self) -> String; fn extend<I>(&mut self, i: I); fn retain<F: FnMut(char) -> bool>(&mut self, f: F); fn drain<R>(&mut self, r: R) -> Iter<char>; fn as_mut_str(&mut self) -> &mut str; fn from_iter<I>(i: I) -> String; fn write_str(&mut self, s: &str) -> Result<(), Error>; fn write_fmt(&mut self, a: Arguments) -> Result<(), Error>; fn write_char(&mut self, c: char) -> Result<(), Error>; fn split_off(&mut self, i: usize) -> String; fn replace_range<R>(&mut self, r: R, s: &str); fn default() -> String; }
impl char { fn is_alphabetic(self) -> bool; fn is_numeric(self) -> bool; fn is_alphanumeric(self) -> bool; fn is_whitespace(self) -> bool; fn is_uppercase(self) -> bool; fn is_lowercase(self) -> bool; fn is_ascii_digit(&self) -> bool; fn is_digit(self, r: u32) -> bool; fn to_digit(self, r: u32) -> Option<u32>; fn len_utf8(self) -> usize; fn is_control(self) -> bool; fn is_ascii(&self) -> bool; fn is_ascii_alphabetic(&self) -> bool; fn is_ascii_alphanumeric(&self) -> bool; fn is_ascii_punctuation(&self) -> bool; fn is_ascii_whitespace(&self) -> bool; fn is_ascii_hexdigit(&self) -> bool; fn is_ascii_uppercase(&self) -> bool; fn is_ascii_lowercase(&self) -> bool; fn to_ascii_lowercase(&self) -> char; fn to_ascii_uppercase(&self) -> char; fn to_lowercase(self) -> Iter<char>; fn to_uppercase(self) -> Iter<char>; fn encode_utf8(self, b: &mut [u8]) -> &mut str; fn from_u32(n: u32) -> Option<char>; fn from_digit(n: u32, r: u32) -> Option<char>; fn eq_ignore_ascii_case(&self, c: &char) -> bool; fn escape_debug(self) -> Iter<char>; fn escape_default(self) -> Iter<char>; fn escape_unicode(self) -> Iter<char>; fn from(n: u8) -> char; }
impl Path { fn new<S>(s: S) -> &Path; fn join<P>(&self, p: P) -> PathBuf; fn parent(&self) -> Option<&Path>; fn file_name(&self) -> Option<&OsStr>; fn file_stem(&self) -> Option<&OsStr>; fn extension(&self) -> Option<&OsStr>; fn to_path_buf(&self) -> PathBuf; fn to_str(&self) -> Option<&str>; fn to_string_lossy(&self) -> Cow<str>; fn exists(&self) -> bool; fn is_dir(&self) -> bool; fn is_file(&self) -> bool; fn is_absolute(&self) -> bool; fn components(&self) -> Iter<Component>; fn display(&self) -> Display; fn as_os_str(&self) -> &OsStr; fn strip_prefix<P>(&self, p: P) -> Result<&Path, Error>; fn starts_with<P>(&self, p: P) -> bool; fn ends_with<P>(&self, p: P) -> bool; fn with_extension<S>(&self, s: S) -> PathBuf; fn with_file_name<S>(&self, s: S) -> PathBuf; fn iter(&self) -> Iter<OsStr>; fn as_path(&self) -> &Path; fn canonicalize(&self) -> Result<PathBuf, Error>; fn metadata(&self) -> Result<Metadata, Error>; fn read_dir(&self) -> Result<Iter<Unknown>, Error>; fn ancestors(&self) -> Iter<Path>; fn to_owned(&self) -> PathBuf; fn has_root(&self) -> bool; }
impl PathBuf { fn new() -> PathBuf; fn from<T>(t: T) -> PathBuf; fn push<P>(&mut self, p: P); fn pop(&mut self) -> bool; fn clone(&self) -> PathBuf; fn set_extension<S>(&mut self, s: S) -> bool; fn into_os_string(self) -> OsString; fn set_file_name<S>(&mut self, s: S); }
impl OsStr { fn to_str(&self) -> Option<&str>; fn to_string_lossy(&self) -> Cow<str>; fn to_os_string(&self) -> OsString; fn len(&self) -> usize; fn is_empty(&self) -> bool; fn new<S>(s: S) -> &OsStr; }
struct Component; struct Metadata; struct DebugHelper;

mod mem { fn replace<T>(d: &mut T, s: T) -> T; fn take<T>(d: &mut T) -> T; fn swap<T>(a: &mut T, b: &mut T); fn drop<T>(t: T); fn size_of<T>() -> usize; fn forget<T>(t: T); }
mod iter { fn once<T>(t: T) -> Iter<T>; fn empty<T>() -> Iter<T>; fn repeat<T>(t: T) -> Iter<T>; fn repeat_with<T, F: FnMut() -> T>(f: F) -> Iter<T>; fn from_fn<T, F: FnMut() -> Option<T>>(f: F) -> Iter<T>; fn successors<T, F: FnMut(&T) -> Option<T>>(t: Option<T>, f: F) -> Iter<T>; fn zip<A: IntoIterator, B: IntoIterator>(a: A, b: B) -> Iter<(A::Item, B::Item)>; }
mod cmp { fn max<T>(a: T, b: T) -> T; fn min<T>(a: T, b: T) -> T; }
mod fs { fn read_to_string<P>(p: P) -> Result<String, Error>; fn read<P>(p: P) -> Result<Vec<u8>, Error>; }
fn drop<T>(t: T); fn std_unknown() -> Unknown;
