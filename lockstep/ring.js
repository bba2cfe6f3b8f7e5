// Shows one step of a ring at a time. What is in it was simulated by lockstep/ring.py.
for (const root of document.querySelectorAll(".lockstep-ring:not([data-ready])")) {
  root.dataset.ready = "";
  const steps = [...root.querySelectorAll("li")];
  const list = root.querySelector("ol");
  list.setAttribute("aria-live", "polite");
  let at = 0;
  const button = (text, by) => {
    const node = document.createElement("button");
    node.type = "button";
    node.textContent = text;
    node.dataset.lmSuppressShortcuts = ""; // JupyterLab would take Enter for its own
    node.addEventListener("click", () => show(at + by));
    return [node, by];
  };
  const buttons = [button("Back", -1), button("Step", 1)];
  const show = (to) => {
    at = Math.min(Math.max(to, 0), steps.length - 1);
    steps.forEach((step, i) => { step.hidden = i !== at; });
    // Not disabled: a button that is loses the focus.
    for (const [node, by] of buttons) node.setAttribute("aria-disabled", String(!steps[at + by]));
  };
  const bar = document.createElement("p");
  bar.append(...buttons.map(([node]) => node));
  list.before(bar);
  show(0);
}
