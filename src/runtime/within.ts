/** The promise's result, or an error if it takes longer. @param what is missing then, for the error */
export async function within<T>(
  promise: Promise<T>,
  limitMs: number,
  what = "no answer",
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
