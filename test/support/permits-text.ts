/** Taken permits as the script writes them: a hexadecimal digit for every four, the first is the lowest bit of the first. */
export function permitsText(taken: ReadonlySet<number>, permits: number): string {
  let text = "";
  for (let first = 0; first < permits; first += 4) {
    let digit = 0;
    for (let bit = 0; bit < 4; bit++) if (taken.has(first + bit)) digit += 1 << bit;
    text += digit.toString(16);
  }
  return text;
}
