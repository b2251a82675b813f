#![no_main]
fuzz::target!(cftu_dat);
