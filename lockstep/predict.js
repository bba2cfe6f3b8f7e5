// Keeps what a reader predicts in this browser, and sets it beside what was measured.
(() => {
  const key = (node) => `lockstep/${node.dataset.prediction}`;
  // A page that may not store anything, such as a file or a private window, asks all the same.
  const read = (node) => {
    try { return localStorage.getItem(key(node)) ?? ""; } catch { return ""; }
  };
  const write = (node) => {
    try {
      if (node.value.trim()) localStorage.setItem(key(node), node.value.trim());
      else localStorage.removeItem(key(node));
    } catch { /* nothing is kept */ }
  };
  // "6", "6.0", "6,0", ".5", "6e3". "1,000" can be read two ways: no number.
  const parse = (text) => {
    if (/^[-+]?\d{1,3}(,\d{3})+$/.test(text)) return NaN;
    const plain = text.replace("\u2212", "-").replace(",", ".");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  };
  const tell = () => {
    for (const node of document.querySelectorAll(".lockstep-predict .measured")) {
      const { value, unit } = node.dataset;
      const said = read(node).slice(0, 40);
      const number = parse(unit && said.endsWith(unit) ? said.slice(0, -unit.length).trim() : said);
      const known = !Number.isNaN(number);
      node.querySelector(".said").textContent =
        !said ? "" : known ? `You said ${number} ${unit}`.trim() + ". " : `You said “${said}”. `;
      node.querySelector(".ratio").textContent =
        known && said && number ? `, ${(value / number).toPrecision(3)} times that` : "";
    }
  };
  for (const box of document.querySelectorAll(".lockstep-predict input:not([data-ready])")) {
    box.dataset.ready = box.dataset.lmSuppressShortcuts = "";
    box.value = read(box);
    box.addEventListener("input", () => {
      write(box);
      tell();
    });
  }
  tell();
})();
