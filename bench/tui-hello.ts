// The least that Ink can show: what the chat's first frame is compared with.
import { render, Text } from "ink";
import { createElement } from "react";

render(createElement(Text, null, "hello, world"));
