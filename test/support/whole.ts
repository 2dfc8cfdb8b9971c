/**
 * Whether all tests run, so that what one of them shows needs not be shown by another. Set by `npm test` if it is given
 * neither tests nor options.
 */
export const IS_WHOLE = process.env["QUORATE_WHOLE_TESTS"] === "1";
