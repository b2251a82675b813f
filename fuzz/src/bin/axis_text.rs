#![no_main]
fuzz::target!(axis_text);
