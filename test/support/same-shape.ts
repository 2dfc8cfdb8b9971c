import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";

/** Until V8 has seen what a place in the code creates, it creates it in another way. */
const WARM_UP = 1_000;

/**
 * Whether what is made again and again has one hidden class. On Node.js 20, a copy by spread that gets further
 * properties has one of its own each time, which takes 2 µs a property and makes every use of it slow; later ones do not
 * mind.
 */
export function hasOneShape(make: () => object): boolean {
  setFlagsFromString("--allow-natives-syntax");
  const haveSameMap = runInThisContext("(one, other) => %HaveSameMap(one, other)") as (
    one: object,
    other: object,
  ) => boolean;
  for (let count = 0; count < WARM_UP; count++) make();
  return haveSameMap(make(), make());
}
