//! Recipes and selections that name the listed experiments.

use catalogue::plan::plan;
use catalogue::recipe::figure::{RecipeFigure, Wanted, replace};
use catalogue::recipe::{commands, parse, render};
use experiments::all;
use experiments::built_in::BUILT_IN;
use harness::{Sampling, Shape};
use record::MachineCard;

#[test]
fn built_in_recipes_read_and_render_back() {
    for (name, text) in BUILT_IN {
        let recipe = parse(name, text).unwrap();
        assert_eq!(parse(name, &render(&recipe)).unwrap(), recipe);
    }
}

#[test]
fn the_commands_of_a_recipe_are_found_wherever_they_stand() {
    let text = "title='t'\n[[experiment]]\nid='colocate/*'\n\
        axes={a=['alu', 'cmd:make -j2,x'], victim='cmd: make -j2,x'}\n\
        [[experiment]]\nid='pollute/victim'\naxes={victim='alu,cmd:sort -t, a,cmd:true'}\n\
        [[experiment]]\nid='no/such'\naxes={victim='cmd:nobody'}\n";
    let recipe = parse("x", text).unwrap();
    assert_eq!(
        commands(all(), &recipe),
        ["make -j2,x", "sort -t, a", "true"]
    );
    for (name, text) in BUILT_IN {
        assert_eq!(
            commands(all(), &parse(name, text).unwrap()),
            [""; 0],
            "{name}"
        );
    }
}

#[test]
fn an_area_is_a_selection() {
    let ids = |pattern: &str| {
        let found = all().matching(pattern).unwrap_or_default();
        found.iter().map(|l| l.id).collect::<Vec<_>>()
    };
    assert!(ids("mem").len() > 3 && ids("mem").iter().all(|id| id.starts_with("mem/")));
    assert_eq!(ids("mem/"), ids("mem"));
    assert_eq!(ids("mem/*"), ids("mem"));
    assert_eq!(ids("mem/latency"), ["mem/latency"]);
    for none in ["me", "mem//", "/", "", "/mem", "mem/latency/"] {
        assert_eq!(ids(none), [""; 0], "{none:?}");
    }
}

const TEXT: &str = "title = 't'\n[[experiment]]\nid = 'copy/memcpy'\n[[figure]]\nexperiment = \
    'copy/memcpy'\ntitle = { light = 'one', heavy = 'two' }\nx = 'size'\ny = 'bandwidth'\n\
    series = ['cache']\nonly = { cache = 'hot' }\n";

fn figure() -> RecipeFigure {
    parse("t", TEXT).expect("well formed").figures.remove(0)
}

#[test]
fn a_title_follows_the_load_and_other_experiments_keep_their_figures() {
    let titles = |load| {
        let ids = ["copy/memcpy", "copy/to_user"];
        let mut heads = ids.map(|id| {
            let listed = all().find(id).expect("it is listed");
            listed.head(&MachineCard::default())
        });
        let others = heads[1].figures.clone();
        replace(&[figure()], load, &mut heads);
        assert_eq!(heads[1].figures, others);
        assert_eq!(heads[0].figures.len(), 1);
        heads[0].figures[0].title.clone()
    };
    assert_eq!(titles("light"), "one");
    assert_eq!(titles("heavy"), "two");
    assert_eq!(titles("heavy-all"), "two");
}

#[test]
fn what_the_experiment_does_not_have_is_named() {
    assert_eq!(figure().unknown(all()), None);
    let mut odd = figure();
    let red = Wanted::One("red".into());
    odd.only.insert("colour".to_owned(), red);
    let named = odd.unknown(all());
    assert_eq!(named.as_deref(), Some("axis colour of copy/memcpy"));
    let mut odd = figure();
    odd.y = "beauty".to_owned();
    let named = odd.unknown(all());
    assert_eq!(named.as_deref(), Some("metric beauty of copy/memcpy"));
}

#[test]
fn the_recipe_of_cache_pollution_holds_its_figures_by_number() {
    let built_in = BUILT_IN.iter().find(|(name, _)| *name == "pollution");
    let (name, text) = built_in.expect("it comes with the program");
    let recipe = parse(name, text).expect("well formed");
    let heads: Vec<_> = recipe.figures.iter().map(|f| f.head("light")).collect();
    assert_eq!(heads.len(), 24);
    for (number, head) in (27..).zip(&heads) {
        let wanted = format!("I/OAT-CFTU figure 2.{number}: ");
        assert!(head.title.starts_with(&wanted), "{}", head.title);
        let of_misses = number <= 38;
        assert_eq!(of_misses, head.y == "l2d_cache_miss_rate", "{}", head.title);
        assert_eq!(of_misses, !head.y_log);
        let victims = head.only.iter().filter(|s| s.axis == "victim").count();
        assert_eq!(
            victims,
            if number % 2 == 1 { 4 } else { 7 },
            "{}",
            head.title
        );
    }
}

/// Every point of the study is in one figure of misses and in one of times.
#[test]
fn the_recipe_of_cache_pollution_measures_what_its_figures_show() {
    let built_in = BUILT_IN.iter().find(|(name, _)| *name == "pollution");
    let (name, text) = built_in.expect("it comes with the program");
    let recipe = parse(name, text).expect("well formed");
    let plan = plan(all(), &recipe, &MachineCard::default()).expect("a plan");
    let points = plan.point_heads();
    assert_eq!(points.len(), 11 * 6 * 3);
    for point in points {
        let shown = recipe.figures.iter().filter(|f| f.shows(&point)).count();
        assert_eq!(shown, 2, "{point:?}");
    }
}

/// The figures of the study's list, each once under each load.
#[test]
fn the_recipes_of_the_study_hold_its_figures_by_number() {
    for (recipe, light, heavy) in [
        ("offload-latency", 1..=4, 5..=8),
        ("offload-bandwidth", 9..=11, 12..=14),
        ("offload-priority", 15..=17, 18..=20),
    ] {
        let built_in = BUILT_IN.iter().find(|(name, _)| *name == recipe);
        let (name, text) = built_in.expect("it comes with the program");
        let recipe = parse(name, text).expect("well formed");
        for (load, numbers) in [("light", light), ("heavy", heavy)] {
            let heads = recipe.figures.iter().map(|f| f.head(load).title);
            let wanted = numbers.map(|n| format!("I/OAT-CFTU figure 2.{n}: "));
            let (heads, wanted): (Vec<_>, Vec<_>) = (heads.collect(), wanted.collect());
            assert_eq!(heads.len(), wanted.len());
            for (head, wanted) in heads.iter().zip(&wanted) {
                assert!(head.starts_with(wanted), "{head}");
            }
        }
    }
}

#[test]
fn processes_share_the_budgets_and_repetitions_that_a_recipe_gives_them() {
    let sampling = |how: &str| {
        let text = format!(
            "title='t'\npreset='full'\nprocesses=3\n{how}\n[[experiment]]\nid='colocate/pair'\n\
             axes={{a='alu', b='memcpy'}}\n"
        );
        let recipe = parse("t", &text).expect("well formed");
        let plan = plan(all(), &recipe, &MachineCard::default()).expect("a plan");
        plan.experiments[0].blocks[0].sampling
    };
    let repetitions = |sampling: Sampling| match sampling.shape {
        Shape::Single { repetitions } => repetitions,
        _ => 0,
    };
    let (each, shared) = (sampling(""), sampling("budgets=1"));
    assert_eq!(shared.budget_ns, each.budget_ns / 3);
    assert_eq!(repetitions(shared), repetitions(each) / 3);
    assert!(repetitions(shared) >= 5, "windows: {shared:?}");
    let few = sampling("samples=2\nbudgets=1000");
    assert_eq!((few.budget_ns, few.max_samples), (each.budget_ns, 2));
}
