use super::{CHARACTERS, Digest, KNOWN, TEXT, cells};

fn divisor(a: u64, b: u64) -> u64 {
    (1..=a.min(b))
        .rev()
        .find(|d| a.is_multiple_of(*d) && b.is_multiple_of(*d))
        .unwrap()
}

fn steps(n: u64) -> u64 {
    match n {
        1 => 0,
        n if n.is_multiple_of(2) => 1 + steps(n / 2),
        n => 1 + steps(3 * n + 1),
    }
}

/// What each part of the program emits, found without it.
fn plain() -> Vec<u64> {
    let text: String = cells()[TEXT..TEXT + CHARACTERS]
        .iter()
        .map(|cell| char::from(*cell as u8))
        .collect();
    // A number may be broken by letters; it ends before punctuation.
    let ended = &text[..=text.rfind(|c| c < '0').unwrap()];
    let digits = |piece: &str| {
        piece
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let numbers = ended.split(|c| c < '0').map(digits);
    let (vowels, others): (Vec<char>, Vec<char>) = text
        .chars()
        .filter(|c| *c > '9')
        .partition(|c| "ae".contains(*c));
    vec![
        (2u32..1000).filter(|n| (2..*n).all(|d| n % d != 0)).count() as u64,
        (1..36)
            .flat_map(|a| (1..36).map(move |b| divisor(a, b)))
            .sum(),
        (1..200).map(steps).sum(),
        numbers.map(|number| number.parse().unwrap_or(0u64)).sum(),
        vowels.len() as u64,
        others.len() as u64,
        (0..13).fold((0, 1), |(a, b), _| (b, a + b)).0,
    ]
}

#[test]
fn the_program_emits_what_plain_code_finds() {
    let plain = plain();
    assert_eq!([plain[0], plain[6]], [168, 233], "{plain:?}");
    let digest = plain
        .iter()
        .fold(Digest::default(), |all, one| all.with(*one));
    assert_eq!(digest.value(), KNOWN, "{:#x}", digest.value());
}
