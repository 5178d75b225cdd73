//! Owns the plot of a run: two panels, one for each way to drain the ring; nanoseconds on a logarithmic axis.

use std::io;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::report::{Contestant, Report};
use super::samples::Summary;

const SIZE: (u32, u32) = (1040, 540);
/// Height of the lines that say what is what.
const LEGEND: u32 = 76;
/// Places in a line of the legend, and how far apart they are.
const PLACES: usize = 4;
const PLACE: (i32, i32) = (250, 26);

const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x5A, 0xB5),
    RGBColor(0x3D, 0x9B, 0xE9),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x99, 0x33, 0x99),
    RGBColor(0x55, 0x55, 0x55),
    RGBColor(0xAA, 0xAA, 0xAA),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// The plot as SVG.
///
/// # Errors
///
/// What the plotter cannot draw.
pub fn svg(report: &Report) -> Result<String> {
    let mut text = String::new();
    draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), report)?;
    Ok(text)
}

fn draw(area: &Area<'_>, report: &Report) -> Drawn {
    area.fill(&WHITE)?;
    let (top, plots) = area.split_vertically(LEGEND);
    legend(&top, report)?;
    let drains = report.distinct(|case| case.drain);
    for (panel, drain) in plots.split_evenly((1, drains.len())).iter().zip(drains) {
        draw_panel(panel, report, drain)?;
    }
    area.present()
}

/// The contestants with their colours.
fn coloured(report: &Report) -> impl Iterator<Item = (&Contestant, &'static RGBColor)> {
    report.contestants.iter().zip(COLOURS.iter().cycle())
}

fn legend(area: &Area<'_>, report: &Report) -> Drawn {
    for (index, (contestant, colour)) in coloured(report).enumerate() {
        let x = 60 + (index % PLACES) as i32 * PLACE.0;
        let y = 24 + (index / PLACES) as i32 * PLACE.1;
        area.draw(&PathElement::new([(x - 16, y), (x + 16, y)], colour.stroke_width(2)))?;
        area.draw(&Circle::new((x, y), 4, colour.filled()))?;
        area.draw(&Text::new(contestant.name, (x + 24, y - 7), ("sans-serif", 15)))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, report: &Report, drain: usize) -> Drawn {
    let (low, high) = bounds(report);
    let flows = report.distinct(|case| case.flows);
    let last = flows.len().saturating_sub(1);
    let mut chart = ChartBuilder::on(area)
        .caption(format!("everything is taken after {drain} frames"), ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((0..last).into_segmented(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc("flows, taking turns")
        .x_label_formatter(&|place| match place {
            SegmentValue::CenterOf(place) => flows.get(*place).map_or_else(String::new, usize::to_string),
            _ => String::new(),
        })
        .y_desc("ns per segment: median, down to the best tenth")
        .y_label_formatter(&|nanoseconds| nanoseconds.to_string())
        .label_style(("sans-serif", 14))
        .draw()?;
    for (contestant, colour) in coloured(report) {
        let points = || points(contestant, drain, &flows);
        let line = points().map(|(place, summary)| (SegmentValue::CenterOf(place), summary.median));
        chart.draw_series(LineSeries::new(line, colour.filled().stroke_width(2)).point_size(4))?;
        let whisker = |(place, summary): (usize, Summary)| {
            let ends = [summary.median, summary.best_tenth];
            PathElement::new(ends.map(|end| (SegmentValue::CenterOf(place), end)), colour)
        };
        chart.draw_series(points().map(whisker))?;
    }
    Ok(())
}

/// A contestant's summaries of one panel, by their place on the axis of flows.
fn points<'a>(
    contestant: &'a Contestant,
    drain: usize,
    flows: &'a [usize],
) -> impl Iterator<Item = (usize, Summary)> + use<'a> {
    contestant.summaries.iter().filter(move |(case, _)| case.drain == drain).filter_map(|(case, summary)| {
        let place = flows.iter().position(|&flows| flows == case.flows)?;
        Some((place, *summary))
    })
}

/// The decades that hold every value.
fn bounds(report: &Report) -> (f64, f64) {
    let summaries = || report.contestants.iter().flat_map(|contestant| &contestant.summaries);
    let low = summaries().map(|(_, summary)| summary.best_tenth).fold(f64::INFINITY, f64::min);
    let high = summaries().map(|(_, summary)| summary.median).fold(1.0, f64::max);
    (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()))
}
