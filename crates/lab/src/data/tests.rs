use super::{Data, Kernel, Machine, Packages, Scenario};
use std::path::Path;

fn ours() -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab");
    Data::read(&folder).expect("the laboratory's own files are right")
}

#[test]
fn our_files_are_understood_and_fit_each_other() {
    let data = ours();
    assert!(data.scenarios.values().any(|s| s.test));
    let trials = data.scenarios.values().filter(|s| s.must_fail.is_some());
    assert!(
        trials.count() >= 4,
        "the laboratory proves that it can fail"
    );
}

#[test]
fn an_unknown_scenario_is_named_with_the_known_ones() {
    let stop = ours().scenario("nowhere").unwrap_err().to_string();
    assert!(stop.contains("cannot find scenario \"nowhere\""), "{stop}");
    assert!(stop.contains("selftest"), "{stop}");
}

#[test]
fn a_group_has_its_scenarios_and_an_unknown_one_is_named_with_the_known_ones() {
    let data = ours();
    let debug = data.group("debug").unwrap();
    for name in [
        "debug-cftu",
        "debug-recorder",
        "debug-swdma",
        "debug-faults",
    ] {
        assert!(debug.iter().any(|n| n == name), "{name}");
        assert!(!data.scenarios[name].test, "{name} is not of every day");
    }
    let stop = data.group("nowhere").unwrap_err().to_string();
    assert!(stop.contains("cannot find group \"nowhere\""), "{stop}");
    assert!(stop.contains("debug"), "{stop}");
}

#[test]
fn the_release_is_put_into_names_of_packages() {
    let release = "6.12.117+deb12-amd64";
    assert_eq!(
        Packages::name("linux-headers-{base}-common", release),
        "linux-headers-6.12.117+deb12-common"
    );
    assert_eq!(
        Packages::name("linux-image-{release}", release),
        format!("linux-image-{release}")
    );
}

#[test]
fn a_kernel_is_fetched_or_built_and_not_half_of_each() {
    let both = "about = 'x'\narchitecture = 'amd64'\nsuite = 's'\n";
    let kernel = |rest: &str| toml::from_str::<Kernel>(&format!("{both}{rest}"));
    assert!(kernel("source = 'p'\nconfig = 'c'\n").is_ok());
    assert!(kernel("release = 'r'\nimage = 'i'\nheaders = []\nkbuild = 'k'\n").is_ok());
    for bad in [
        "source = 'p'\n",
        "source = 'p'\nconfig = 'c'\nimage = 'i'\n",
        "release = 'r'\nimage = 'i'\nheaders = []\n",
        "source = 'p'\nconfig = 'c'\nconfigs = 'c'\n",
    ] {
        assert!(kernel(bad).is_err(), "{bad}");
    }
}

const SCENARIO: &str = "about = 'x'\nkernel = 'k'\nmachine = 'm'\ndeadline_s = 9\n";

#[test]
fn misspelt_and_unsafe_words_are_refused() {
    assert!(
        toml::from_str::<Scenario>(SCENARIO)
            .unwrap()
            .check()
            .is_ok()
    );
    assert!(toml::from_str::<Scenario>(&format!("{SCENARIO}deadlines = 3\n")).is_err());
    for bad in [
        "modules = [{ name = '../x' }]",
        "tests = [{ name = 'a b', run = 'x' }]",
        "tests = [{ name = 'a', run = \"x\\ny\" }]",
        "benign = [{ line = '', reason = 'r' }]",
        "benign = [{ line = 'l', reason = '' }]",
    ] {
        let text = format!("{SCENARIO}{bad}\n");
        let scenario: Scenario = toml::from_str(&text).expect("it is TOML");
        assert!(scenario.check().is_err(), "{bad}");
    }
}

const MACHINE: &str = "about = 'x'\narchitecture = 'amd64'\nqemu = 'q'\npackage = 'p'\n\
    memory_mib = 1\nconsole = 'c'\nappend = ''\nbus = 'pci'\nends = 'poweroff'\n";

#[test]
fn a_plugin_has_a_name_numbers_and_one_thread() {
    let machine = |rest: &str| toml::from_str::<Machine>(&format!("{MACHINE}{rest}"));
    let good = machine("threads = 'single'\n[plugins.cache]\nl2_ways = 16\n").unwrap();
    assert_eq!(good.check(), Ok(()));
    assert_eq!(good.plugin_names(), ["cache"]);
    for bad in [
        "[plugins.cache]\nl2_ways = 16\n",
        "threads = 'single'\n[plugins.'../x']\n",
        "threads = 'single'\n[plugins.cache]\n'out=x,a' = 1\n",
    ] {
        assert!(machine(bad).unwrap().check().is_err(), "{bad}");
    }
    assert!(machine("[plugins.cache]\nl2_ways = 'x'\n").is_err());
}
