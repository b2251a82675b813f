#![no_main]
fuzz::target!(ktap);
