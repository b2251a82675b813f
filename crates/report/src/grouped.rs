//! Things that belong together, in the order in which they first come.

/// Items by their key.
pub fn grouped<K: PartialEq, T>(items: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, item) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// Each key once, with how often it comes.
pub fn tallied<K: PartialEq>(keys: impl IntoIterator<Item = K>) -> Vec<(K, usize)> {
    let groups = grouped(keys.into_iter().map(|key| (key, ())));
    groups
        .into_iter()
        .map(|(key, all)| (key, all.len()))
        .collect()
}

/// Each item once.
pub fn distinct<K: PartialEq>(items: impl IntoIterator<Item = K>) -> Vec<K> {
    tallied(items).into_iter().map(|(item, _)| item).collect()
}
