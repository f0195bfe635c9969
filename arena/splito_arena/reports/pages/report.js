"use strict";
// Draws what is in #plots, in the colours of the page; again when these change.

const plots = JSON.parse(document.getElementById("plots").textContent);
const CONFIG = { responsive: true, displaylogo: false, displayModeBar: false, scrollZoom: false };

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function painted(trace) {
  const own = colour(trace.meta || "first");
  if (trace.type === "heatmap") {
    return { ...trace, colorscale: [[0, colour("low")], [0.5, colour("middle")], [1, colour("high")]] };
  }
  const bars = trace.error_x ? { ...trace.error_x, color: own } : undefined;
  return { ...trace, marker: { ...trace.marker, color: own }, line: { ...trace.line, color: own }, error_x: bars };
}

function axis(given) {
  return {
    ...given, gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), automargin: true,
    fixedrange: true,
  };
}

function laid(layout) {
  return {
    ...layout,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: false,
    font: { color: colour("ink"), family: "system-ui, sans-serif", size: 13 },
    hoverlabel: { bgcolor: colour("band"), bordercolor: colour("line"), font: { color: colour("ink") }, align: "left" },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    margin: { l: 10, r: 15, t: layout.showlegend ? 40 : 10, b: 40 },
    xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
  };
}

function draw() {
  return Promise.all(plots.map(({ id, traces, layout }) =>
    Plotly.react(id, traces.map(painted), laid(layout), CONFIG)));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw().then(() => { document.documentElement.dataset.drawn = plots.length; });
