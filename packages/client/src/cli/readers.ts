/** Whether nobody reads any more what is written: `head` ends once it has its lines. */
export const isReaderGone = (error: unknown): boolean =>
  ['EPIPE', 'EOF'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

let outputError: Error | undefined;

/** Whether a command ended for its output, and nothing is left to say of that. */
export const isOfOutput = (error: unknown): boolean =>
  isReaderGone(error) || (error !== undefined && error === outputError);

/**
 * Lets a command go on when the reader of its output has gone, or its disk is full: an import brings in all rows all the same. What
 * can’t be written otherwise is told once, and makes the exit code 1.
 */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (isReaderGone(error)) return;
      process.exitCode = 1;
      if (outputError !== undefined) return;
      outputError = error;
      if (stream === process.stdout) console.error(`The output can’t be written: ${error.message}`);
    });
  }
};
