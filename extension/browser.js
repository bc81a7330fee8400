// The API of the browser: both browsers have it with promises, under one of these names.

export const browser = globalThis.browser ?? globalThis.chrome;
