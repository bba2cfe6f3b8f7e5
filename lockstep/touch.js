// Shows the picture of what is chosen, of those that are in the page already.
(() => {
  for (const box of document.querySelectorAll(".lockstep-touch:not([data-ready])")) {
    box.dataset.ready = box.dataset.lmSuppressShortcuts = "";
    const controls = [...box.querySelectorAll(".choices :is(input, select)")];
    const frames = [...box.querySelectorAll(".frame")];
    const size = (control) => control.options?.length ?? Number(control.max) + 1;
    const place = (control) => control.selectedIndex ?? Number(control.value);
    const show = () => {
      let chosen = 0;
      for (const control of controls) {
        chosen = chosen * size(control) + place(control);
        if (control.dataset.values) {
          const value = control.dataset.values.split(" ")[place(control)];
          control.setAttribute("aria-valuetext", value);
          control.closest("label").querySelector("b").textContent = value;
        }
      }
      frames.forEach((frame, at) => { frame.hidden = at !== chosen; });
      return frames[chosen];
    };
    for (const control of controls) {
      control.addEventListener("input", () => {
        const picture = show().querySelector("[role=img]");
        box.querySelector(".said").textContent = picture?.getAttribute("aria-label") ?? "";
      });
    }
    box.querySelector(".choices").hidden = false;
    show(); // a browser that goes back keeps what was chosen
  }
})();
