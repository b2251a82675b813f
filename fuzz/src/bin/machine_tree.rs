#![no_main]
fuzz::target!(machine_tree);
