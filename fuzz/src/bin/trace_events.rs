#![no_main]
fuzz::target!(trace_events);
