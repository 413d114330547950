//! A hierarchical timer wheel with bitmaps.
//!
//! Time runs in ticks of one millisecond; a deadline in nanoseconds is rounded up to its tick, so no timer is
//! early and all timers of a millisecond share one wake-up. Eight levels of 64 slots cover every tick that a
//! u64 of nanoseconds can express. A timer lies at the level of the highest six-bit group in which its tick
//! differs from the wheel's current tick, in the slot that this group of its tick names; when time enters a
//! slot, its timers cascade to lower levels. Two things follow. All timers of a level are due before all of
//! the level above, so the next deadline is in the first occupied slot of the lowest occupied level. And
//! where a timer lies is a function of its tick and the current one, so cancelling needs no record of it.
//!
//! Each slot knows the earliest tick put into it: the next deadline is exact, and a wheel whose timers are
//! all far away does not ask to be woken for cascading. Cancelling the earliest timer of a slot leaves the
//! bound as it was: a wake-up for nothing, which cascades the slot and so cannot recur there.
//!
//! A pending timer takes `size_of::<Option<T>>() + 24` bytes, in blocks of 64; empty blocks go back to the
//! allocator.

/// Nanoseconds of a tick.
pub const TICK_NS: u64 = 1_000_000;

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
/// 2^48 ticks; a u64 of nanoseconds has fewer than 2^45.
const LEVELS: usize = 8;
/// Timers in a block: one word of occupancy.
const BLOCK: usize = 64;
const NIL: u32 = u32::MAX;
/// Low bits of a key that hold the index; above them is a number that no other timer of the wheel has (until
/// 2^36 later).
const INDEX_BITS: u32 = 28;

/// Names a timer of one wheel. Never names a later timer, whatever becomes of this one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(u64);

impl Key {
    /// The key as a word, to be kept where only words fit.
    pub fn to_u64(self) -> u64 {
        self.0
    }

    /// The key from its word. A word that is not one finds nothing, or another timer.
    pub fn from_u64(word: u64) -> Self {
        Self(word)
    }

    fn index(self) -> u32 {
        (self.0 & ((1 << INDEX_BITS) - 1)) as u32
    }
}

#[derive(Debug)]
struct Entry<T> {
    value: Option<T>,
    deadline: u64,
    key: Key,
    next: u32,
    prev: u32,
}

impl<T> Entry<T> {
    /// The tick at which the timer is due: the first that is not before its deadline.
    fn tick(&self) -> u64 {
        self.deadline.div_ceil(TICK_NS)
    }
}

/// Storage of the timers: blocks of 64, each with a word that says which of its places are used.
#[derive(Debug)]
struct Slab<T> {
    blocks: Vec<Block<T>>,
    /// Blocks with a free place.
    open: Vec<u32>,
    /// Memory of an emptied block, kept for the next that is needed: a lone timer does not allocate each
    /// time.
    spare: Option<Box<[Entry<T>]>>,
    len: usize,
}

#[derive(Debug)]
struct Block<T> {
    used: u64,
    /// Allocated while `used` is not 0.
    entries: Option<Box<[Entry<T>]>>,
}

impl<T> Slab<T> {
    const fn new() -> Self {
        Self { blocks: Vec::new(), open: Vec::new(), spare: None, len: 0 }
    }

    /// A place for a timer. O(1).
    fn add(&mut self, deadline: u64, number: u64, value: T) -> u32 {
        let b = match self.open.last() {
            Some(&b) => b,
            None => {
                let b = self.blocks.len() as u32;
                assert!(b < 1 << (INDEX_BITS - BITS), "too many timers");
                self.blocks.push(Block { used: 0, entries: None });
                self.open.push(b);
                b
            }
        };
        let block = &mut self.blocks[b as usize];
        let vacant = || Entry { value: None, deadline: 0, key: Key(0), next: NIL, prev: NIL };
        // Old keys in a spare block hold no value, and indices of where it was used before.
        let entries = block.entries.get_or_insert_with(|| {
            self.spare.take().unwrap_or_else(|| (0..BLOCK).map(|_| vacant()).collect())
        });
        let place = block.used.trailing_ones();
        block.used |= 1 << place;
        if block.used == u64::MAX {
            self.open.pop();
        }
        let index = b * BLOCK as u32 + place;
        let key = Key(number << INDEX_BITS | u64::from(index));
        entries[place as usize] = Entry { value: Some(value), deadline, key, next: NIL, prev: NIL };
        self.len += 1;
        index
    }

    /// Gives a place back. O(1).
    fn remove(&mut self, index: u32) -> (T, u64) {
        let block = &mut self.blocks[index as usize / BLOCK];
        let entry = &mut block.entries.as_mut().expect("a used block has entries")[index as usize % BLOCK];
        let result = (entry.value.take().expect("a used place has a value"), entry.deadline);
        if block.used == u64::MAX {
            self.open.push(index / BLOCK as u32);
        }
        block.used &= !(1 << (index as usize % BLOCK));
        if block.used == 0 {
            self.spare = block.entries.take();
        }
        self.len -= 1;
        result
    }

    fn entry(&mut self, index: u32) -> &mut Entry<T> {
        let block = &mut self.blocks[index as usize / BLOCK];
        &mut block.entries.as_mut().expect("a used block has entries")[index as usize % BLOCK]
    }

    fn find(&self, key: Key) -> Option<&Entry<T>> {
        let entries = self.blocks.get(key.index() as usize / BLOCK)?.entries.as_ref()?;
        let entry = &entries[key.index() as usize % BLOCK];
        (entry.key == key && entry.value.is_some()).then_some(entry)
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    head: u32,
    tail: u32,
    /// No timer of the slot is due before this tick.
    earliest: u64,
}

const EMPTY: Slot = Slot { head: NIL, tail: NIL, earliest: u64::MAX };

#[derive(Debug)]
struct Level {
    occupied: u64,
    slots: [Slot; SLOTS],
}

/// Timers with values of type `T`. Times are nanoseconds on any clock that never goes back.
#[derive(Debug)]
pub struct Wheel<T> {
    slab: Slab<T>,
    /// Allocated with the first timer: 8 KiB.
    levels: Box<[Level]>,
    /// The tick up to which everything was delivered.
    current: u64,
    /// Number of the next timer.
    number: u64,
}

impl<T> Wheel<T> {
    /// An empty wheel. `now_ns` need not be exact: time catches up with the first [`Wheel::expire`].
    pub fn new(now_ns: u64) -> Self {
        Self { slab: Slab::new(), levels: Box::new([]), current: now_ns / TICK_NS, number: 0 }
    }

    /// Number of pending timers.
    pub fn len(&self) -> usize {
        self.slab.len
    }

    pub fn is_empty(&self) -> bool {
        self.slab.len == 0
    }

    /// Bytes allocated for timers, used or not.
    pub fn memory(&self) -> usize {
        let blocks = self.slab.blocks.iter().map(|b| &b.entries).chain([&self.slab.spare]).flatten().count();
        blocks * BLOCK * size_of::<Entry<T>>()
            + self.slab.blocks.capacity() * size_of::<Block<T>>()
            + self.slab.open.capacity() * size_of::<u32>()
            + self.levels.len() * size_of::<Level>()
    }

    /// Where a timer due at `tick` lies while the wheel is at its current tick. What is overdue lies in the
    /// current slot.
    fn place(&self, tick: u64) -> (usize, usize) {
        let tick = tick.max(self.current);
        let differing = (tick ^ self.current) | 1;
        let level = (63 - differing.leading_zeros()) / BITS;
        (level as usize, (tick >> (level * BITS)) as usize % SLOTS)
    }

    fn link(&mut self, index: u32) {
        let tick = self.slab.entry(index).tick();
        let (level, s) = self.place(tick);
        let level = &mut self.levels[level];
        let slot = &mut level.slots[s];
        let tail = std::mem::replace(&mut slot.tail, index);
        if tail == NIL {
            slot.head = index;
            level.occupied |= 1 << s;
        }
        slot.earliest = slot.earliest.min(tick);
        let entry = self.slab.entry(index);
        (entry.prev, entry.next) = (tail, NIL);
        if tail != NIL {
            self.slab.entry(tail).next = index;
        }
    }

    fn unlink(&mut self, index: u32) {
        let entry = self.slab.entry(index);
        let (tick, prev, next) = (entry.tick(), entry.prev, entry.next);
        if prev != NIL {
            self.slab.entry(prev).next = next;
        }
        if next != NIL {
            self.slab.entry(next).prev = prev;
        }
        if prev == NIL || next == NIL {
            let (level, s) = self.place(tick);
            let level = &mut self.levels[level];
            let slot = &mut level.slots[s];
            if prev == NIL {
                debug_assert_eq!(slot.head, index);
                slot.head = next;
            }
            if next == NIL {
                debug_assert_eq!(slot.tail, index);
                slot.tail = prev;
            }
            if slot.head == NIL {
                *slot = EMPTY;
                level.occupied &= !(1 << s);
            }
        }
    }

    /// Starts a timer. A deadline in the past is delivered by the next [`Wheel::expire`]; one in the last
    /// millisecond that a u64 can express (or `u64::MAX`, for "never") is not delivered at all. O(1).
    pub fn insert(&mut self, deadline_ns: u64, value: T) -> Key {
        if self.levels.is_empty() {
            self.levels = (0..LEVELS).map(|_| Level { occupied: 0, slots: [EMPTY; SLOTS] }).collect();
        }
        self.number = (self.number + 1) & ((1 << (64 - INDEX_BITS)) - 1);
        let index = self.slab.add(deadline_ns, self.number, value);
        self.link(index);
        self.slab.entry(index).key
    }

    /// Stops a timer; returns its value and deadline, or `None` if it was delivered or cancelled before.
    /// O(1).
    pub fn cancel(&mut self, key: Key) -> Option<(T, u64)> {
        self.slab.find(key)?;
        self.unlink(key.index());
        Some(self.slab.remove(key.index()))
    }

    /// Deadline and value of a pending timer. O(1).
    pub fn get(&self, key: Key) -> Option<(u64, &T)> {
        let entry = self.slab.find(key)?;
        Some((entry.deadline, entry.value.as_ref()?))
    }

    /// The first occupied slot of the lowest occupied level: the one that is due first.
    fn first(&self) -> Option<(usize, usize)> {
        let level = self.levels.iter().position(|l| l.occupied != 0)?;
        Some((level, self.levels[level].occupied.trailing_zeros() as usize))
    }

    /// When [`Wheel::expire`] has something to do next: the tick of the earliest timer (or, once, of a
    /// cancelled one that was the earliest of its slot). `None`: no timer is pending. O(levels).
    pub fn next_deadline(&self) -> Option<u64> {
        let (level, slot) = self.first()?;
        Some(self.levels[level].slots[slot].earliest.max(self.current).saturating_mul(TICK_NS))
    }

    /// Delivers what is due at `now_ns`, in order of deadlines, and equal deadlines in order of insertion.
    /// O(1) amortised for each timer: it cascades at most seven times in its life.
    pub fn expire(&mut self, now_ns: u64, mut deliver: impl FnMut(T)) {
        let now = (now_ns / TICK_NS).max(self.current);
        while let Some((level, s)) = self.first() {
            let shift = level as u32 * BITS;
            // Slots of a level that lie behind its current slot are empty, so this is the start of slot `s`
            // from now on.
            let start = (self.current >> shift >> BITS << BITS | s as u64) << shift;
            if start > now {
                break;
            }
            self.current = self.current.max(start);
            if level == 0 {
                self.sort(s);
                while self.levels[0].slots[s].head != NIL {
                    let head = self.levels[0].slots[s].head;
                    self.unlink(head);
                    deliver(self.slab.remove(head).0);
                }
            } else {
                // In order, so that timers of one tick stay in order of insertion.
                let mut index = self.take_slot(level, s);
                while index != NIL {
                    let next = self.slab.entry(index).next;
                    self.link(index);
                    index = next;
                }
            }
        }
        self.current = now;
    }

    /// Empties a slot; returns the head of its list.
    fn take_slot(&mut self, level: usize, s: usize) -> u32 {
        let level = &mut self.levels[level];
        level.occupied &= !(1 << s);
        std::mem::replace(&mut level.slots[s], EMPTY).head
    }

    /// Puts the timers of one tick in order of their deadlines in nanoseconds. They mostly are already: then
    /// one pass.
    fn sort(&mut self, s: usize) {
        let (mut index, mut last, mut sorted) = (self.levels[0].slots[s].head, 0, true);
        while index != NIL && sorted {
            let entry = self.slab.entry(index);
            sorted = entry.deadline >= last;
            (last, index) = (entry.deadline, entry.next);
        }
        if sorted {
            return;
        }
        let mut all = Vec::new();
        let mut index = self.take_slot(0, s);
        while index != NIL {
            let entry = self.slab.entry(index);
            all.push((entry.deadline, index));
            index = entry.next;
        }
        all.sort_by_key(|&(deadline, _)| deadline);
        for (_, index) in all {
            self.link(index);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashMap};

    const MS: u64 = TICK_NS;

    /// xorshift64*
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % n
        }
    }

    /// The wheel against an ordered map: same deliveries in the same order, same cancellations, sound next
    /// deadline.
    #[test]
    fn agrees_with_an_ordered_map() {
        for seed in 1..=60u64 {
            let mut r = Random(seed * 0x9E37_79B9);
            let bits = r.below(50);
            let mut now = r.below(1 << bits);
            let mut wheel = Wheel::new(now);
            let mut model: BTreeMap<(u64, u64), Key> = BTreeMap::new();
            let mut keys: HashMap<u64, (Key, u64)> = HashMap::new();
            let mut dead: Vec<Key> = Vec::new();
            for id in 0..4_000u64 {
                match r.below(10) {
                    0..=4 => {
                        let deadline = match r.below(20) {
                            0 => now.saturating_sub(r.below(1 << 30)),
                            1 => u64::MAX - r.below(1 << 40),
                            2 => now,
                            _ => {
                                let bits = r.below(48);
                                now.saturating_add(r.below(1 << bits))
                            }
                        };
                        let key = wheel.insert(deadline, id);
                        assert_eq!(wheel.get(key), Some((deadline, &id)));
                        model.insert((deadline, id), key);
                        keys.insert(id, (key, deadline));
                    }
                    5..=6 => {
                        let id = r.below(id + 1);
                        if let Some((key, deadline)) = keys.remove(&id) {
                            assert_eq!(wheel.cancel(key), Some((id, deadline)));
                            model.remove(&(deadline, id));
                            dead.push(key);
                        }
                    }
                    7 if !dead.is_empty() => {
                        let key = dead[r.below(dead.len() as u64) as usize];
                        assert!(wheel.get(key).is_none() && wheel.cancel(key).is_none());
                    }
                    _ => {
                        let bits = r.below(40);
                        now = match (r.below(2), wheel.next_deadline()) {
                            (0, Some(next)) if next < now + (1 << 45) => now.max(next),
                            _ => now + r.below(1 << bits),
                        };
                        let mut got = Vec::new();
                        wheel.expire(now, |id| got.push(id));
                        let due = model.keys().filter(|(d, _)| d.div_ceil(MS) <= now / MS).map(|&(_, id)| id);
                        assert_eq!(got, due.collect::<Vec<_>>(), "seed {seed}");
                        for id in got {
                            let (key, deadline) = keys.remove(&id).unwrap();
                            assert!(deadline <= now, "early");
                            model.remove(&(deadline, id));
                            dead.push(key);
                        }
                    }
                }
                assert_eq!(wheel.len(), model.len());
                match (wheel.next_deadline(), model.keys().next()) {
                    (Some(next), Some((first, _))) => {
                        let exact = first.div_ceil(MS).max(now / MS).saturating_mul(MS);
                        assert!(next <= exact, "late: {next} for {exact}, seed {seed}");
                    }
                    (None, None) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// An idle machine with many far timers wakes once for each distinct millisecond, and for nothing else.
    #[test]
    fn sleeps_until_the_true_deadlines() {
        let (mut wheel, mut r) = (Wheel::new(12_345 * MS), Random(7));
        let mut ticks = std::collections::BTreeSet::new();
        for i in 0..50_000 {
            let deadline = 3_600_000 * MS + r.below(86_400_000 * MS);
            wheel.insert(deadline, i);
            ticks.insert(deadline.div_ceil(MS));
        }
        let (mut wakes, mut delivered) = (0, 0);
        while let Some(next) = wheel.next_deadline() {
            wakes += 1;
            let before = delivered;
            wheel.expire(next, |_| delivered += 1);
            assert!(delivered > before, "a wake-up for nothing");
        }
        assert_eq!((wakes, delivered), (ticks.len(), 50_000));
    }

    /// Cancelling leaves at most one wake-up for nothing in each slot.
    #[test]
    fn cancelled_timers_wake_rarely() {
        let mut wheel = Wheel::new(0);
        let keys: Vec<_> = (0..50_000u64).map(|i| wheel.insert((3_600_000 + i * 7) * MS, i)).collect();
        keys[..49_999].iter().for_each(|&k| assert!(wheel.cancel(k).is_some()));
        let (mut wakes, mut delivered) = (0, 0);
        while let Some(next) = wheel.next_deadline() {
            wakes += 1;
            wheel.expire(next, |_| delivered += 1);
        }
        assert!(wakes <= LEVELS && delivered == 1, "{wakes} wake-ups");
    }

    #[test]
    fn memory_per_timer_and_its_return() {
        let mut wheel: Wheel<[u64; 3]> = Wheel::new(0);
        let keys: Vec<_> = (0..200_000).map(|i| wheel.insert(i * 12_345_678, [i; 3])).collect();
        assert!(wheel.memory() / 200_000 < 60, "{} bytes each", wheel.memory() / 200_000);
        keys.into_iter().for_each(|k| assert!(wheel.cancel(k).is_some()));
        assert!(wheel.memory() < 300_000, "{} bytes kept", wheel.memory());
        assert_eq!(wheel.next_deadline(), None);
    }
}
