/** Megabytes that a process may take that all functions share. After each was used, it takes about 150. */
export const processMegabytes = 200;
/** The most processes. More would start, and serve nobody. */
const most = 4;

/** How many processes functions may have: those that half of the available memory has room for, from 1 to 4. */
export const processesFor = (availableBytes: number): number => {
  const fitting = Math.floor(availableBytes / 2 / (processMegabytes * 1024 ** 2));
  return Math.max(1, Math.min(most, fitting));
};
