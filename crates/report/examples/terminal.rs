//! Prints the terminal report of a made-up run: `terminal [WIDTH] [colour]`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let width = args.first().and_then(|w| w.parse().ok()).unwrap_or(80);
    let colour = args.iter().any(|a| a == "colour");
    let view = if args.iter().any(|a| a == "incomplete") {
        synthetic::incomplete()
    } else {
        synthetic::run()
    };
    print!("{}", report::terminal::render(&view, width, colour));
}
