export const hostname = (): string => "browser";
export const constants = { signals: {} };
