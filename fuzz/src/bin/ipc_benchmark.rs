#![no_main]
fuzz::target!(ipc_benchmark of documents);
