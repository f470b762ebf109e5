// The entry point of the page.
import { render } from "preact";
import { App } from "./app.tsx";
import { takeKey } from "./session/kept-key.ts";

const root = document.querySelector("#app");
const taken = await takeKey({ location, history, storage: sessionStorage, fetch: (url, init) => fetch(url, init) });
if (root !== null) render(<App first={taken} />, root);
