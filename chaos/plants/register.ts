/** Imported by a client process before all else: puts the bug named by `QUORATE_CHAOS_PLANT` into it. */
import { register } from "node:module";

register(new URL("hooks.js", import.meta.url), { data: process.env["QUORATE_CHAOS_PLANT"] });
