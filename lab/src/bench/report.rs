//! Owns what a run found, and prints it.

use std::io::{self, Write};

use anyhow::{Context, Result};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use super::Case;
use super::samples::Summary;

/// Every contestant's summaries, case by case.
#[derive(Default)]
pub struct Report {
    /// In the order of the first case.
    pub contestants: Vec<Contestant>,
}

/// A contestant by name.
pub struct Contestant {
    /// What the tables call it.
    pub name: &'static str,
    /// What it showed.
    pub summaries: Vec<(Case, Summary)>,
}

impl Report {
    /// Adds what a contestant showed in a case.
    pub fn add(&mut self, case: Case, name: &'static str, summary: Summary) {
        match self.contestants.iter_mut().find(|contestant| contestant.name == name) {
            Some(contestant) => contestant.summaries.push((case, summary)),
            None => self.contestants.push(Contestant { name, summaries: vec![(case, summary)] }),
        }
    }

    /// The values that a property of the cases has, in the order in which they came.
    pub fn distinct(&self, property: impl Fn(&Case) -> usize) -> Vec<usize> {
        let mut values = Vec::new();
        for (case, _) in self.contestants.iter().flat_map(|contestant| &contestant.summaries) {
            if !values.contains(&property(case)) {
                values.push(property(case));
            }
        }
        values
    }

    /// Prints the tables.
    ///
    /// # Errors
    ///
    /// An output that is closed.
    pub fn print(&self) -> Result<()> {
        let times = self.table(|summary| Some(format!("{:.1} ({:.1})", summary.median, summary.best_tenth)));
        let units = self.table(|summary| summary.segments_per_unit.map(|segments| format!("{segments:.1}")));
        let mut out = io::stdout().lock();
        writeln!(out, "Nanoseconds per segment, median (best tenth); flows / frames between two drains\n\n{times}\n")
            .and_then(|()| writeln!(out, "Segments per unit\n\n{units}"))
            .context("cannot write the tables")
    }

    /// A row for each contestant that has a cell, a column for each case.
    fn table(&self, cell: impl Fn(&Summary) -> Option<String>) -> Table {
        let cases = self.contestants.first().map_or(&[][..], |contestant| &contestant.summaries);
        let title = |(case, _): &(Case, Summary)| format!("{} / {}", case.flows, case.drain);
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN);
        table.set_header([String::new()].into_iter().chain(cases.iter().map(title)));
        for contestant in &self.contestants {
            let cells: Option<Vec<String>> = contestant.summaries.iter().map(|(_, summary)| cell(summary)).collect();
            if let Some(cells) = cells {
                table.add_row([contestant.name.to_owned()].into_iter().chain(cells));
            }
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}
