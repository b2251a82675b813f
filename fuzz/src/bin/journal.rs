#![no_main]
fuzz::target!(journal of documents);
