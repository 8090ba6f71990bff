// Moves the threshold, and with it the confusion matrix, the metrics and the marks in the plots.
(function () {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const slider = byId("threshold");
  const reset = byId("reset");
  if (!slider) {
    return;
  }
  const data = JSON.parse(byId("sweep").textContent);
  const DASH = "\u2013";

  // The same as share() in number_format.py.
  function share(part, whole) {
    if (!whole) {
      return DASH;
    }
    const value = part / whole;
    if (value >= 0.99995 && value < 1) {
      return ">99.99%";
    }
    return value > 0 && value < 0.00005 ? "<0.01%" : (100 * value).toFixed(2) + "%";
  }

  function write(id, text) {
    byId(id).textContent = text;
  }

  function writeCell(name, count, total) {
    write("n-" + name, count.toLocaleString("en-US"));
    write("p-" + name, share(count, total));
  }

  // A plot that could not be drawn has no dot and no line.
  function moveDot(id, x, y) {
    const dot = byId(id);
    if (dot) {
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
    }
  }

  function moveLine(id, x) {
    const line = byId(id);
    if (line) {
      line.setAttribute("d", line.getAttribute("d").replace(/([ML])[\d.]+/g, "$1" + x));
    }
  }

  function show() {
    const [label, tp, fp, thresholdX, scoreX, rocX, rocY, prX, prY] = data.rows[slider.value];
    const { positives, negatives } = data;
    const fn = positives - tp;
    const tn = negatives - fp;
    const all = positives + negatives;
    writeCell("tp", tp, positives);
    writeCell("fn", fn, positives);
    writeCell("fp", fp, negatives);
    writeCell("tn", tn, negatives);
    write("v-recall", share(tp, positives));
    write("v-fpr", share(fp, negatives));
    write("v-precision", share(tp, tp + fp));
    write("v-f1", tp + fp + fn ? ((2 * tp) / (2 * tp + fp + fn)).toFixed(4) : DASH);
    write("v-cost", all ? ((fp * data.costs[0] + fn * data.costs[1]) / all).toFixed(4) : DASH);
    write("at", label);
    slider.setAttribute("aria-valuetext", label);
    moveLine("thresholds-cut", thresholdX);
    moveLine("scores-cut", scoreX);
    moveDot("roc-dot", rocX, rocY);
    moveDot("pr-dot", prX, prY);
    reset.disabled = Number(slider.value) === data.at;
  }

  slider.addEventListener("input", show);
  reset.addEventListener("click", () => {
    slider.value = data.at;
    show();
    slider.focus();
  });
  // A browser may restore an earlier position when the page is reloaded.
  if (Number(slider.value) !== data.at) {
    show();
  }
})();
