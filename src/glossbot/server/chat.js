// Shows the conversation. Every piece of HTML that arrives was made harmless by the server (server/markup.py).
const log = element.querySelector(".gb-log");
const welcome = element.querySelector(".gb-welcome");
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
const narrow = window.matchMedia("(max-width: 36rem)");
const shown = new WeakMap();
const SLOTS = ["question", "note", "status", "progress", "cards", "answer", "end"];

function make(view) {
  const turn = document.createElement("article");
  turn.className = "gb-turn";
  turn.dataset.turn = view.turn;
  for (const slot of SLOTS) {
    const node = document.createElement(slot === "question" ? "h2" : "div");
    node.className = `gb-slot-${slot}`;
    turn.append(node);
  }
  // Cards are there to be read when wanted, not read out before the answer; progress is a remark.
  turn.querySelector(".gb-slot-cards").setAttribute("aria-live", "off");
  turn.querySelector(".gb-slot-progress").setAttribute("role", "status");
  log.append(turn);
  welcome.hidden = true;
  requestAnimationFrame(() => turn.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" }));
  return turn;
}

function fill(node, html) {
  if ((shown.get(node) ?? "") === html) return false;
  shown.set(node, html);
  node.innerHTML = html;
  return true;
}

function show(view) {
  if (!view || !view.turn) return;
  const turn = [...log.children].find((child) => child.dataset.turn === view.turn) ?? make(view);
  turn.setAttribute("aria-busy", String(view.running));
  for (const slot of ["question", "note", "status", "cards", "progress", "end"]) {
    const changed = fill(turn.querySelector(`.gb-slot-${slot}`), view[slot]);
    // On a phone, whole definitions would push the answer out of sight; their beginnings stay.
    if (changed && slot === "cards" && narrow.matches) {
      const cards = turn.querySelectorAll(".gb-card");
      if (cards.length > 1) for (const card of cards) card.open = false;
    }
  }
  // Sentences are only added, so that a screen reader says each of them once.
  const answer = turn.querySelector(".gb-slot-answer");
  for (const html of view.sentences.slice(answer.children.length)) answer.insertAdjacentHTML("beforeend", html);
}

function reveal(card) {
  for (const other of card.closest(".gb-turn").querySelectorAll(".gb-card")) other.classList.remove("gb-chosen");
  card.open = true;
  card.classList.add("gb-chosen");
  card.querySelector("summary").focus({ preventScroll: true });
  card.scrollIntoView({ block: "center", behavior: calm.matches ? "auto" : "smooth" });
}

element.addEventListener("click", (event) => {
  const marker = event.target.closest("a.gb-marker");
  const button = event.target.closest("button[data-ask]");
  if (marker) {
    event.preventDefault();
    const card = document.getElementById(marker.hash.slice(1));
    if (card) reveal(card);
  } else if (button) {
    trigger("submit", { question: button.dataset.ask });
  }
});

watch("value", () => show(props.value));
show(props.value);
