// What every page of the book does: prints as on paper, and keeps Tab for what one reads and answers.
let theme = "";

addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});

addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
});

// Copy buttons are for the mouse: whoever uses the keyboard can select and copy.
addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.copybtn")) button.tabIndex = -1;
});
