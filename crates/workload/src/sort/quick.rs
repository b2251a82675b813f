//! Quicksort without memory of its own: the C library's may ask for some, and the time
//! of a sort would then depend on what the allocator finds.

/// Shorter parts are sorted by insertion.
const SHORT: usize = 16;
/// Parts that wait: the shorter one is always sorted first, so each is at most half of
/// the one before.
const MOST_WAITING: usize = usize::BITS as usize;

/// Sorts by `less`, a strict weak order. Equal items may change places.
///
/// The pivot is the median of the first, the middle and the last item (Sedgewick,
/// CACM 21(10), 1978). A part that was split 2 log2(n) times is sorted as a heap (Musser,
/// Software: Practice and Experience 27(8), 1997), so no order of the input takes longer
/// than n log n.
pub fn sort<T: Copy>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let mut waiting = [(0, 0, 0); MOST_WAITING];
    let mut count = 0;
    let splits = 2 * items.len().max(1).ilog2();
    let mut part = (0, items.len(), splits);
    loop {
        let (from, to, left) = part;
        if to - from > SHORT && left > 0 {
            let middle = from + split(&mut items[from..to], &less);
            let (below, above) = ((from, middle, left - 1), (middle, to, left - 1));
            let below_is_shorter = middle - from < to - middle;
            let later = if below_is_shorter { above } else { below };
            waiting[count] = later;
            count += 1;
            part = if below_is_shorter { below } else { above };
            continue;
        }
        if to - from > SHORT {
            by_heap(&mut items[from..to], &less);
        } else {
            by_insertion(&mut items[from..to], &less);
        }
        if count == 0 {
            return;
        }
        count -= 1;
        part = waiting[count];
    }
}

/// Hoare's: moves what is less to the front and returns where the rest begins. Neither
/// side is empty.
fn split<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) -> usize {
    let pivot = median_of_three(items, less);
    let (mut low, mut high) = (0, items.len() - 1);
    loop {
        while less(&items[low], &pivot) {
            low += 1;
        }
        while less(&pivot, &items[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
        high -= 1;
    }
}

/// Leaves the least of the three in front and the greatest at the end, where they stop
/// the search for the others.
fn median_of_three<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) -> T {
    let (middle, last) = (items.len() / 2, items.len() - 1);
    if less(&items[middle], &items[0]) {
        items.swap(middle, 0);
    }
    if less(&items[last], &items[middle]) {
        items.swap(last, middle);
        if less(&items[middle], &items[0]) {
            items.swap(middle, 0);
        }
    }
    items[middle]
}

fn by_insertion<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for next in 1..items.len() {
        let item = items[next];
        let mut at = next;
        while at > 0 && less(&item, &items[at - 1]) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

fn by_heap<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for top in (0..items.len() / 2).rev() {
        sink(items, top, less);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sink(&mut items[..end], 0, less);
    }
}

/// Restores the heap below `top`: no item is less than those under it.
fn sink<T: Copy>(items: &mut [T], mut top: usize, less: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut under = 2 * top + 1;
        if under >= items.len() {
            return;
        }
        if under + 1 < items.len() && less(&items[under], &items[under + 1]) {
            under += 1;
        }
        if !less(&items[top], &items[under]) {
            return;
        }
        items.swap(top, under);
        top = under;
    }
}
