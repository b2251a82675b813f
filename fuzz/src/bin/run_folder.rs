#![no_main]
fuzz::target!(run_folder of documents);
