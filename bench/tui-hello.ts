// A hello-world program in Ink: the floor of the chat's first frame.
import { render, Text } from "ink";
import { createElement } from "react";

render(createElement(Text, null, "hello, world"));
