//! The queue loses nothing without reporting it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Bounds, Pushed, Queue};
use crate::test_support::{run, shared};

fn queue(batches: usize, bytes: usize, patience: Duration) -> Queue {
    Queue::new(Bounds {
        batches,
        bytes,
        patience,
    })
}

fn batch(id: &str) -> super::Batch {
    shared(vec![run("a", id)])
}

/// CM-6: batches come out in the order in which they went in, even after closing.
#[test]
fn it_is_first_in_first_out() {
    let queue = queue(10, usize::MAX, Duration::ZERO);
    for id in ["1", "2"] {
        assert_eq!(queue.push(batch(id)), Pushed::Queued);
    }
    queue.close();
    assert_eq!(queue.push(batch("3")), Pushed::Dropped);
    assert_eq!(queue.take().unwrap()[0].run_id, "1");
    assert_eq!(queue.take().unwrap()[0].run_id, "2");
    assert!(queue.take().is_none());
}

/// CM-6: both limits apply, and what finds no room is reported.
#[test]
fn it_is_bounded() {
    let few = queue(2, usize::MAX, Duration::ZERO);
    let results = ["1", "2", "3"].map(|id| few.push(batch(id)));
    assert_eq!(results, [Pushed::Queued, Pushed::Queued, Pushed::Dropped]);
    few.take();
    assert_eq!(few.push(batch("4")), Pushed::Queued);
    let small = queue(10, 1, Duration::ZERO);
    assert_eq!(
        small.push(batch("larger than the bound, but alone")),
        Pushed::Queued
    );
    assert_eq!(small.push(batch("2")), Pushed::Dropped);
}

/// CM-6: if room becomes available in time, an observer waits and nothing is lost.
#[test]
fn pushing_waits_for_room() {
    let queue = Arc::new(queue(1, usize::MAX, Duration::from_mins(5)));
    queue.push(batch("1"));
    let other = Arc::clone(&queue);
    let pushing = thread::spawn(move || other.push(batch("2")));
    assert_eq!(queue.take().unwrap()[0].run_id, "1");
    assert_eq!(pushing.join().unwrap(), Pushed::Queued);
    assert_eq!(queue.take().unwrap()[0].run_id, "2");
}

/// CM-6: nobody waits for a thread that is gone.
#[test]
fn an_abandoned_queue_holds_up_nobody() {
    let queue = queue(1, usize::MAX, Duration::from_mins(5));
    queue.push(batch("1"));
    queue.abandon();
    assert_eq!(queue.push(batch("2")), Pushed::Dropped);
    queue.wait_until_done();
}
