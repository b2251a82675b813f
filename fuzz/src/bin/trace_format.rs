#![no_main]
fuzz::target!(trace_format);
