/**
 * Of tests. `npm test` leaves out what is long: `npm run test:all` runs it, and whoever names its file. Windows leaves out what
 * needs POSIX.
 */
export const tags = [
  { name: 'long', description: 'Takes long for what it adds to the others.' },
  { name: 'posix', description: 'Needs modes or links of files, pipes with names, or signals.' },
];

/** The mode of `npm test`. Without it, all is tried: in `npm run test:all`, and where a file is named. */
const quick = 'quick';

/** For the mode in which Vitest runs: what tests may be tagged with, and which of them run. */
export const byMode = (mode: string) => ({
  provide: { quick: mode === quick },
  tags,
  tagsFilter: [
    ...(mode === quick ? ['!long'] : []),
    ...(process.platform === 'win32' ? ['!posix'] : []),
  ],
});
