export const nameOf = (index: number): string => `held:${index}`;
