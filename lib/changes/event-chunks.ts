/** The most entries of a PutEvents request, and the most bytes of all of them. AWS says “less than 1 MB”, by whatever MB. */
export const mostEntries = 10;
export const mostBytes = 999_999;

/** The bytes of an entry, as PutEvents counts them: source, type and detail in UTF-8. */
export const bytesOfEntry = (entry: {
  Source: string;
  DetailType: string;
  Detail: string;
}): number =>
  [entry.Source, entry.DetailType, entry.Detail].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );

/** Chunks of events, of which each fits in a request, in their order. No event may be larger than a request. */
export const toChunks = <T extends { bytes: number }>(events: readonly T[]): T[][] => {
  const chunks: T[][] = [];
  let room = 0;
  for (const event of events) {
    const last = chunks.at(-1);
    if (last && last.length < mostEntries && event.bytes <= room) last.push(event);
    else {
      chunks.push([event]);
      room = mostBytes;
    }
    room -= event.bytes;
  }
  return chunks;
};
