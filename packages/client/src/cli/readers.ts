/** Whether nobody reads any more what is written: `head` ends once it has its lines. */
export const isReaderGone = (error: unknown): boolean =>
  ['EPIPE', 'EOF'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** Lets a command go on when the reader of its output has gone: an import brings in all rows all the same. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isReaderGone(error)) throw error;
    });
  }
};
