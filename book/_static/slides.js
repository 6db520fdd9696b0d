// A deck where there is room for one; on a phone, without this script and where it is asked for (?plain), the slides
// stand one below the other: a deck does not grow when the browser's letters do.
"use strict";
(() => {
  const room = matchMedia("(min-width: 700px)");
  const start = () => {
    document.getElementById("reveal-style").media = "all";
    document.documentElement.classList.remove("slides-plain");
    Reveal.initialize({
      width: 1200, height: 700, margin: 0.05, hash: true, center: false, transition: "none", backgroundTransition: "none",
      controlsTutorial: false, slideNumber: "c/t", pdfSeparateFragments: false, scrollActivationWidth: null,
    });
  };
  const begin = () => {
    if (new URLSearchParams(location.search).has("plain")) return;
    if (room.matches) start();
    // A phone that is turned, a window that is made wider: from then on it is a deck.
    else room.addEventListener("change", start, { once: true });
  };
  // Formulas are measured while all slides are visible.
  if (window.MathJax && MathJax.startup && MathJax.startup.promise) MathJax.startup.promise.then(begin);
  else begin();
})();
