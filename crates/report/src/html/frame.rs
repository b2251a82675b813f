//! The head of every page.

use maud::{Markup, html};

/// What every page says of itself.
pub(crate) struct Frame<'a> {
    pub policy: &'a str,
    /// The version that made it.
    pub generator: Option<&'a str>,
    pub title: &'a str,
}

pub(crate) fn head(frame: &Frame<'_>, style: Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(frame.policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            @if let Some(version) = frame.generator {
                meta name="generator" content={ "pontage " (version) };
            }
            title { (frame.title) }
            (style)
        }
    }
}
