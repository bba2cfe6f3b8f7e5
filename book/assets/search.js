// The search page: sections of the book that have the words of the address, the best pages first.
import * as pagefind from "../pagefind/pagefind.js";

const MOST_PAGES = 12;
const MOST_SECTIONS = 3; // of a page

const words = new URLSearchParams(location.search).get("q")?.trim() ?? "";
const results = document.getElementById("search-results");
const field = document.querySelector("main form.bd-search input");

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// The excerpt is Pagefind's: escaped text with <mark> around the words.
function item(section) {
  const excerpt = element("p", { innerHTML: section.excerpt });
  return element("li", {}, element("a", { href: section.url, textContent: section.title }), excerpt);
}

function worth(section) {
  return section.weighted_locations.reduce((sum, place) => sum + place.balanced_score, 0);
}

function pageOf(found) {
  const sections = [...found.sub_results].sort((a, b) => worth(b) - worth(a));
  const title = element("h2", {}, element("a", { href: found.url, textContent: found.meta.title }));
  const list = element("ul", {}, ...sections.slice(0, MOST_SECTIONS).map(item));
  return element("section", { className: "found" }, title, list);
}

async function show() {
  await pagefind.options({ baseUrl: new URL("..", import.meta.url).pathname });
  const { results: all } = await pagefind.search(words);
  const pages = await Promise.all(all.slice(0, MOST_PAGES).map((result) => result.data()));
  const count = all.length === 1 ? "1 page has" : `${all.length} pages have`;
  const said = all.length ? `${count} “${words}”.` : `No page has “${words}”. Try fewer words.`;
  results.replaceChildren(element("p", { role: "status", textContent: said }), ...pages.map(pageOf));
}

if (words) {
  if (field) field.value = words;
  results.textContent = "Searching …";
  show().catch((error) => {
    results.textContent = `The search does not work here: ${error.message}`;
  });
}
