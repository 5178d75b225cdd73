//! Owns a contestant's times in one case, and what is told of them.

use super::contestant::Pass;

/// Nanoseconds per segment, a pass each.
#[derive(Default)]
pub struct Samples {
    nanoseconds: Vec<f64>,
    segments_per_unit: Option<f64>,
}

/// What is told of a contestant in a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Half the passes took fewer nanoseconds per segment.
    pub median: f64,
    /// A tenth of the passes took no more.
    pub best_tenth: f64,
    /// None where nothing is coalesced.
    pub segments_per_unit: Option<f64>,
}

impl Samples {
    /// Adds a pass over that many segments.
    pub fn add(&mut self, pass: Pass, segments: usize) {
        self.nanoseconds.push(pass.nanoseconds as f64 / segments as f64);
        self.segments_per_unit = pass.units.map(|units| segments as f64 / f64::from(units));
    }

    /// The median and the best tenth.
    pub fn summary(mut self) -> Summary {
        self.nanoseconds.sort_by(f64::total_cmp);
        Summary {
            median: quantile(&self.nanoseconds, 2),
            best_tenth: quantile(&self.nanoseconds, 10),
            segments_per_unit: self.segments_per_unit,
        }
    }
}

/// The median of any values; not a number if there is none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 2)
}

/// What one in `parts` of the sorted values does not exceed; not a number if there is none.
fn quantile(sorted: &[f64], parts: usize) -> f64 {
    let rank = sorted.len().div_ceil(parts);
    rank.checked_sub(1).and_then(|at| sorted.get(at)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_best_tenth_of_twenty_passes() {
        let mut samples = Samples::default();
        for nanoseconds in (1..=20).rev() {
            samples.add(Pass { nanoseconds: nanoseconds * 100, units: Some(5) }, 10);
        }
        assert_eq!(samples.summary(), Summary { median: 100.0, best_tenth: 20.0, segments_per_unit: Some(2.0) });
    }

    #[test]
    fn one_pass_is_its_own_median() {
        let mut samples = Samples::default();
        samples.add(Pass { nanoseconds: 70, units: None }, 10);
        assert_eq!(samples.summary(), Summary { median: 7.0, best_tenth: 7.0, segments_per_unit: None });
    }
}
