// Begin the page that a server sends.

import { start } from "./app.js";
import { askServer } from "./server.js";

const root = document.querySelector(".nearfar-page");
start(root, askServer).then((page) => {
  if (page.facts) document.title = `${page.facts.name} - nearfar explorer`;
});
