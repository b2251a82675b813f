#![no_main]
fuzz::target!(cpu_list);
