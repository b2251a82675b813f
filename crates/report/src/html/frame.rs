//! The head of every page.

use maud::{Markup, html};

/// What every page says of itself.
pub(crate) struct Frame<'a> {
    pub policy: &'a str,
    /// The version that made it.
    pub generator: Option<&'a str>,
    pub title: &'a str,
}

impl Frame<'_> {
    /// The head of the page, with its style sheets.
    pub(crate) fn head(&self, style: Markup) -> Markup {
        html! {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(self.policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if let Some(version) = self.generator {
                    meta name="generator" content={ "pontage " (version) };
                }
                title { (self.title) }
                (style)
            }
        }
    }
}
