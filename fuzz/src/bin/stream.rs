#![no_main]
fuzz::target!(stream);
