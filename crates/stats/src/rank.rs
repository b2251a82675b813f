//! Ranks of values, ties included.

/// Twice the mid-rank of each value, ranks from 1: whole numbers.
pub(crate) fn doubled_ranks(values: &[f64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let tied = order[start..]
            .iter()
            .take_while(|i| values[**i] == values[order[start]])
            .count();
        for i in &order[start..start + tied] {
            ranks[*i] = (2 * start + tied + 1) as u64;
        }
        start += tied;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::doubled_ranks;

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(doubled_ranks(&[30.0, 10.0, 20.0]), [6, 2, 4]);
        assert_eq!(doubled_ranks(&[5.0, 1.0, 5.0, 5.0]), [6, 2, 6, 6]);
        assert!(doubled_ranks(&[]).is_empty());
    }
}
