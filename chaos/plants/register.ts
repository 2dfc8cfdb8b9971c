/** A client process imports this first: it plants the bug named by `QUORATE_CHAOS_PLANT`. */
import { register } from "node:module";

register(new URL("hooks.js", import.meta.url), { data: process.env["QUORATE_CHAOS_PLANT"] });
