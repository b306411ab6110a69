//! A pool of workers that brew tea, each at its own pace.
//!
//! ```
//! let pool = Pool::<Kettle>::builder().build();
//! ```

#![warn(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

use std::{
    collections::{hash_map::{self, Entry}, BTreeSet, HashMap},
    fmt,
    ops::{Add, AddAssign, ControlFlow, Deref, Index, IndexMut, Neg},
    sync::{atomic::{AtomicUsize, Ordering::{self, *}}, Arc, Mutex},
};
use std::io::{self as stdio, Write as _};
pub(crate) use crate::leaf::{Leaf, Leaf as Blatt};
use super::clock::*;
use r#async::block_on;

#[path = "grind/mill.rs"]
pub mod mill;

/// Most workers of one pool.
pub const MAX_WORKERS: usize = 1 << 6;
const DEGREES: [f32; 3] = [60.0, 80.5, 1e2];
static STARTED: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static DEPTH: std::cell::Cell<u8> = const { std::cell::Cell::new(0) };
}

const SCRIPT: &str = r#"fn ghost() { struct Phantom; } // "quoted""#;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrewError {
    /// Too hot, by so much.
    #[error("too hot by {0}")]
    TooHot(#[from] HeatError),
    /// Nothing to drink.
    Empty { kettle: String, #[source] cause: Option<Box<dyn std::error::Error + Send + Sync>> },
    Closed = 0x10,
}

/// Result of brewing.
pub type Brewed<T, E = BrewError> = std::result::Result<T, E>;
type Callback<'a> = dyn for<'b> FnMut(&'b Leaf, usize) -> ControlFlow<()> + 'a;

/// Degrees of Celsius.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
#[repr(transparent)]
pub struct Celsius(pub f32);

pub struct Marker<T: ?Sized>(std::marker::PhantomData<fn() -> T>);

impl Add for Celsius {
    type Output = Self;

    #[inline]
    fn add(self, rhs: Self) -> Self::Output {
        Celsius(self.0 + rhs.0)
    }
}

impl AddAssign<f32> for Celsius {
    fn add_assign(&mut self, rhs: f32) { self.0 += rhs; }
}

impl Neg for &'_ Celsius {
    type Output = Celsius;
    fn neg(self) -> Celsius { Celsius(-self.0) }
}

impl From<Celsius> for f64 {
    fn from(Celsius(degrees): Celsius) -> f64 { degrees as f64 }
}

/// Whatever boils water.
pub trait Boiler: fmt::Debug + 'static
where
    Self::Heat: Into<Celsius>,
{
    /// How heat is told.
    type Heat: Copy + Default;
    type Cups<'a>: Iterator<Item = &'a str> where Self: 'a;
    const VOLUME: u32;

    fn heat(&mut self, to: Self::Heat) -> Brewed<()>;
    fn cups(&self) -> Self::Cups<'_>;

    /// Boils until it is hot.
    fn boil(&mut self) -> Brewed<Celsius> where Self: Sized {
        let heat = Self::Heat::default();
        self.heat(heat)?;
        Ok(heat.into())
    }
}

/// A kettle of any size.
#[derive(Debug)]
pub struct Kettle<const LITRES: usize = 2> {
    /// 名前。
    pub name: String,
    pub(super) level: f32,
    leaves: HashMap<u64, Leaf>, // by number
}

impl<const LITRES: usize> Boiler for Kettle<LITRES> {
    type Heat = Celsius;
    type Cups<'a> = std::slice::Iter<'a, &'a str>;
    const VOLUME: u32 = LITRES as u32 * 1_000;

    fn heat(&mut self, to: Celsius) -> Brewed<()> {
        if let Celsius(high @ 100.0..) = to {
            return Err(BrewError::TooHot(HeatError { by: high - 100.0, ..HeatError::default() }));
        }
        self.level -= to.0 / LITRES as f32;
        Ok(())
    }

    fn cups(&self) -> Self::Cups<'_> { unimplemented!() }
}

impl<const LITRES: usize> Index<u64> for Kettle<LITRES> {
    type Output = Leaf;
    fn index(&self, number: u64) -> &Leaf { &self.leaves[&number] }
}

/// Workers and what they wait for.
pub struct Pool<B, F = fn(&B) -> bool>
where
    B: Boiler,
    F: Fn(&B) -> bool + Send,
{
    boilers: Arc<Mutex<Vec<B>>>,
    accept: F,
    seen: BTreeSet<u64>,
    pub label: &'static str,
}

impl<B, F> Pool<B, F>
where
    B: Boiler + Send,
    F: Fn(&B) -> bool + Send + Clone,
{
    /// Makes a pool of what passes `accept`.
    ///
    /// # Panics
    ///
    /// When there are more than [`MAX_WORKERS`].
    #[must_use]
    pub fn new(boilers: Vec<B>, accept: F) -> Self {
        assert!(boilers.len() <= MAX_WORKERS, "too many: {}", boilers.len());
        STARTED.fetch_add(1, Relaxed);
        let boilers = Arc::new(Mutex::new(boilers));
        Self { boilers, accept, seen: BTreeSet::new(), label: "pool" }
    }

    pub async fn brew_all<'p, I>(&'p mut self, orders: I) -> Brewed<usize>
    where
        I: IntoIterator<Item = (u64, Leaf)>,
    {
        let mut brewed = 0usize;
        'orders: for (number, mut leaf) in orders {
            if !self.seen.insert(number) {
                continue 'orders;
            }
            let Some(boiler) = self.free().await else {
                break 'orders;
            };
            let degrees = match leaf.kind {
                Kind::Green | Kind::White => DEGREES[0],
                Kind::Oolong { roast: 0..=3, .. } => DEGREES[1],
                Kind::Oolong { roast, ref origin } if roast > 3 && !origin.is_empty() => {
                    let shade = roast as f32;
                    DEGREES[1] + shade
                }
                Kind::Black(strength) => 90.0 + f32::from(strength),
                _ => DEGREES[2],
            };
            leaf.steep(Celsius(degrees)).await?;
            brewed += 1;
            tracing::info!(%number, ?degrees, "brewed {} of {}", leaf.name, self.label);
            drop(boiler);
        }
        Ok(brewed)
    }

    async fn free(&self) -> Option<B> {
        let mut boilers = self.boilers.lock().unwrap();
        let at = boilers.iter().position(|boiler| (self.accept)(boiler))?;
        Some(boilers.swap_remove(at))
    }

    fn visit(&mut self, callback: &mut Callback<'_>) -> usize {
        let mut count = 0;
        let boilers = self.boilers.clone();
        let mut step = move |leaf: &Leaf| -> bool {
            count += 1;
            matches!(callback(leaf, count), ControlFlow::Continue(()))
        };
        while let Ok(guard) = boilers.lock() && count < 10 {
            let leaf = Leaf::default();
            if !step(&leaf) { break; }
            let count = guard.len(); // hides the outer one
            stdio::stdout().write_all(&[count as u8]).ok();
        }
        let total = { let count = count * 2; count };
        total
    }
}

impl Pool<Kettle<3>> {
    pub fn builder() -> PoolBuilder { PoolBuilder::default() }
}

impl<B: Boiler> Drop for Pool<B> {
    fn drop(&mut self) {
        // what is left boils over
        STARTED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Collects what a pool needs.
#[derive(Default)]
pub struct PoolBuilder { label: Option<&'static str>, size: usize }

impl PoolBuilder {
    pub fn label(mut self, label: &'static str) -> Self { self.label = Some(label); self }
    pub const fn size(self, size: usize) -> Self { Self { size, ..self } }
    pub fn build(self) -> Pool<Kettle<3>> { todo!() }
}

/// Bits of a status word.
#[repr(C)]
pub union Status {
    pub word: u32,
    parts: (u16, u16),
}

/// Adds up what it is given: `sum!(1, 2)`.
#[macro_export]
macro_rules! sum {
    () => { 0 };
    ($head:expr $(, $tail:expr)*) => { $head + $crate::sum!($($tail),*) };
}

macro_rules! units {
    ($($(#[$meta:meta])* $name:ident = $factor:literal;)+) => {
        $($(#[$meta])* pub fn $name(amount: f32) -> f32 { amount * $factor })+
    };
}

units! {
    /// In grams.
    grams = 1.0;
    kilos = 1000.0;
}

/// Counts leaves by kind.
pub fn count_kinds<'a, K>(leaves: impl IntoIterator<Item = &'a Leaf>, key: K) -> HashMap<String, usize>
where
    K: Fn(&Leaf) -> String,
{
    let mut counts = HashMap::<String, usize>::new();
    for leaf in leaves {
        match counts.entry(key(leaf)) {
            Entry::Occupied(mut entry) => *entry.get_mut() += 1,
            hash_map::Entry::Vacant(entry) => { entry.insert(1); }
        }
    }
    struct Longest(usize);
    impl Longest {
        fn of(counts: &HashMap<String, usize>) -> Self { Longest(counts.keys().map(String::len).max().unwrap_or(0)) }
    }
    const LIMIT: usize = 80;
    let Longest(width) = Longest::of(&counts);
    let [first, .., last] = [1, 2, 3];
    let (ref a, b): (u8, u8) = (first, last);
    eprintln!("{width:>1$} {0}", a + b, LIMIT);
    counts
}

unsafe extern "C" fn on_signal(code: core::ffi::c_int) {
    let word = Status { word: code as u32 };
    let Status { parts: (low, _) } = word;
    let _ = low;
}

extern "C" {
    /// Of the C library.
    fn kettle_open(path: *const u8, ...) -> *mut Raw;
    static kettle_version: i32;
    type Raw;
}

#[cfg(target_os = "linux")]
pub(in crate::pool) fn pin(handler: unsafe extern "C" fn(i32)) { register(handler) }
#[cfg(not(target_os = "linux"))]
fn pin(_: fn(i32)) {}

pub mod prelude {
    //! What most callers need.
    pub use super::{Boiler, Pool};

    pub(crate) trait Sealed {}
    impl<T> Sealed for T where T: super::Boiler {}
}

#[cfg(test)]
mod tests {
    use super::{prelude::*, *};

    fn kettle() -> Kettle { Kettle { name: "größer".into(), level: 1.5, leaves: Default::default() } }

    #[tokio::test(flavor = "multi_thread")]
    async fn brews() -> Result<(), Box<dyn std::error::Error>> {
        let mut pool = Pool::new(vec![kettle(), kettle()], |k: &Kettle| k.level > 0.0);
        let brewed = pool.brew_all([(1, Leaf::default())]).await?;
        assert_eq!(brewed, 1, "pool {}", pool.label);
        assert_eq!(sum!(1, brewed), 2);
        Ok(())
    }
}
