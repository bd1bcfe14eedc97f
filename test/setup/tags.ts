/** Of tests. `npm test` leaves out what is long: `npm run test:all` runs it, and whoever names its file. */
export const tags = [{ name: 'long', description: 'Takes long for what it adds to the others.' }];
