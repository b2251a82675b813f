#![no_main]
fuzz::target!(recipe);
