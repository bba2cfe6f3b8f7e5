// Turns the folds of every quiz on the page into forms, a fold a question, of which the first is open.
// A quiz that has its forms is left alone.
(() => {
  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    // JupyterLab would take arrow keys, Enter and letters for its own shortcuts.
    if (/input|button|summary/.test(tag)) node.dataset.lmSuppressShortcuts = "";
    return node;
  };
  const copy = (node) => node.cloneNode(true).childNodes;

  // "6", "6.0", "6,0", ".5", "6e3", with or without the unit. "1,000" can be read two ways: NaN.
  const parse = (text, unit) => {
    let plain = text.trim().replace("\u2212", "-");
    if (unit && plain.endsWith(unit)) plain = plain.slice(0, -unit.length).trim();
    if (/^[-+]?\d{1,3}(,\d{3})+$/.test(plain)) return NaN;
    plain = plain.replace(",", ".");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  };

  // The proof is on this page, or in this notebook. Where that is out of reach, as in Colab, the
  // section's name has to do: the style sheet shows it instead of the link.
  const anchor = (text) => text.toLowerCase().normalize("NFKD").replace(/[^\0-\x7f]/g, "")
    .replace(/[^a-z0-9]+/g, "-").replace(/^[-0-9]+|-+$/g, "");
  const point = (link) => {
    if (!link.hasAttribute("href")) return;
    const section = link.getAttribute("href").slice(1);
    const heading = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].find(
      (other) => anchor(other.textContent) === section || other.parentNode.id === section);
    if (!heading) {
      link.removeAttribute("href");
      return;
    }
    link.textContent = `section “${heading.textContent.replace(/[#¶]\s*$/, "").trim()}”`;
    if (!document.getElementById(section)) {
      link.onclick = (event) => {
        event.preventDefault();
        heading.scrollIntoView();
      };
    }
  };

  const build = (question, first) => {
    const { tolerance, unit } = question.dataset;
    const number = tolerance !== undefined;
    const answers = [...question.querySelectorAll("details")].map((fold) => ({
      right: fold.className === "right",
      value: fold.dataset.value,
      text: fold.querySelector("summary"),
      feedback: fold.querySelector("p"),
    }));
    const many = answers.filter(({ right }) => right).length > 1;

    const type = number ? "text" : many ? "checkbox" : "radio";
    const inputs = (number ? answers.slice(0, 1) : answers).map(() =>
      make("input", { type, name: "answer" }));
    const labels = inputs.map((input, i) => number
      ? make("label", { className: "entry" }, make("span", {}, "Your answer"), input, unit)
      : make("label", {}, input, make("span", {}, ...copy(answers[i].text))));
    const check = make("button", { type: "button" }, "Check");
    const again = make("button", { type: "button" }, "Try again");
    const status = make("div", { role: "status" });
    const rest = make("details", { className: "rest" });
    const stem = make("summary", { className: "stem" }, ...question.querySelector(".stem").childNodes);
    const proof = question.querySelector(".proof");
    const group = make("fieldset", {}, ...labels);
    group.setAttribute("aria-label", stem.textContent.replace(/\s+/g, " ").trim());
    const form = make("form", { autocomplete: "off" }, group, check, again, status, rest, proof);
    const hint = stem.querySelector(".hint");
    if (number) {
      inputs[0].inputMode = "decimal";
      hint.textContent = "Enter a number.";
    }
    form.prepend(hint);

    const explain = (answer, named) =>
      make("div", { className: answer.right ? "right" : "wrong" },
        ...(named ? [make("p", { className: "name" }, ...copy(answer.text))] : []),
        make("p", {}, ...copy(answer.feedback)));
    const chosen = () => {
      if (!number) return answers.filter((_, i) => inputs[i].checked);
      const entered = parse(inputs[0].value, unit);
      if (Number.isNaN(entered)) return [];
      const near = ({ value }) => Math.abs(entered - value) <= tolerance * Math.abs(value);
      return [answers.find(near) ?? answers.find(({ value }) => value === undefined)];
    };
    const clear = () => {
      status.replaceChildren();
      again.hidden = rest.hidden = proof.hidden = true;
      for (const label of labels) label.classList.remove("right", "wrong");
    };
    const judge = () => {
      clear();
      const picked = chosen();
      if (!picked.length) {
        status.append(make("p", {}, number
          ? "Enter a number such as 6 or 0.5, without thousands separators."
          : "Choose an answer first."));
        return;
      }
      const others = answers.filter((answer) => !picked.includes(answer) && (answer.right || !number));
      const wrong = picked.filter(({ right }) => !right).length;
      const missing = others.filter(({ right }) => right).length;
      const solved = !wrong && (number || !missing);
      if (many) {
        const counts = [
          wrong && `${wrong} of your choices ${wrong > 1 ? "are" : "is"} wrong.`,
          missing && `${missing} right ${missing > 1 ? "answers are" : "answer is"} missing.`,
        ];
        status.append(make("p", {}, make("b", {}, solved ? "All right." : "Not yet."), " ",
          counts.filter(Boolean).join(" ")));
      }
      status.append(...picked.map((answer) => explain(answer, many)));
      rest.replaceChildren(
        make("summary", {}, missing ? "Show the answer" : "Why not the others"),
        ...others.map((answer) => explain(answer, true)));
      rest.open = false;
      rest.hidden = !others.length;
      again.hidden = solved;
      proof.hidden = false;
      point(proof.querySelector("a"));
      labels.forEach((label, i) => {
        if (number) label.classList.add(solved ? "right" : "wrong");
        else if (inputs[i].checked) label.classList.add(answers[i].right ? "right" : "wrong");
      });
    };

    clear();
    check.onclick = judge;
    again.onclick = () => {
      form.reset();
      clear();
      inputs[0].focus();
    };
    form.oninput = clear;
    // Nothing is submitted: a frame sandboxed without allow-forms would not even say so.
    form.onkeydown = (event) => {
      if (event.key === "Enter" && inputs.includes(event.target)) {
        event.preventDefault();
        judge();
      }
    };
    const fold = make("details", { className: "whole", open: first }, stem, form);
    question.replaceChildren(fold);
  };

  for (const quiz of document.querySelectorAll(".lockstep-quiz:not([data-ready])")) {
    quiz.dataset.ready = "";
    quiz.querySelector(".how").remove();
    quiz.querySelectorAll(".question").forEach((question, i) => build(question, i === 0));
  }
})();
