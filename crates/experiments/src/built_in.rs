//! The recipes that come with the program: questions about these experiments.

/// Recipes that come with the program, by name.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("quick", include_str!("../recipes/quick.toml")),
    ("standard", include_str!("../recipes/standard.toml")),
    ("full", include_str!("../recipes/full.toml")),
    ("inference", include_str!("../recipes/inference.toml")),
    (
        "offload-latency",
        include_str!("../recipes/offload-latency.toml"),
    ),
    (
        "offload-bandwidth",
        include_str!("../recipes/offload-bandwidth.toml"),
    ),
    (
        "offload-priority",
        include_str!("../recipes/offload-priority.toml"),
    ),
    ("ipc-lab", include_str!("../recipes/ipc-lab.toml")),
    ("switch-macro", include_str!("../recipes/switch-macro.toml")),
    ("switch-micro", include_str!("../recipes/switch-micro.toml")),
    (
        "scheduler-2015",
        include_str!("../recipes/scheduler-2015.toml"),
    ),
    ("pollution", include_str!("../recipes/pollution.toml")),
    (
        "pollution-modern",
        include_str!("../recipes/pollution-modern.toml"),
    ),
    ("hot-potato", include_str!("../recipes/hot-potato.toml")),
];
