//! Owns what the guest says about its tests, and the table at the end.

use std::time::{Duration, Instant};

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
    /// It began, and the machine ended before it did.
    Cut,
    /// It never began.
    Missing,
}

/// A test and what became of it.
#[derive(Debug)]
pub struct Outcome {
    name: String,
    verdict: Verdict,
    /// What was measured, or what went wrong.
    notes: Vec<String>,
    took: Duration,
}

/// The outcome of every test asked for, in their order.
pub struct Report {
    outcomes: Vec<Outcome>,
    /// The test that runs, and since when.
    running: Option<(usize, Instant)>,
}

impl Report {
    /// A report on tests that have yet to begin.
    pub fn new(names: &[&str]) -> Self {
        let missing = |name: &&str| Outcome {
            name: (*name).to_owned(),
            verdict: Verdict::Missing,
            notes: Vec::new(),
            took: Duration::ZERO,
        };
        Self { outcomes: names.iter().map(missing).collect(), running: None }
    }

    /// Takes a line of the guest. Those that begin with `@` are about tests; others are returned, to be shown.
    pub fn line<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        let Some(words) = line.strip_prefix('@') else { return Some(line) };
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            "begin" => self.begin(rest),
            "note" => self.note(rest),
            "end" => self.end(if rest == "0" { Verdict::Passed } else { Verdict::Failed }),
            _ => return Some(line),
        }
        None
    }

    /// Adds to what is said about the test that runs.
    pub fn note(&mut self, note: &str) {
        if let Some((index, _)) = self.running
            && let Some(outcome) = self.outcomes.get_mut(index)
        {
            outcome.notes.push(note.to_owned());
        }
    }

    /// A test begins.
    pub fn begin(&mut self, name: &str) {
        let index = self.outcomes.iter().position(|outcome| outcome.name == name);
        self.running = index.map(|index| (index, Instant::now()));
        self.set(Verdict::Cut);
    }

    /// The test that runs ends.
    pub fn end(&mut self, verdict: Verdict) {
        self.set(verdict);
        self.running = None;
    }

    fn set(&mut self, verdict: Verdict) {
        if let Some((index, since)) = self.running
            && let Some(outcome) = self.outcomes.get_mut(index)
        {
            outcome.verdict = verdict;
            outcome.took = since.elapsed();
        }
    }

    /// A test that went well in the guest turns out well or not by what is known outside.
    pub fn conclude(&mut self, name: &str, verdict: Result<&str, String>) {
        let Some(outcome) = self.outcomes.iter_mut().find(|outcome| outcome.name == name) else { return };
        match verdict {
            Ok(note) => outcome.notes.push(note.to_owned()),
            Err(error) => {
                outcome.notes.push(error);
                outcome.verdict = Verdict::Failed;
            }
        }
    }

    /// The test that runs.
    pub fn running(&self) -> &str {
        let outcome = self.running.and_then(|(index, _)| self.outcomes.get(index));
        outcome.map_or("boot", |outcome| &outcome.name)
    }

    /// Names of tests that did not pass.
    pub fn failed(&self) -> Vec<&str> {
        let failed = self.outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed);
        failed.map(|outcome| outcome.name.as_str()).collect()
    }

    /// The table.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN).set_header(["test", "result", "seconds", "notes"]);
        for outcome in &self.outcomes {
            let result = match outcome.verdict {
                Verdict::Passed => "pass",
                Verdict::Failed => "FAIL",
                Verdict::Cut => "CUT OFF",
                Verdict::Missing => "NOT RUN",
            };
            let seconds = format!("{:.1}", outcome.took.as_secs_f64());
            table.add_row([outcome.name.clone(), result.to_owned(), seconds, outcome.notes.join("; ")]);
        }
        if let Some(seconds) = table.column_mut(2) {
            seconds.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(lines: &[&str]) -> Vec<Verdict> {
        let mut report = Report::new(&["a", "b"]);
        for line in lines {
            report.line(line);
        }
        report.outcomes.iter().map(|outcome| outcome.verdict).collect()
    }

    #[test]
    fn a_test_passes_only_if_it_says_so() {
        assert_eq!(verdicts(&["@begin a", "@end 0", "@begin b", "@end 1"]), [Verdict::Passed, Verdict::Failed]);
        assert_eq!(verdicts(&["@begin a", "hello"]), [Verdict::Cut, Verdict::Missing]);
        assert_eq!(verdicts(&["@end 0", "@begin c", "@end 0"]), [Verdict::Missing, Verdict::Missing]);
    }

    #[test]
    fn lines_of_the_guest_are_shown_and_those_about_tests_are_not() {
        let mut report = Report::new(&["a"]);
        assert_eq!(report.line("@begin a"), None);
        assert_eq!(report.line("64 bytes"), Some("64 bytes"));
        assert_eq!(report.line("@home"), Some("@home"));
        assert_eq!(report.line("@note 3 ms"), None);
        assert_eq!(report.outcomes[0].notes, ["3 ms"]);
    }
}
