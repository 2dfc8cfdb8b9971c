/** Shows lines of [what, text] next to the pointer; hides itself if there are none. */
export function showTooltip(box, lines, event) {
  box.hidden = lines === undefined;
  if (lines === undefined) return;
  box.replaceChildren(
    ...lines.map(([what, text]) => {
      const line = document.createElement("p");
      line.className = what;
      const word = document.createElement("b");
      word.textContent = what;
      line.append(word, ` ${text}`);
      return line;
    }),
  );
  const { offsetWidth: width, offsetHeight: height } = box;
  const x = event.clientX + 16;
  const y = event.clientY + 16;
  box.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 8))}px`;
  box.style.top = `${y + height > innerHeight ? Math.max(4, event.clientY - height - 12) : y}px`;
}
