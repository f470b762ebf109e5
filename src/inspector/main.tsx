// The entry of the page.
import { render } from "preact";
import { App } from "./app.tsx";
import { takeKey } from "./session/kept-key.ts";

const root = document.querySelector("#app");
if (root !== null) render(<App firstKey={takeKey({ location, history, storage: sessionStorage })} />, root);
