//! What stands out in a trace, in sentences by topic.

use crate::document::{Document, Text, Tone};
use trace::analyse::explain::Sentence;

/// What a term means stands behind the first sentence that uses it.
pub fn document(sentences: &[Sentence]) -> Document {
    let mut document = Document::new();
    let (mut topic, mut definition) = ("", "");
    for sentence in sentences {
        if sentence.topic != topic {
            topic = sentence.topic;
            document.heading(2, topic);
            definition = "";
        }
        let mark = if sentence.alarm { "  ! " } else { "  - " };
        document.text(Text::new(sentence.text.as_str()).lead(mark));
        if sentence.definition != definition {
            definition = sentence.definition;
            let aside = Text::new(format!("({definition})")).lead("    ");
            document.text(aside.tone(Tone::Soft));
        }
    }
    document
}
