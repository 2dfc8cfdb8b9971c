export const inspect = Object.assign((value: unknown): string => String(value), {
  custom: Symbol.for("nodejs.util.inspect.custom"),
});
