/** Of tests. `npm test` leaves out what is long: `npm run test:all` runs it, and whoever names its file. */
export const tags = [{ name: 'long', description: 'Takes long for what it adds to the others.' }];

/** The mode of `npm test`. Without it, all is tried: in `npm run test:all`, and where a file is named. */
const quick = 'quick';

/** For the mode in which Vitest runs: what tests may be tagged with, and which of them run. */
export const byMode = (mode: string) => ({
  provide: { quick: mode === quick },
  tags,
  ...(mode === quick && { tagsFilter: ['!long'] }),
});
