import { printable } from '../cli/terminal-text.ts';

/** Prints an answer as JSON: of a list, each in a line of its own. */
export const print = (answer: object): void => {
  const lines = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).join(',\n');
  console.log(
    printable(Array.isArray(answer) ? `[${lines(answer)}]` : JSON.stringify(answer, null, 2)),
  );
};
