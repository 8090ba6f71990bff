"""The script of a page: moves the threshold, and with it the matrix, the figures and the marks."""

# Rows of the data: label, true positives, false positives, x in the plot of thresholds, x in that of scores,
# then x and y of the point in the ROC and in the precision-recall plot (null where there is none).
SCRIPT = """
(function () {
  "use strict";
  var byId = function (name) { return document.getElementById(name); };
  var slider = byId("threshold"), reset = byId("reset");
  if (!slider) { return; }
  var data = JSON.parse(byId("sweep").textContent);
  var share = function (part, whole) {
    if (!whole) { return "\\u2013"; }
    var value = part / whole;
    if (value >= 0.99995 && value < 1) { return ">99.99%"; }
    return value > 0 && value < 0.00005 ? "<0.01%" : (100 * value).toFixed(2) + "%";
  };
  var write = function (name, value) { byId(name).textContent = value; };
  var put = function (name, x, y) {
    var dot = byId(name);
    if (dot && x !== null) { dot.setAttribute("cx", x); dot.setAttribute("cy", y); }
  };
  var cut = function (name, x) {
    var line = byId(name);
    if (line) { line.setAttribute("d", line.getAttribute("d").replace(/([ML])[\\d.]+/g, "$1" + x)); }
  };
  var show = function () {
    var row = data.rows[slider.value], tp = row[1], fp = row[2];
    var fn = data.positives - tp, tn = data.negatives - fp, all = data.positives + data.negatives;
    var cell = function (name, n, whole) {
      write("n-" + name, n.toLocaleString("en-US"));
      write("p-" + name, share(n, whole));
    };
    cell("tp", tp, data.positives);
    cell("fn", fn, data.positives);
    cell("fp", fp, data.negatives);
    cell("tn", tn, data.negatives);
    write("v-recall", share(tp, data.positives));
    write("v-lost", share(fp, data.negatives));
    write("v-precision", share(tp, tp + fp));
    write("v-f1", tp + fp + fn ? (2 * tp / (2 * tp + fp + fn)).toFixed(4) : "\\u2013");
    write("v-cost", all ? ((fp * data.costs[0] + fn * data.costs[1]) / all).toFixed(4) : "\\u2013");
    write("at", row[0]);
    slider.setAttribute("aria-valuetext", row[0]);
    cut("thresholds-cut", row[3]);
    cut("scores-cut", row[4]);
    put("roc-dot", row[5], row[6]);
    put("pr-dot", row[7], row[8]);
    reset.disabled = Number(slider.value) === data.at;
  };
  slider.addEventListener("input", show);
  reset.addEventListener("click", function () { slider.value = data.at; show(); slider.focus(); });
  if (Number(slider.value) !== data.at) { show(); }
}());
"""
