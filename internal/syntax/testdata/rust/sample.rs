//! Queues of jobs with retries.

#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap as Map};
use std::fmt::{self, Display, Formatter};
use std::io::Result as IoResult;
use crate::clock::Clock;
use super::*;
pub use self::job::Job;
extern crate serde as ser;

mod job;

/// How often a job is tried.
pub const RETRIES: usize = 3;
static mut COUNT: u64 = 0;
pub(crate) static NAMES: &[&str] = &["a", "b"];

/// A job as the queue keeps it.
///
/// Cloning is cheap.
#[derive(Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Task<'a, T: Display + 'a, const N: usize = 4> {
    /// Its name.
    pub name: &'a str,
    payload: Option<T>,
    slots: [u8; N], // 空きの数
}

pub struct Id(pub u64, String);
struct Unit;

pub union Bits {
    word: u32,
    bytes: [u8; 4],
}

/// What became of a task.
#[derive(Debug)]
pub enum Outcome<E> {
    /// All is well.
    Done,
    Failed(E, u32),
    Later { after: Duration, reason: String },
    Code = 7,
}

/// Whoever runs tasks.
pub trait Runner: Send + Sync {
    type Error: std::error::Error;
    const LIMIT: usize = RETRIES;

    /// Runs one.
    fn run(&mut self, task: &Task<String>) -> Result<Outcome<Self::Error>, Self::Error>;

    fn name(&self) -> String {
        String::from("runner")
    }
}

pub type Handler<T> = Box<dyn Fn(&T) -> bool + Send>;

pub struct Queue<R>
where
    R: Runner,
{
    runner: R,
    waiting: Vec<Task<'static, String>>,
    seen: Map<u64, Outcome<R::Error>>,
}

impl<R: Runner> Queue<R> {
    /// 新しい待ち行列。
    pub fn new(runner: R) -> Self {
        Queue { runner, waiting: Vec::new(), seen: Map::with_capacity(RETRIES) }
    }

    pub async fn drain(&mut self, limit: usize) -> Result<usize, R::Error> {
        let mut done = 0;
        let total = self.waiting.len();
        while let Some(mut task) = self.waiting.pop() {
            task.name = "taken";
            match self.runner.run(&task)? {
                Outcome::Done => done += 1,
                Outcome::Failed(err, times) if times < RETRIES as u32 => {
                    self.report(&err, times);
                    eprintln!("failed {} of {}: {:?}", done, total, err);
                }
                Outcome::Later { after, reason: why } => self.push_later(after, why).await,
                other @ Outcome::Code | other => drop(other),
            }
            if done >= limit {
                break;
            }
        }
        Ok(done)
    }

    fn report<E: Display>(&self, err: &E, times: u32) {
        let line = format!("{}: {}", times, err);
        let print = |text: &str, indent| println!("{}{}", indent, text);
        print(&line, 2);
        for (i, (key, value)) in self.seen.iter().enumerate() {
            Self::show(i, *key, value);
        }
        let Point { x, y: vertical } = origin::<f64>();
        let parsed = line.parse::<u64>().unwrap_or_default();
        let ids = vec![Id(parsed, String::new())];
        unsafe { COUNT += x + vertical; }
        self.runner_mut().limit = ids[0].0;
    }

    fn push_later(&mut self, after: Duration, why: String) {
        todo!("needs a timer")
    }
}

impl<'a, T> Display for Task<'a, T> where T: Display {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl<R> Iterator for &mut Queue<R> {
    type Item = Task<'static, String>;
    fn next(&mut self) -> Option<Self::Item> { self.waiting.pop() }
}

/// Makes a map.
#[macro_export]
macro_rules! map {
    ($($key:expr => $value:expr),* $(,)?) => {{
        let mut m = Map::new();
        $( m.insert($key, $value); )*
        m
    }};
}

pub fn largest<T>(items: &[T]) -> Option<&T>
where
    T: PartialOrd,
{
    let mut best = items.first()?;
    for item in items {
        if item > best {
            best = item;
        }
    }
    fn inner(n: usize) -> usize { n + RETRIES }
    let _ = inner(1);
    Some(best)
}

extern "C" {
    fn getpid() -> i32;
}

mod inner {
    pub fn helper() -> usize { super::RETRIES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_queue() {
        let mut q = Queue::new(Fake::default());
        assert_eq!(q.waiting.len(), 0);
        assert!(largest(&[1, 2]).is_some());
    }
}
