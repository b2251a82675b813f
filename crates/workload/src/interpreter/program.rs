//! The program, and its assembler.

use super::{Instruction, Op};

const NAMES: [(&str, Op); 17] = [
    ("set", Op::Set),
    ("copy", Op::Copy),
    ("add", Op::Add),
    ("more", Op::AddNumber),
    ("times", Op::Times),
    ("rest", Op::Remainder),
    ("shift", Op::Shift),
    ("and", Op::And),
    ("load", Op::Load),
    ("store", Op::Store),
    ("emit", Op::Emit),
    ("return", Op::Return),
    ("halt", Op::Halt),
    ("jump", Op::Jump),
    ("zero", Op::IfZero),
    ("less", Op::IfLess),
    ("call", Op::Call),
];

/// Registers are letters, a to p; labels stand on lines of their own.
const SOURCE: &str = "
primes below 1000, by Eratosthenes:
    set p 0
    set o 1
    set n 1000
    set i 0
clear:
    store p i
    more i i 1
    less i n clear
    set i 2
    set k 0
candidate:
    load c i
    zero c prime
    jump next
prime:
    more k k 1
    add j i i
strike:
    less j n composite
    jump next
composite:
    store o j
    add j j i
    jump strike
next:
    more i i 1
    less i n candidate
    emit k

the sum of the greatest common divisors of all pairs of 1 to 35, by Euclid:
    set n 36
    set k 0
    set i 1
row:
    set j 1
pair:
    copy a i
    copy b j
euclid:
    zero b divisor
    rest c a b
    copy a b
    copy b c
    jump euclid
divisor:
    add k k a
    more j j 1
    less j n pair
    more i i 1
    less i n row
    emit k

the steps of the 3n + 1 sequences from 1 to 199:
    set n 200
    set k 0
    set i 1
sequence:
    copy a i
step:
    less o a on
    jump arrived
on:
    more k k 1
    and b a 1
    zero b even
    times a a 3
    more a a 1
    jump step
even:
    shift a a 1
    jump step
arrived:
    more i i 1
    less i n sequence
    emit k

the sum of the numbers, the letters a and e, and the others in the text:
    set i 1024
    set n 2048
    set g 48
    set h 58
    set k 0
    set a 0
    set e 0
    set f 0
character:
    load c i
    less c g gap
    less c h digit
    more b c -97
    zero b vowel
    more b c -101
    zero b vowel
    more f f 1
    jump read
vowel:
    more e e 1
    jump read
digit:
    times a a 10
    add a a c
    more a a -48
    jump read
gap:
    add k k a
    set a 0
read:
    more i i 1
    less i n character
    emit k
    emit e
    emit f

the 13th of Fibonacci, by recursion; m is the height of the stack:
    set a 13
    set m 0
    set n 2
    call fibonacci
    emit b
    halt
fibonacci:
    less a n small
    store a m
    more m m 1
    more a a -1
    call fibonacci
    more m m -1
    load a m
    store b m
    more m m 1
    more a a -2
    call fibonacci
    more m m -1
    load c m
    add b b c
    return
small:
    copy b a
    return
";

/// The source as instructions, with the number of its instruction for each label.
pub fn assembled() -> Box<[Instruction]> {
    lines()
        .filter(|line| !is_label(line))
        .map(instruction)
        .collect()
}

fn lines() -> impl Iterator<Item = &'static str> {
    SOURCE
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
}

fn is_label(line: &&str) -> bool {
    line.ends_with(':')
}

/// How many instructions stand before the label.
fn place(label: &str) -> i32 {
    let before = lines().take_while(|line| line.strip_suffix(':') != Some(label));
    before.filter(|line| !is_label(line)).count() as i32
}

fn instruction(line: &str) -> Instruction {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let known = NAMES.iter().find(|(known, _)| *known == name);
    let (mut registers, mut n) = (Vec::new(), 0);
    for word in words {
        match word.as_bytes() {
            [letter @ b'a'..=b'p'] => registers.push(letter - b'a'),
            _ => n = word.parse().unwrap_or_else(|_| place(word)),
        }
    }
    registers.resize(3, 0);
    Instruction {
        // A word that is none stops the program; then no result is right.
        op: known.map_or(Op::Halt, |(_, op)| *op),
        a: registers[0],
        b: registers[1],
        c: registers[2],
        n,
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, is_label, lines, place};

    #[test]
    fn every_word_of_the_source_means_something() {
        let end = lines().filter(|line| !is_label(line)).count() as i32;
        for line in lines().filter(|line| !is_label(line)) {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap();
            assert!(NAMES.iter().any(|(known, _)| *known == name), "{line}");
            for word in words {
                let number = word.parse::<i32>().is_ok();
                let register = word.len() == 1 && ("a"..="p").contains(&word);
                assert!(number || register || place(word) < end, "{line}");
            }
        }
    }
}
