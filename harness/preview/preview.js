// The page as it grows. It was written by a model, so the frame that shows it is sandboxed with nothing allowed (no
// script, no form, no popup, no way to the pages above it, an origin of its own), and a policy inside forbids every
// request. That is the lock. `harmless` only takes out beforehand what would be refused anyway and would fill the
// console, and what makes a browser open a connection without a request: pressing a link.

const FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";
const MOST_CODE = 200_000; // characters of code that are laid out
const LEFT_OUT = "script, link, meta, base, iframe, frame, object, embed, template";
const LEADS_AWAY = new Set(["action", "background", "data", "formaction", "href", "ping", "poster", "src", "srcset"]);

const trusted = globalThis.trustedTypes ?? { createPolicy: (_, rules) => rules };
const policy = trusted.createPolicy("preview", { createHTML: (markup) => markup });

function harmless(code) {
  const inert = new DOMParser().parseFromString(policy.createHTML(code), "text/html");
  for (const element of inert.querySelectorAll(LEFT_OUT)) element.remove();
  for (const element of inert.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      const plain = name.toLowerCase().replace(/^xlink:/, "");
      const away = LEADS_AWAY.has(plain) && !/^(#|data:image\/)/i.test(value);
      if (away || plain.startsWith("on")) element.removeAttribute(name);
    }
  }
  const meta = inert.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = FRAME_POLICY;
  inert.head.prepend(meta);
  return `<!doctype html>${inert.documentElement.outerHTML}`;
}

export class Preview {
  #page;
  #frames;
  #loading = false;
  #shown = null;
  #wanted = null;

  constructor(page) {
    this.#page = page;
    this.#frames = [...page.querySelectorAll("iframe")];
    for (const frame of this.#frames) frame.addEventListener("load", () => this.#loaded(frame));
    page.querySelector("#show-preview").addEventListener("click", () => this.#choose("preview"));
    page.querySelector("#show-code").addEventListener("click", () => this.#choose("code"));
  }

  // The whole code as it is now; `kind` is preview, result or final.
  show(code, kind) {
    const cut = code.length > MOST_CODE;
    this.#page.querySelector("#code").textContent = cut ? `${code.slice(0, MOST_CODE)}\n\u2026 cut here` : code;
    const size = `${code.length.toLocaleString("en")} characters`;
    this.#page.querySelector("#size").textContent = kind === "preview" ? `${size} so far` : size;
    this.#page.querySelector("#empty").hidden = true;
    this.#wanted = code;
    if (!this.#loading) this.#load();
  }

  // There is no code, or none yet.
  clear(why = "No page yet") {
    this.#page.querySelector("#empty").textContent = why;
    this.#page.querySelector("#empty").hidden = false;
    this.#page.querySelector("#size").textContent = "";
    this.#page.querySelector("#code").textContent = "";
    for (const frame of this.#frames) frame.classList.remove("seen");
    this.#loading = false;
    this.#shown = this.#wanted = null;
  }

  // Nothing more comes.
  end() {
    this.#page.querySelector("#empty").textContent = "No page";
  }

  // States that come while one is loading are passed over, but for the last.
  #load() {
    if (this.#wanted === this.#shown) return;
    this.#loading = true;
    this.#shown = this.#wanted;
    this.#frames[1].srcdoc = policy.createHTML(harmless(this.#wanted));
  }

  #loaded(frame) {
    if (!this.#loading || frame !== this.#frames[1]) return;
    this.#frames.reverse();
    this.#frames[0].classList.add("seen");
    this.#frames[0].title = "Preview of the page";
    this.#frames[1].classList.remove("seen");
    this.#frames[1].title = "Preview of the page, loading";
    this.#loading = false;
    this.#load();
  }

  #choose(what) {
    for (const each of ["preview", "code"]) {
      this.#page.querySelector(`#${each}`).hidden = each !== what;
      this.#page.querySelector(`#show-${each}`).setAttribute("aria-pressed", String(each === what));
    }
  }
}
