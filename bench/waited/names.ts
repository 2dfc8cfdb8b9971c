export const nameOf = (index: number): string => `waited:${index}`;
