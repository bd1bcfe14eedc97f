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

/** Milliseconds after which a test is ended that hangs, on a machine that takes four times as long as usual, too. */
const limitOf = (mode: string): number => (mode === quick ? 120_000 : 600_000);

/** How tests run in each project, for the mode in which Vitest runs. */
export const ofEachTest = (mode: string) => ({
  testTimeout: limitOf(mode),
  hookTimeout: limitOf(mode),
  // For two cores: many wait for what the service does. A fourth takes longer, as each loads what files import.
  maxWorkers: 3,
  // With room for what is new, less is copied: a twelfth of the time.
  execArgv: ['--max-semi-space-size=64'],
  // Loading what files share takes longer than most of them.
  isolate: false,
  // Node.js loads TypeScript by itself, with less work than Vite has with it.
  experimental: { viteModuleRunner: false, nodeLoader: false },
});

/** For the mode in which Vitest runs: what tests may be tagged with, and which of them run. */
export const byMode = (mode: string) => ({
  provide: { quick: mode === quick },
  tags,
  tagsFilter: [
    ...(mode === quick ? ['!long'] : []),
    ...(process.platform === 'win32' ? ['!posix'] : []),
  ],
});
