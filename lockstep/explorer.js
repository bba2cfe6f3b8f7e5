// Makes a form of every explorer on the page and draws what it chose. Nothing is simulated here:
// lockstep/explorer.py has done that, and says how long each operation is and when a rank idles.
(() => {
  const LEFT = 48, RIGHT = 10, ROW = 24, BAR = 20, LOWER = 15, LETTER = 6, NARROWEST = 2.5;  // CSS pixels

  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    // JupyterLab would take arrow keys, Enter and letters for its own shortcuts.
    if (node.tabIndex >= 0 || tag === "summary") node.dataset.lmSuppressShortcuts = "";
    return node;
  };
  const cell = (text, tag = "td") => make(tag, tag === "th" ? { scope: "row" } : {}, text);
  const round = (number) => Math.round(100 * number) / 100;

  // What each rank does when, in ticks: from the letters of its order, and from its pauses, which
  // are pairs of how many operations come before one and how long it is.
  const decode = ({ order, runs }, run, lengths) => order.map((letters, rank) => {
    const pauses = runs[run][5].split("|")[rank].split(" ").map(Number);
    const done = {};
    let time = 0, together = 0;
    return [...letters].map((letter) => {
      if (pauses.length > 1 && together === pauses[0]) {
        time += pauses[1];
        together = 0;
        pauses.splice(0, 2);
      }
      together += 1;
      const kind = letter.toUpperCase(), second = kind !== letter, start = time;
      const microBatch = done[letter] = (done[letter] ?? -1) + 1;
      time += lengths[kind];
      return { kind, second, stage: second ? rank + order.length : rank, microBatch, start, end: time };
    });
  });

  // Bars as a path a kind. White lines tell kinds apart where there is no colour, and no room for
  // letters: none on a forward pass, two on a backward pass for weights.
  const paint = (bars, colours) => {
    const shapes = {};
    let lines = "";
    for (const { kind, x, y, width, height } of bars) {
      shapes[kind] = `${shapes[kind] ?? ""}M${x} ${y}h${width}v${height}h${-width}z`;
      if (kind !== "F") lines += `M${x} ${y + height - 2}h${width}`;
      if (kind === "W") lines += `M${x} ${y + 2}h${width}`;
    }
    const paths = Object.entries(shapes).map(([kind, d]) =>
      `<path class="${kind}" fill="${colours[kind]}" d="${d}"/>`);
    return `${paths.join("")}<path stroke="#fff" stroke-width="1" d="${lines}"/>`;
  };

  const timeline = (lanes, span, scale, { ticks, colours }, label) => {
    const height = lanes.length * ROW, all = LEFT + span * scale + RIGHT;
    const bars = lanes.flatMap((ops, rank) => ops.map(({ kind, second, microBatch, start, end }) => ({
      kind, microBatch,
      x: round(LEFT + start * scale), width: round(Math.max((end - start) * scale - 0.8, 0.8)),
      y: rank * ROW + (second ? BAR - LOWER : 0), height: second ? LOWER : BAR,
    })));
    const letters = bars.map(({ kind, microBatch, x, y, width, height }) => {
      const text = [`${kind}${microBatch}`, `${microBatch}`].find((t) => t.length * LETTER + 1 <= width);
      return text ? `<text x="${round(x + width / 2)}" y="${y + height / 2 + 3}">${text}</text>` : "";
    });
    const ranks = lanes.map((_, rank) => `<text x="0" y="${rank * ROW + 14}">rank ${rank}</text>`);
    const step = [1, 2, 5, 10, 20, 50, 100].find((units) => units * ticks * scale >= 36);
    let axis = "";
    for (let time = 0; time * ticks <= span; time += step) {
      const x = round(LEFT + time * ticks * scale);
      axis += `<path d="M${x} ${height}v4" stroke="currentColor"/>` +
        `<text x="${x}" y="${height + 16}">${time}</text>`;
    }
    return `<svg role="img" aria-label="${label}" width="${round(all)}" height="${height + 20}"
      data-left="${LEFT}" data-scale="${scale * ticks}"><g>${ranks.join("")}</g>
      ${paint(bars, colours)}<g class="white">${letters.join("")}</g><g class="axis">${axis}</g></svg>`;
  };

  // What lockstep.trace.chrome_trace makes of events: a process a rank, a thread a kind.
  const chromeTrace = (shown, ticks) => {
    const lanes = shown.flatMap(({ name, lanes }) => lanes.map((ops, rank) => [`${name}, rank ${rank}`, ops]));
    return { traceEvents: lanes.flatMap(([name, ops], index) => [
      { name: "process_name", ph: "M", pid: index + 1, args: { name } },
      ...ops.map(({ kind, microBatch, start, end }) => ({ name: `${kind}${microBatch}`, ph: "X",
        pid: index + 1, tid: kind, ts: 1e6 * start / ticks, dur: 1e6 * (end - start) / ticks })),
    ]) };
  };

  const build = (root) => {
    const data = JSON.parse(root.querySelector("[type='application/json']").textContent);
    const start = JSON.parse(root.dataset.start);
    const { schedules, ticks, colours } = data;

    // What is chosen: places in lists, but for the schedules.
    const field = (input, value, ...label) => {
      input.autocomplete = "off";
      input.value = value;
      choices.append(make("label", {}, make("span", {}, ...label), input));
      return input;
    };
    const select = (label, options, value) => {
      const input = field(make("select", {}, ...options.map(([key, text]) => new Option(text, key))), value, label);
      input.parentElement.hidden = data.brief;
      return input;
    };
    const slider = (label, values, value) => {
      const shown = make("b", {});
      const input = field(make("input", { type: "range", max: values.length - 1 }), value, label, " ", shown);
      const say = () => input.setAttribute("aria-valuetext", shown.textContent = values[input.value]);
      input.addEventListener("input", say);
      say();
      return input;
    };
    const names = Object.entries(schedules).map(([key, { name }]) => [key, name]);
    const choices = make("div", { className: "choices" });
    const upper = select("Schedule", names, start.schedule);
    const lower = select("Compare with", [["", "nothing"], ...names], start.compare);
    const stages = slider("Ranks, K:", data.stages, start.stages);
    const batches = slider("Micro-batches, M:", data.micro_batches, start.micro_batches);
    const ratios = data.costs.map((numbers) => numbers.join(" : "));
    const costs = select("Costs, F : I : W", Object.entries(ratios), start.costs);
    const message = select("Messages", Object.entries(data.message), start.message);
    const again = select("Recomputation", Object.entries(data.recompute), start.recompute);

    // What is shown
    const status = make("p", {});
    status.setAttribute("role", "status");
    const drawing = make("div", { className: "drawing", tabIndex: 0 });
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-label", "Timelines");
    const legend = make("p", { className: "legend" });
    const unit = make("span", {});
    const download = make("a", { download: "timeline.json" }, "Download the events");
    const perfetto = make("a", { href: "https://ui.perfetto.dev" }, "Perfetto");
    const below = make("p", { className: "below" }, unit, download, " and open them in ", perfetto, ".");
    const facts = make("div", { className: "facts" });
    const held = make("table", { className: "held" });
    const orders = make("div", {});
    const all = root.querySelector(".all");
    all.dataset.lmSuppressShortcuts = "";
    const caption = all.querySelector("caption");
    root.querySelector(".how").remove();
    all.before(choices, status, drawing, below, legend, facts, held);
    all.hidden = facts.hidden = data.brief;
    if (!data.brief) all.after(make("details", {},
      make("summary", {}, "The order of each rank, as schedules.parse reads it"), orders));

    let shown = [], drawnIn;
    const draw = () => {
      drawnIn = drawing.clientWidth;
      const span = Math.max(...shown.map(({ makespan }) => makespan));
      const scale = Math.max((drawnIn - LEFT - RIGHT) / span, NARROWEST);
      drawing.innerHTML = shown.map(({ name, lanes, makespan, sentence }) =>
        `<p>${name}: makespan ${makespan / ticks}</p>` +
        timeline(lanes, span, scale, data, `Timeline of ${sentence}`)).join("");
      below.hidden = !shown.length;
      unit.textContent = `Time, in units in which F takes ${data.costs[costs.value][0]}. `;
      download.href = "data:application/json," +
        encodeURIComponent(JSON.stringify(chromeTrace(shown, ticks)));
    };

    const update = () => {
      const ranks = data.stages[stages.value], count = data.micro_batches[batches.value];
      const run = (costs.value * data.message.length + Number(message.value)) * data.recompute.length + Number(again.value);
      const look = (key) => {  // what Python found, in words
        const { name, at, lengths } = schedules[key];
        const found = at[`${ranks} ${count}`];
        if (!found.runs) return { name, reason: found, sentence: `${name} is not possible. ${found}.` };
        const [makespan, used, share, over, text] = found.runs[run];
        const peaks = found.peaks[again.value];
        const most = Math.max(...peaks), everywhere = peaks.every((peak) => peak === most);
        const where = everywhere ? "every rank" : `rank ${peaks.indexOf(most)}`;
        return {
          name, makespan, used, share, over, peaks, most,
          lanes: decode(found, run, lengths[run]),
          closed: data.texts[text],
          sentence: `${name}, ${ranks} ranks, ${count} micro-batches: makespan ${makespan / ticks}, ` +
            `bubble ${share} of all time, at most ${most} micro-batches held, on ${where}.`,
        };
      };
      const keys = [...new Set([upper.value, lower.value])].filter(Boolean);
      const seen = keys.map(look);
      shown = seen.filter(({ lanes }) => lanes);
      status.textContent = seen.map(({ sentence }) => sentence).join(" ");
      draw();

      const meanings = { F: "forward pass", B: "backward pass, whole", I: "backward pass for inputs",
        W: "backward pass for weights" };
      const kinds = new Set(shown.flatMap(({ lanes }) => lanes[0].map(({ kind }) => kind)));
      legend.innerHTML = [...kinds].map((kind) => `<span><svg width="22" height="${BAR}" aria-hidden="true">` +
        paint([{ kind, x: 0, y: 0, width: 22, height: BAR }], colours) +
        `</svg> ${kind}: ${meanings[kind]}</span>`).join("") +
        (shown.some(({ lanes }) => lanes[0].some(({ second }) => second))
          ? "<span>a lower bar: the rank's second chunk</span>" : "");
      facts.replaceChildren(...shown.map(({ name, used, share, over, closed }) => make("p", {},
        make("b", {}, `${name}. `),
        `Counted: utilisation ${used}, bubble ${share} of all time, ${over} over the ideal time. ${closed}`)));

      const largest = Math.max(...shown.map(({ most }) => most));
      const bar = (peak) => {
        const node = make("i", {});
        node.style.width = `${100 * peak / largest}%`;
        return node;
      };
      held.hidden = data.brief || !shown.length;
      held.replaceChildren(
        make("caption", {}, "Most activations that a rank holds at once. 1 is all that one micro-batch " +
          "needs on all layers of a rank" + (kinds.has("W") ? ", held until its W is done." : ".")),
        make("tr", {}, cell("", "td"), ...shown.map(({ name }) => make("th", { scope: "col" }, name))),
        ...Array.from({ length: ranks }, (_, rank) => make("tr", {}, cell(`rank ${rank}`, "th"),
          ...shown.map(({ peaks }) => make("td", {}, `${peaks[rank]}`, bar(peaks[rank]))))));

      caption.textContent = `All schedules: ${ranks} ranks, ${count} micro-batches, F : I : W = ` +
        `${ratios[costs.value]}, messages: ${data.message[message.value]}, ` +
        `recomputation: ${data.recompute[again.value]}`;
      Object.keys(schedules).forEach((key, index) => {
        const { name, makespan, share, over, most, reason } = look(key);
        const texts = reason ? [`${name}, not with ${count}`, ..."––––"]
          : [name, makespan / ticks, share, over, most];
        [...all.querySelectorAll("tbody tr")[index].cells].forEach((node, i) => {
          node.textContent = texts[i];
        });
        for (const input of [upper, lower]) {
          const choice = [...input.options].find(({ value }) => value === key);
          choice.disabled = Boolean(reason) && input.value !== key;
          choice.textContent = texts[0];
        }
      });
      orders.replaceChildren(...shown.flatMap(({ name, lanes }) => [
        make("p", {}, name),
        make("pre", { tabIndex: 0 }, lanes.map((ops) => ops.map(({ stage, kind, microBatch }) =>
          `${stage}${kind}${microBatch}`).join(" ")).join("\n")),
      ]));
    };

    choices.addEventListener("input", update);
    update();
    new ResizeObserver(() => drawing.clientWidth !== drawnIn && draw()).observe(drawing);
  };

  for (const root of document.querySelectorAll(".lockstep-explorer:not([data-ready])")) {
    root.dataset.ready = "";
    build(root);
  }
})();
